package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// epoch is when every test history begins.
var epoch = time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)

func num(n int) *int { return &n }

// everything is one of each kind of event, with the variants that matter.
func everything() []What {
	return []What{
		Created{ID: "s", Name: "n", Spec: testSpec(Task)},
		Launched{Proof: ProcessID{PID: 1}}, LaunchFailed{Kind: "notFound", Detail: "no such command"},
		ReadySeen{}, TurnStarted{}, Progress{}, ToolActivity{Running: true}, ToolActivity{}, QuietSeen{}, QuietSeen{MissedNative: true},
		Asked{Kind: "question", Text: "?"}, Asked{Kind: "question", IdleNotice: true}, BusySeen{}, DoneSeen{}, DoneSeen{Background: 1}, Interrupted{},
		DeadlinePassed{StartupDeadline}, DeadlinePassed{StallDeadline}, DeadlinePassed{PromptDeadline}, DeadlinePassed{RelaunchDeadline},
		DeadlinePassed{ProofDeadline}, DeadlinePassed{SettleDeadline}, DeadlinePassed{ReminderDeadline}, DeadlinePassed{TruthDeadline},
		DeadlinePassed{HealthyDeadline}, DeadlinePassed{SweepDeadline},
		ResumeProven{}, ResumeProven{Continuing: true}, ResumeFailed{}, ResumeFailed{Cause: NativeSessionMissing}, Escalate{Cause: HostLost},
		ProcessEnded{Exit: &Exit{Code: num(0)}}, ProcessEnded{Exit: &Exit{Code: num(3)}}, ProcessEnded{Exit: &Exit{Signal: num(9)}},
		ProcessEnded{}, ProcessEnded{FoundDead: true}, ProcessEnded{Exit: &Exit{Code: num(1)}, RecentOutput: "please log in"},
		ProcessEnded{Exit: &Exit{Signal: num(9)}, DirMissing: true},
		ExitRead{Exit: &Exit{Code: num(0)}}, ExitRead{Exit: &Exit{Code: num(1)}}, ExitRead{Failed: true}, ExitRead{Exit: &Exit{Code: num(0)}, Viewers: 1},
		NativeSeen{ID: "native"}, ForeignSeen{ID: "other"},
		PromptMoved{PromptID: "p", State: PromptTyped}, PromptMoved{PromptID: "p", State: PromptSubmitted},
		PromptMoved{PromptID: "p", State: PromptFailed, Detail: "lost"}, PromptMoved{PromptID: "p", State: PromptQueued},
		StopFinished{LeftBehind: []int{7}}, OutputLost{From: 10, To: 30}, OutputLost{}, SuspendSeen{Stopped: true}, SuspendSeen{}, HooksSilent{Silent: true}, HooksSilent{}, InputFailed{Detail: "gone"}, ClockJumped{By: time.Hour}, Loaded{},
		Send{PromptID: "p", Text: "go on"}, Answer{Text: "y"}, Interrupt{}, Stop{}, ResumeNow{}, Retry{}, Confirm{}, Dismiss{},
		Keep{On: true}, Keep{}, Close{}, Reopen{}, Rename{Name: "m"}, AgentDone{},
	}
}

func testSpec(k Kind) Spec {
	return Spec{Agent: "test", Argv: []string{"test"}, Cwd: "/w", Host: "pty", Kind: k, Caps: Caps{Resume: true}, Policy: DefaultPolicy()}
}

// TestEverythingIsListed holds everything to the sealed set itself.
func TestEverythingIsListed(t *testing.T) {
	listed := map[string]bool{}
	for _, w := range everything() {
		listed[reflect.TypeOf(w).Name()] = true
	}
	pkg, err := parser.ParseFile(token.NewFileSet(), "event.go", nil, 0)
	must(t, err)
	for _, d := range pkg.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Name.Name != "what" {
			continue
		}
		if name := f.Recv.List[0].Type.(*ast.Ident).Name; !listed[name] {
			t.Errorf("%s is in no history", name)
		}
	}
}

