package server

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/tendhq/tend/api"
	"github.com/tendhq/tend/internal/session"
	"github.com/tendhq/tend/internal/supervisor"
)

func compact(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestShowsWhatIsKnown(t *testing.T) {
	d := start(t, Config{Service: newFake(full())})
	got, err := d.client.Get(t.Context(), "01FULL")
	if err != nil {
		t.Fatal(err)
	}
	const at = `"2026-03-04T05:06:07.089Z"`
	view := session.ViewOf(full())
	want := `{"id":"01FULL","name":"fix/it","node":"n","agent":"generic","model":"m","kind":"task","host":"pty","cwd":"/tmp","argv":["a","b"],` +
		`"state":"idle","agentState":"busy","stateAt":` + at + `,"reason":"crashed","rev":7,` +
		`"process":{"phase":"exited","run":3,"pid":42,"startedAt":` + at + `,"endedAt":` + at +
		`,"exit":{"code":137,"unknown":false,"probableSignal":9,"source":"holder","leftBehind":[43]}},` +
		`"turn":{"n":2,"open":true,"by":"person"},"waiting":{"kind":"question","text":"which?","since":` + at + `},` +
		`"attention":{"cause":"stalled","detail":"d","since":` + at + `,"acknowledged":true},` +
		`"resume":{"attempts":1,"max":2,"nextAt":` + at + `},"queue":[{"id":"p","state":"queued","at":` + at + `,"text":"go","sanitised":true}],` +
		`"nativeId":"nat","kept":true,"createdAt":` + at + `,"updatedAt":` + at + `,` +
		`"view":` + compact(t, api.View{Label: view.Label, Group: string(view.Group), Why: view.Why}) + `}`
	if s := compact(t, got); s != want {
		t.Errorf("\n got %s\nwant %s", s, want)
	}
}

func TestLeavesOutWhatIsUnknown(t *testing.T) {
	d := start(t, Config{Service: newFake(bare())})
	var got map[string]any
	if err := json.Unmarshal([]byte(d.raw(t, "GET", "/api/v1/sessions/01BARE", "", nil).body), &got); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"waiting", "attention", "queue", "nativeId", "closed", "reason", "node", "model", "argv"} {
		if v, ok := got[key]; ok {
			t.Errorf("%s is %v and should be absent", key, v)
		}
	}
	process := got["process"].(map[string]any)
	want := map[string]any{"phase": "lost", "run": 1.0, "exit": map[string]any{"unknown": true}}
	if !reflect.DeepEqual(process, want) {
		t.Errorf("process is %v, want %v", process, want)
	}
	if got["agentState"] != "dead" {
		t.Errorf("resuming reads as %v", got["agentState"])
	}
}

