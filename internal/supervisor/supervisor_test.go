package supervisor

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tendhq/tend/internal/session"
)

// stage is a supervisor with a host and a store that outlive it.
type stage struct {
	*testing.T
	host  *fakeHost
	store *memStore
	sup   *Supervisor
	agent Agent
	dir   string
}

// onStage runs f in a bubble of fake time.
func onStage(t *testing.T, f func(st *stage)) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		st := &stage{T: t, host: newFakeHost(), store: newMemStore(), agent: lineAgentKind(true), dir: dir}
		st.up()
		defer func() { st.sup.cancel() }() // also after a failure, so that the bubble can end
		f(st)
		st.down()
	})
}

func (st *stage) up() {
	st.sup = New(Config{
		Node: "test", Store: st.store, Hosts: map[string]Host{"pty": st.host},
		Agents: map[string]Agent{"line": st.agent}, Log: slog.New(slog.DiscardHandler),
	})
	st.ok(st.sup.Start(context.Background()))
	synctest.Wait()
}

func (st *stage) down() {
	st.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	st.ok(st.sup.Shutdown(ctx, false))
}

func (st *stage) ok(err error) {
	st.Helper()
	if err != nil {
		st.Fatal(err)
	}
}

func (st *stage) create(kind session.Kind, prompt string) session.Session {
	st.Helper()
	s, err := st.sup.Create(context.Background(), NewSession{
		Spec:   session.Spec{Agent: "line", Argv: []string{"line"}, Cwd: st.dir, Host: "pty", Kind: kind, Policy: session.DefaultPolicy()},
		Prompt: prompt, Env: []string{"SECRET=canary"},
	})
	st.ok(err)
	return s
}

// agentSays plays one line of the agent's present run.
func (st *stage) agentSays(id session.ID, line string) {
	st.Helper()
	st.host.print(st.now(id).Ref(), line+"\n")
	synctest.Wait()
}

func (st *stage) now(id session.ID) session.Session {
	st.Helper()
	s, err := st.sup.Get(context.Background(), id)
	st.ok(err)
	return s
}

func (st *stage) want(id session.ID, state session.State) session.Session {
	st.Helper()
	synctest.Wait()
	s := st.now(id)
	if s.State != state {
		st.Fatalf("state %s (%s), want %s\n%s", s.State, s.Why, state, st.story(id))
	}
	return s
}

func (st *stage) story(id session.ID) string {
	es, err := st.store.Journal(context.Background(), id, 0, 0)
	st.ok(err)
	return describe(es)
}

func (st *stage) command(id session.ID, c session.Command) error {
	_, err := st.sup.Command(context.Background(), id, c)
	synctest.Wait()
	return err
}