// inState builds a session in every state, its process running or ended.
func inState(st State, phase Phase) Session {
	s := Session{
		ID: "s", Node: "node", Name: "n", Rev: 7, State: st, Spec: testSpec(Task),
		Process: Process{Phase: phase, Run: 2, StartedAt: epoch, AgeFrom: epoch, WasReady: true, Proof: ProcessID{PID: 1}},
		Native:  []NativeID{{ID: "native", At: epoch, Run: 1}},
		Turn:    Turn{Number: 3, Open: st == Busy || st == WaitingOnInput || st == Idle},
		Life:    Life{CreatedAt: epoch, StateAt: epoch, ArmedAt: epoch},
	}
	switch st {
	case NeedsAttention:
		s.Attention, s.Interrupts = &Attention{Cause: Stalled, Since: epoch}, Busy
	case WaitingOnInput:
		s.Waiting = &Waiting{Kind: "permission", Text: "may I?", Since: epoch}
	case Done:
		s.Turn.DoneSeen, s.Reason = true, Completed
	case Resuming:
		s.Resume.NextAt, s.Reason = epoch.Add(time.Second), Crashed
	case Dead:
		s.Reason = UserExited
	case Starting, Ready, Busy, Idle:
	}
	if phase == Exited {
		s.Process.Exit, s.Process.EndedAt = &Exit{Code: num(0), At: epoch.Add(time.Minute)}, epoch.Add(time.Minute)
		s.Sweep = Sweep{Reads: 1, FirstSeen: epoch.Add(time.Minute)}
	}
	return s
}

// shapes are the sessions that totality and the tables are about.
func shapes() []Session {
	var out []Session
	for _, st := range States {
		for _, ph := range []Phase{Running, Exited, Launching, Lost, NoProcess} {
			if (st == Dead) == (ph == Running || ph == Launching) {
				continue
			}
			out = append(out, inState(st, ph))
		}
	}
	return out
}

func at(d time.Duration, w What) Event {
	src := FromHook
	if _, ok := w.(Command); ok {
		src = FromPerson
	}
	return Event{At: epoch.Add(d), Source: src, What: w}
}

// image is everything in a session, to see whether it has changed.
func image(s Session) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// checked applies one event and holds Apply to what it promises always.
func checked(t interface {
	Helper()
	Fatalf(string, ...any)
}, s Session, e Event) (Session, []Effect, error) {
	t.Helper()
	before := image(s)
	got, effects, err := Apply(s, e)
	again, effects2, err2 := Apply(s, e)
	var refused *InvalidTransitionError
	var ignored *IgnoredError
	switch {
	case image(s) != before:
		t.Fatalf("%s wrote through the session it was given:\n%s\n%s", e.Name(), before, image(s))
	case image(got) != image(again) || !reflect.DeepEqual(effects, effects2) || fmt.Sprint(err) != fmt.Sprint(err2):
		t.Fatalf("%s is not deterministic", e.Name())
	case err != nil && (image(got) != before || effects != nil):
		t.Fatalf("%s was not taken (%v) and changed something", e.Name(), err)
	case err != nil && !errors.As(err, &refused) && !errors.As(err, &ignored):
		t.Fatalf("%s: an error of no kind: %v", e.Name(), err)
	case err == nil && got.Rev != s.Rev+1:
		t.Fatalf("%s: revision %d after %d", e.Name(), got.Rev, s.Rev)
	}
	if ignored != nil {
		if _, ok := e.What.(Command); ok {
			t.Fatalf("command %s was ignored, not refused", e.Name())
		}
	}
	if refused != nil {
		if _, ok := e.What.(Command); !ok {
			t.Fatalf("observation %s was refused", e.Name())
		}
	}
	wrong := broken(s, e, got, effects)
	if wrong == "" {
		wrong = unlawful(s, e, got, effects)
	}
	if wrong != "" {
		t.Fatalf("%s in %s (%s): %s\nbefore %s\nafter  %s", e.Name(), s.State, s.Process.Phase, wrong, before, image(got))
	}
	return got, effects, err
}

// broken names the invariant of STYLE that a step violates, "" if none.
func broken(before Session, e Event, after Session, effects []Effect) string {
	for _, f := range effects {
		if wrong := badEffect(after, f); wrong != "" {
			return wrong
		}
	}
	launches := slices.ContainsFunc(effects, func(f Effect) bool { _, ok := f.(StartProcess); return ok })
	_, byPerson := e.What.(ResumeNow)
	_, retry := e.What.(Retry)
	_, loaded := e.What.(Loaded)
	inFlight := 0
	for _, p := range after.Queue {
		if p.InFlight() {
			inFlight++
		}
	}
	switch {
	case launches && before.Reason == Killed && before.State == Dead && !byPerson && !retry:
		return "the machine launched a killed session"
	case launches && !loaded && after.Process.Run != before.Process.Run+1:
		return "a launch without a new run"
	case after.Process.Run < before.Process.Run || after.Turn.Number < before.Turn.Number:
		return "a run or turn number went back"
	case inFlight > 1:
		return "two prompts in flight"
	case after.Life.Closed != nil && before.Life.Closed == nil && strings.HasPrefix(after.Life.Closed.Reason, "agent exited cleanly") && badSweep(after):
		return "swept what the rule keeps"
	case after.Resume.Attempts > max(after.Spec.Policy.MaxResumes, before.Resume.Attempts):
		return "more attempts than the budget has"
	case (after.State == NeedsAttention) != (after.Attention != nil):
		return "attention without its cause, or a cause without attention"
	case after.State == WaitingOnInput && after.Waiting == nil:
		return "waiting for nothing"
	case waitsUnwatched(after):
		return "a waiting state without a deadline"
	}
	return ""
}