func TestExitKeepsAbsentApartFromZero(t *testing.T) {
	for _, c := range []struct {
		name string
		exit *session.Exit
		want string
	}{
		{"status 0", &session.Exit{Code: ptr(0), Source: "holder"}, `{"code":0,"unknown":false,"source":"holder"}`},
		{"signal 0", &session.Exit{Code: ptr(0), Signal: ptr(0)}, `{"code":0,"signal":0,"unknown":false}`},
		{"signal", &session.Exit{Signal: ptr(15)}, `{"signal":15,"signalName":"SIGTERM","unknown":false}`},
		{"neither", &session.Exit{Source: "pane"}, `{"unknown":true,"source":"pane"}`},
		{"no witness", nil, `{"unknown":true}`},
	} {
		if got := compact(t, wireExit(c.exit)); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

func TestListsOpenOrArchived(t *testing.T) {
	closed := full()
	closed.ID, closed.Life.Closed = "01OLD", &session.Closed{At: t0, Reason: "done with"}
	d := start(t, Config{Service: newFake(full(), bare(), closed)})
	for archived, want := range map[bool][]string{false: {"01BARE", "01FULL"}, true: {"01OLD"}} {
		list, err := d.client.List(t.Context(), archived)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range list {
			got = append(got, s.ID)
		}
		if !slices.Equal(got, want) {
			t.Errorf("archived=%v: got %v, want %v", archived, got, want)
		}
	}
	if a := start(t, Config{Service: newFake()}).raw(t, "GET", "/api/v1/sessions", "", nil); a.body != "{\"sessions\":[]}\n" {
		t.Errorf("an empty list is %s", a.body)
	}
}

func TestCreatesWhatWasAsked(t *testing.T) {
	f := newFake()
	d := start(t, Config{Service: f})
	s, err := d.client.Create(t.Context(), api.CreateRequest{
		Name: "n", Argv: []string{"claude", ""}, Cwd: "/w", Prompt: "go", Env: map[string]string{"B": "2", "A": "1=1"},
		Host: "tmux", Agent: "generic", Model: "m", Continue: "on", Keep: true, Size: &api.Size{Cols: 100, Rows: 30},
	})
	if err != nil {
		t.Fatal(err)
	}
	if s.ID != "01NEW" || s.State != "starting" {
		t.Errorf("got %+v", s)
	}
	want := supervisor.NewSession{
		Name: "n", Env: []string{"A=1=1", "B=2"}, Prompt: "go", Keep: true,
		Spec: session.Spec{
			Agent: "generic", Model: "m", Argv: []string{"claude", ""}, Cwd: "/w", Host: "tmux", Kind: session.Task,
			Prompt: "go", Continue: "on", Size: session.Size{Cols: 100, Rows: 30},
		},
	}
	if !reflect.DeepEqual(f.created[0], want) {
		t.Errorf("asked for %+v, want %+v", f.created[0], want)
	}
	a := d.raw(t, "POST", "/api/v1/sessions", "application/json", jsonBody(`{"argv":["x"],"cwd":"/"}`))
	if a.status != 201 || a.header.Get("Location") != "/api/v1/sessions/01NEW" {
		t.Errorf("answered %d with location %q", a.status, a.header.Get("Location"))
	}
	if k := f.created[1].Spec.Kind; k != "" {
		t.Errorf("without a prompt the kind is the supervisor's to choose, not %s", k)
	}
}

func TestVerbsBecomeCommands(t *testing.T) {
	f := newFake(full())
	d := start(t, Config{Service: f})
	ctx, c := context.Background(), d.client
	verb := func(s api.Session, err error) error { return err }
	for _, v := range []struct {
		want session.Command
		call func() error
	}{
		{session.Answer{Text: "yes"}, func() error { return verb(c.Answer(ctx, "01FULL", api.AnswerRequest{Text: "yes"})) }},
		{session.Answer{Key: "enter"}, func() error { return verb(c.Answer(ctx, "01FULL", api.AnswerRequest{Key: "enter"})) }},
		{session.Interrupt{}, func() error { return verb(c.Interrupt(ctx, "01FULL")) }},
		{session.Stop{}, func() error { return verb(c.Stop(ctx, "01FULL")) }},
		{session.ResumeNow{}, func() error { return verb(c.Resume(ctx, "01FULL")) }},
		{session.Retry{}, func() error { return verb(c.Retry(ctx, "01FULL")) }},
		{session.Confirm{Summary: "s"}, func() error { return verb(c.Confirm(ctx, "01FULL", "s")) }},
		{session.Dismiss{}, func() error { return verb(c.Dismiss(ctx, "01FULL")) }},
		{session.AgentDone{Summary: "s"}, func() error { return verb(c.Done(ctx, "01FULL", "s")) }},
		{session.Close{Reason: "r"}, func() error { return verb(c.CloseSession(ctx, "01FULL", "r")) }},
		{session.Reopen{}, func() error { return verb(c.Reopen(ctx, "01FULL")) }},
		{session.Keep{On: true}, func() error { return verb(c.Keep(ctx, "01FULL", true)) }},
		{session.Keep{}, func() error { return verb(c.Keep(ctx, "01FULL", false)) }},
		{session.Rename{Name: "new"}, func() error { return verb(c.Rename(ctx, "01FULL", "new")) }},
	} {
		if err := v.call(); err != nil {
			t.Errorf("%T: %v", v.want, err)
			continue
		}
		if got := f.lastCommand(); got != v.want {
			t.Errorf("got %#v, want %#v", got, v.want)
		}
	}
	for _, v := range []string{"confirm", "done", "close"} {
		if a := d.raw(t, "POST", "/api/v1/sessions/01FULL/"+v, "", nil); a.status != 200 {
			t.Errorf("%s without a body: %d %s", v, a.status, a.body)
		}
	}
}

func TestSendNamesThePrompt(t *testing.T) {
	f := newFake(full())
	d := start(t, Config{Service: f})
	sent, err := d.client.Send(t.Context(), "fix/it", "do\x1b[31m it")
	if err != nil {
		t.Fatal(err)
	}
	got := f.lastCommand().(session.Send)
	if got.PromptID == "" || got.PromptID != sent.PromptID || got.Text != "do\x1b[31m it" || sent.Session.ID != "01FULL" {
		t.Errorf("sent %+v, got %#v", sent, got)
	}
}

func TestExplainKeepsTheNewest(t *testing.T) {
	f := newFake(full())
	f.commit("01FULL", journalPage+10)
	f.commit("01ELSE", 5)
	d := start(t, Config{Service: f})
	x, err := d.client.Explain(t.Context(), "01FULL", 4)
	if err != nil {
		t.Fatal(err)
	}
	if len(x.Entries) != 4 || x.Entries[3].Seq != journalPage+10 || x.Earlier != journalPage+6 || x.Session.ID != "01FULL" {
		t.Errorf("got %d entries, %d earlier, last %+v", len(x.Entries), x.Earlier, x.Entries)
	}
	want := `{"seq":522,"node":"n","session":"01FULL","rev":1,"run":1,"turn":2,"at":"2026-03-04T05:06:07.089Z","source":"hook",` +
		`"event":"TurnStarted","detail":{"native":"x"},"from":"ready","to":"busy","effects":["TypePrompt"]}`
	if got := compact(t, x.Entries[3]); got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

func TestScreen(t *testing.T) {
	f := newFake(full())
	f.screen = supervisor.ScreenView{
		Run: 3, Offset: 9, Size: session.Size{Cols: 80, Rows: 24}, Lines: []string{"a", ""}, Title: "t", CursorAt: [2]int{5, 6}, Repaint: []byte("\x1b[H\xff"),
	}
	d := start(t, Config{Service: f})
	got, err := d.client.Screen(t.Context(), "01FULL")
	if err != nil {
		t.Fatal(err)
	}
	want := api.Screen{
		Run: 3, Offset: 9, Size: api.Size{Cols: 80, Rows: 24}, Lines: []string{"a", ""}, Title: "t", Cursor: api.Cursor{Col: 5, Row: 6}, Repaint: []byte("\x1b[H\xff"),
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
}

func TestOutputRanges(t *testing.T) {
	f := newFake(full())
	f.output, f.first = []byte("0123456789"), 2
	d := start(t, Config{Service: f})
	for _, c := range []struct {
		ask  api.OutputRange
		want api.Output
	}{
		{api.OutputRange{}, api.Output{Offset: 2, Data: []byte("23456789")}},
		{api.OutputRange{Run: 3, Offset: 5, Limit: 2}, api.Output{Offset: 5, Data: []byte("56")}},
		{api.OutputRange{Offset: -3}, api.Output{Offset: 7, Data: []byte("789")}},
		{api.OutputRange{Offset: -100}, api.Output{Offset: 2, Data: []byte("23456789")}},
		{api.OutputRange{Offset: 10}, api.Output{Offset: 10, Data: []byte{}}},
	} {
		c.want.Run, c.want.First, c.want.End = 3, 2, 10
		got, err := d.client.Output(t.Context(), "01FULL", c.ask)
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%+v: got %+v, %v", c.ask, got, err)
		}
	}
	if _, err := d.client.Output(t.Context(), "01FULL", api.OutputRange{Run: 9}); api.CodeOf(err) != api.CodeNotFound {
		t.Errorf("a run that never was: %v", err)
	}
}

func TestStatusAndDoctor(t *testing.T) {
	f := newFake()
	f.commit("x", 4)
	check := api.Check{Name: "store", Detail: "d", Remedy: "r"}
	d := start(t, Config{Service: f, Version: "1.2", Doctor: func(context.Context) []api.Check { return []api.Check{check} }})
	got, err := d.client.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got.PID == 0 {
		t.Error("no pid")
	}
	got.PID = 0
	want := api.Status{
		Version: "1.2", Node: "n", StartedAt: api.TimeOf(t0), Seq: 4, Sessions: map[string]int{"busy": 2}, Store: api.StoreStatus{Error: "disk full", Unsaved: 3},
	}
	if compact(t, got) != compact(t, want) {
		t.Errorf("got %+v", got)
	}
	checks, err := d.client.Doctor(t.Context())
	if err != nil || !slices.Equal(checks, []api.Check{check}) {
		t.Errorf("doctor: %v, %v", checks, err)
	}
}

func TestShutdownIsCalledOnce(t *testing.T) {
	calls := make(chan bool, 4)
	service := newFake(full())
	d := start(t, Config{Service: service, Shutdown: func(stopAgents bool) { calls <- stopAgents }})
	service.failWith(&supervisor.RunningError{Names: []string{"deaf"}, Cause: session.ErrStoreUnavailable})
	if err := d.client.Shutdown(t.Context(), api.ShutdownRequest{StopAgents: true, Force: true}); api.CodeOf(err) != api.CodeRefused || !strings.Contains(err.Error(), "deaf") {
		t.Errorf("an agent cannot be stopped: %v", err)
	}
	service.failWith(nil)
	if err := d.client.Shutdown(t.Context(), api.ShutdownRequest{}); api.CodeOf(err) != api.CodeStoreUnavailable || !strings.Contains(err.Error(), "3 changes") {
		t.Errorf("changes are not saved: %v", err)
	}
	if err := d.client.Shutdown(t.Context(), api.ShutdownRequest{StopAgents: true, Force: true}); err != nil {
		t.Fatal(err)
	}
	if !<-calls {
		t.Error("stopAgents was lost")
	}
	if err := d.client.Shutdown(t.Context(), api.ShutdownRequest{Force: true}); api.CodeOf(err) != api.CodeStopping {
		t.Errorf("the second shutdown: %v", err)
	}
	if _, err := d.client.Stop(t.Context(), "01FULL"); api.CodeOf(err) != api.CodeStopping {
		t.Errorf("a command while stopping: %v", err)
	}
	if s, err := d.client.Status(t.Context()); err != nil || !s.Stopping {
		t.Errorf("status while stopping: %+v, %v", s, err)
	}
	if len(calls) != 0 {
		t.Error("Shutdown was called again")
	}
}