func (st *stage) after(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

func TestATaskIsTypedConfirmedAndDone(t *testing.T) {
	onStage(t, func(st *stage) {
		s := st.create(session.Task, "fix the bug")
		st.want(s.ID, session.Starting)
		st.agentSays(s.ID, "ready")
		st.agentSays(s.ID, "> fix the bug") // the agent echoes its input line
		st.want(s.ID, session.Ready)
		if got := strings.Join(st.host.lines(ref(s, 1)), "|"); got != "fix the bug|\r" {
			t.Fatalf("typed %q", got)
		}
		st.agentSays(s.ID, "turn")
		if s := st.want(s.ID, session.Busy); s.Queue[0].State != session.PromptConfirmed {
			t.Fatalf("prompt %+v", s.Queue[0])
		}
		st.agentSays(s.ID, "done")
		st.want(s.ID, session.Done)
	})
}

func TestASwallowedEnterIsPressedAgainAndTextsNeverMerge(t *testing.T) { // B22
	onStage(t, func(st *stage) {
		s := st.create(session.Interactive, "")
		st.agentSays(s.ID, "ready")
		st.ok(st.command(s.ID, session.Send{Text: "one"}))
		st.agentSays(s.ID, "> one")
		st.ok(st.command(s.ID, session.Send{Text: "two"}))
		st.agentSays(s.ID, "> ") // it draws its screen again: that is no receipt
		st.agentSays(s.ID, "> one")
		st.after(3 * time.Second) // the first Enter was swallowed
		if got := strings.Join(st.host.lines(ref(s, 1)), "|"); got != "one|\r|\r" {
			t.Fatalf("typed %q", got)
		}
		st.agentSays(s.ID, "> ")
		st.agentSays(s.ID, "turn")
		st.agentSays(s.ID, "done")
		st.agentSays(s.ID, "> two")
		if got := strings.Join(st.host.lines(ref(s, 1)), "|"); got != "one|\r|\r|two|\r" {
			t.Fatalf("typed %q\n%s", got, st.story(s.ID))
		}
	})
}

func TestAPromptThatNothingShowsIsToldNotPretended(t *testing.T) {
	onStage(t, func(st *stage) {
		s := st.create(session.Task, "hello")
		st.agentSays(s.ID, "ready")
		st.after(10 * time.Second)
		s = st.want(s.ID, session.NeedsAttention)
		if s.Attention.Cause != session.PromptUndelivered || s.Queue[0].State != session.PromptFailed {
			t.Fatalf("%+v %+v", s.Attention, s.Queue)
		}
		for _, l := range st.host.lines(ref(s, 1)) {
			if l != "hello" {
				t.Fatalf("typed %q: the submit key goes only after the text shows", l)
			}
		}
	})
}

func TestNothingIsTypedWhileTheAgentAsks(t *testing.T) { // B20
	onStage(t, func(st *stage) {
		s := st.create(session.Interactive, "")
		st.agentSays(s.ID, "ask 1. Yes 2. No")
		st.ok(st.command(s.ID, session.Send{Text: "continue"}))
		st.after(time.Minute)
		if got := st.host.lines(ref(s, 1)); len(got) != 0 {
			t.Fatalf("typed %q", got)
		}
		st.ok(st.command(s.ID, session.Answer{Text: "1"}))
		if got := st.host.lines(ref(s, 1)); len(got) != 1 || got[0] != "1\r" {
			t.Fatalf("typed %q", got)
		}
	})
}

func TestAPersonAtTheKeysIsNotInterrupted(t *testing.T) { // B38
	onStage(t, func(st *stage) {
		s := st.create(session.Interactive, "")
		st.agentSays(s.ID, "ready")
		st.host.runs[ref(s, 1)].refuse = "unfinishedLine"
		st.ok(st.command(s.ID, session.Send{Text: "later"}))
		st.after(time.Minute)
		if got := st.host.lines(ref(s, 1)); len(got) != 0 {
			t.Fatalf("typed %q over a person's line", got)
		}
		st.host.mu.Lock()
		st.host.runs[ref(s, 1)].refuse = ""
		st.host.mu.Unlock()
		st.after(2 * time.Second)
		if got := st.host.lines(ref(s, 1)); len(got) != 1 || got[0] != "later" {
			t.Fatalf("typed %q", got)
		}
		st.agentSays(s.ID, "> later")
		st.agentSays(s.ID, "turn")
		st.want(s.ID, session.Busy)
	})
}

func TestParallelSendersGetOneTurnEach(t *testing.T) { // B85
	onStage(t, func(st *stage) {
		s := st.create(session.Interactive, "")
		st.agentSays(s.ID, "ready")
		errs := make(chan error)
		for i := range 20 {
			go func() {
				_, err := st.sup.Command(context.Background(), s.ID, session.Send{Text: fmt.Sprintf("p%02d", i)})
				errs <- err
			}()
		}
		for range 20 {
			st.ok(<-errs)
		}
		synctest.Wait()
		var order []string
		for _, p := range st.now(s.ID).Queue {
			order = append(order, p.Text)
		}
		for i, text := range order {
			typed := st.host.lines(ref(s, 1))
			if len(typed) != 2*i+1 || typed[2*i] != text {
				t.Fatalf("turn %d: typed %q, want only %s more", i, typed, text)
			}
			st.agentSays(s.ID, "> "+text)
			st.agentSays(s.ID, "turn")
			st.agentSays(s.ID, "done")
		}
		if s := st.now(s.ID); s.Turn.Number != 20 {
			t.Fatalf("%d turns", s.Turn.Number)
		}
	})
}

func TestACrashIsResumedOnceAndProvenByLasting(t *testing.T) { // B54
	onStage(t, func(st *stage) {
		s := st.create(session.Interactive, "")
		st.agentSays(s.ID, "id abc")
		st.agentSays(s.ID, "ready")
		st.after(20 * time.Second)
		nine := 9
		st.host.end(ref(s, 1), session.Exit{Signal: &nine})
		a, err := st.sup.actorOf(context.Background(), s.ID)
		st.ok(err)
		for range 4 { // the same end, by other ways
			a.say(1, session.FromHolder, session.ProcessEnded{Exit: &session.Exit{Signal: &nine}})
		}
		st.want(s.ID, session.Resuming)
		st.after(3 * time.Second)
		r, err := st.host.run(ref(s, 2))
		st.ok(err)
		if got := strings.Join(r.launch.Argv, " "); got != "line --resume abc" || r.launches != 1 || r.launch.EnvFromRun != 1 {
			t.Fatalf("launched %q %d times with the environment of run %d", got, r.launches, r.launch.EnvFromRun)
		}
		if _, err := st.host.run(ref(s, 3)); err == nil {
			t.Fatal("launched twice for one exit")
		}
		st.agentSays(s.ID, "ready")
		st.want(s.ID, session.Resuming)
		st.after(11 * time.Second)
		if s := st.want(s.ID, session.Ready); s.Resume.Attempts != 0 {
			t.Fatalf("attempts %d", s.Resume.Attempts)
		}
	})
}

func TestNewsOfAnEarlierRunChangesNothing(t *testing.T) { // B86
	onStage(t, func(st *stage) {
		s := st.create(session.Interactive, "")
		st.agentSays(s.ID, "ready")
		st.after(20 * time.Second)
		st.ok(st.command(s.ID, session.Retry{}))
		st.agentSays(s.ID, "ready")
		a, err := st.sup.actorOf(context.Background(), s.ID)
		st.ok(err)
		zero := 0
		a.say(1, session.FromHolder, session.ProcessEnded{Exit: &session.Exit{Code: &zero}})
		if s := st.want(s.ID, session.Ready); s.Process.Run != 2 || s.Process.Phase != session.Running {
			t.Fatalf("%+v", s.Process)
		}
		if !strings.Contains(st.story(s.ID), "news of run 1") {
			t.Fatalf("it is not on record:\n%s", st.story(s.ID))
		}
	})
}

func TestStopDuringBackoffIsFinal(t *testing.T) {
	onStage(t, func(st *stage) {
		s := st.create(session.Interactive, "")
		st.agentSays(s.ID, "id abc")
		st.agentSays(s.ID, "ready")
		st.after(20 * time.Second)
		nine := 9
		st.host.end(ref(s, 1), session.Exit{Signal: &nine})
		st.want(s.ID, session.Resuming)
		st.ok(st.command(s.ID, session.Stop{}))
		st.after(time.Hour)
		st.want(s.ID, session.Dead)
		if _, err := st.host.run(ref(s, 2)); err == nil {
			t.Fatal("a stopped session was launched")
		}
	})
}

func TestACleanExitIsSweptAfterTwoReads(t *testing.T) { // B09
	onStage(t, func(st *stage) {
		s := st.create(session.Interactive, "")
		st.agentSays(s.ID, "ready")
		st.after(20 * time.Second)
		zero := 0
		st.host.end(ref(s, 1), session.Exit{Code: &zero})
		st.want(s.ID, session.Dead)
		st.after(5 * time.Second)
		s = st.now(s.ID)
		if s.Life.Closed == nil || s.Life.Closed.Reason != "agent exited cleanly (status 0)" {
			t.Fatalf("closed %+v\n%s", s.Life.Closed, st.story(s.ID))
		}
		st.ok(st.command(s.ID, session.Reopen{}))
		if s := st.want(s.ID, session.Dead); s.Life.Closed != nil {
			t.Fatal("not reopened")
		}
	})
}

func TestAnEarlyExitIsKept(t *testing.T) { // B04
	onStage(t, func(st *stage) {
		s := st.create(session.Interactive, "")
		st.agentSays(s.ID, "not logged in")
		zero := 0
		st.after(time.Second)
		st.host.end(ref(s, 1), session.Exit{Code: &zero})
		st.after(time.Hour)
		if s := st.want(s.ID, session.NeedsAttention); s.Attention.Cause != session.StartupFailed || s.Life.Closed != nil {
			t.Fatalf("%+v %+v", s.Attention, s.Life.Closed)
		}
	})
}

func TestAFailedLaunchLeavesNoSession(t *testing.T) {
	onStage(t, func(st *stage) {
		st.host.failed = &session.LaunchError{Kind: "notFound", Detail: "no command called line in PATH"}
		_, err := st.sup.Create(context.Background(), NewSession{
			Name: "x", Spec: session.Spec{Agent: "line", Argv: []string{"line"}, Cwd: st.dir, Host: "pty", Policy: session.DefaultPolicy()},
		})
		var le *session.LaunchError
		if !errors.As(err, &le) || le.Kind != "notFound" {
			t.Fatalf("error %v", err)
		}
		synctest.Wait()
		open, err := st.sup.List(context.Background(), false)
		st.ok(err)
		if len(open) != 0 {
			t.Fatalf("left behind: %+v", open)
		}
		st.host.failed = nil
		s := st.create(session.Interactive, "")
		st.ok(st.command(s.ID, session.Rename{Name: "x"})) // the name is free again
	})
}

func TestNamesAreKeptVerbatimOrRefused(t *testing.T) { // B90
	onStage(t, func(st *stage) {
		for _, name := range []string{"v1.2:x", "v1_2_x", "a b", " a", "-x", "$1", strings.Repeat("n", 300), "👩‍👩‍👧‍👦"} {
			s := st.create(session.Interactive, "")
			st.ok(st.command(s.ID, session.Rename{Name: name}))
			if id, err := st.sup.Resolve(context.Background(), name); err != nil || id != s.ID || st.now(s.ID).Name != name {
				t.Errorf("%q: %v, %q", name, err, st.now(s.ID).Name)
			}
		}
		s := st.create(session.Interactive, "")
		for _, name := range []string{"", "a\nb", "a\x1b[31m", "\u202eevil", "a\u0085", "tab\t", "\xff", strings.Repeat("n", 1001)} {
			var wrong *InputError
			if err := st.command(s.ID, session.Rename{Name: name}); !errors.As(err, &wrong) {
				t.Errorf("%q: %v", name, err)
			}
		}
		if err := st.command(s.ID, session.Rename{Name: "a b"}); !errors.Is(err, session.ErrNameTaken) {
			t.Errorf("a taken name: %v", err)
		}
	})
}