// badEffect: no effect on a missing handle.
func badEffect(s Session, f Effect) string {
	running := s.Process.Phase == Running || s.Process.Phase == Launching
	switch f := f.(type) {
	case StartProcess:
		if f.Ref != s.Ref() || s.Process.Phase != Launching {
			return "a start of what is not launching"
		}
	case StopProcess:
		left := s.Process.Exit != nil && len(s.Process.Exit.LeftBehind) > 0
		if f.Ref != s.Ref() || !running && !left {
			return "a stop of what does not run"
		}
	case TypePrompt:
		if f.Ref != s.Ref() || s.Process.Phase != Running {
			return "typing without a terminal"
		}
	case TypeAnswer:
		if f.Ref != s.Ref() || !running || s.State != WaitingOnInput {
			return "an answer to nothing"
		}
	case TypeInterrupt:
		if f.Ref != s.Ref() || !running {
			return "an interrupt of nothing"
		}
	case SeekTruth:
		if f.Ref == s.Ref() && running {
			return "the truth about what runs"
		}
	case ReadExit:
		if f.Ref == s.Ref() && running {
			return "a read of the end of what runs"
		}
	case ReleaseRun:
		if f.Ref == s.Ref() && running {
			return "a release of what runs"
		}
	case Remind:
	}
	return ""
}

func badSweep(s Session) bool {
	p := s.Process
	return !p.Exit.Clean() || s.Sweep.Reads < 2 || p.EndedAt.Sub(p.AgeFrom) < 10*time.Second || s.Life.Kept || s.State == NeedsAttention || s.State == Resuming
}

// waitsUnwatched: every state that waits for something but a person has a
// deadline.
func waitsUnwatched(s Session) bool {
	if s.Process.Phase != Running && s.State != Resuming || s.Life.Closed != nil || s.Life.Intent != NoIntent {
		return false
	}
	switch s.State {
	case Starting, Busy:
		return s.Process.Phase == Running && len(Deadlines(s)) == 0
	case Resuming:
		stopping := s.Process.Phase == Running && s.Resume.FailedRun == s.Process.Run
		return s.Process.Phase != Launching && !stopping && len(Deadlines(s)) == 0
	case Ready, WaitingOnInput, Idle, Done, NeedsAttention, Dead:
	}
	return false
}

func TestTotality(t *testing.T) {
	n := 0
	for _, s := range shapes() {
		for _, w := range everything() {
			for _, d := range []time.Duration{0, 2 * time.Minute, 48 * time.Hour} {
				_, _, _ = checked(t, s, at(d, w))
				n++
			}
		}
	}
	t.Logf("%d combinations of shape, event and time", n)
}

func TestJSONKeepsEverything(t *testing.T) {
	for _, s := range shapes() {
		for _, w := range everything() {
			e := at(time.Minute, w)
			var back Session
			must(t, json.Unmarshal([]byte(image(s)), &back))
			a, _, _ := Apply(s, e)
			b, _, _ := Apply(back, e)
			if image(a) != image(b) {
				t.Fatalf("%s after a restart:\n%s\n%s", e.Name(), image(a), image(b))
			}
		}
	}
}

func TestB93UnsetTimesStartAFreshWindow(t *testing.T) {
	for _, st := range []State{Starting, Busy} {
		s := inState(st, Running)
		s.Life.ArmedAt, s.Process.AgeFrom, s.Process.StartedAt = time.Time{}, time.Time{}, time.Time{}
		s, _, err := checked(t, s, at(time.Hour, Loaded{}))
		must(t, err)
		for _, d := range Deadlines(s) {
			if d.At.Before(epoch.Add(time.Hour)) {
				t.Errorf("%s: %s is due at once", st, d.Kind)
			}
		}
	}
}
