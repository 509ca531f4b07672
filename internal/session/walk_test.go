package session

import (
	"math/rand"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// alphabet is the reduced set of events for the walk: those that lead somewhere
// else.
func alphabet() []What {
	return []What{
		Launched{Proof: ProcessID{PID: 1}}, ReadySeen{}, TurnStarted{}, QuietSeen{}, Asked{Kind: "question", Text: "?"}, BusySeen{}, DoneSeen{},
		DeadlinePassed{StallDeadline}, DeadlinePassed{RelaunchDeadline}, DeadlinePassed{SettleDeadline}, DeadlinePassed{SweepDeadline},
		DeadlinePassed{TruthDeadline}, ResumeFailed{}, ProcessEnded{Exit: &Exit{Code: num(0)}}, ProcessEnded{Exit: &Exit{Signal: num(9)}},
		ProcessEnded{}, ExitRead{Exit: &Exit{Code: num(0)}}, Send{PromptID: "p", Text: "go on"}, PromptMoved{PromptID: "p", State: PromptSubmitted},
		Stop{}, ResumeNow{}, Confirm{}, Close{}, Loaded{},
	}
}

// TestEveryShortHistory walks every history over the alphabet up to a depth.
// Histories that lead to the same session are walked on from once.
func TestEveryShortHistory(t *testing.T) {
	events := alphabet()
	seen := map[string]bool{}
	var level []Session
	for _, k := range []Kind{Interactive, Task, Job} {
		s, _, err := Apply(Session{}, Event{At: epoch, Source: FromPerson, What: Created{ID: "s", Name: "n", Spec: testSpec(k)}})
		must(t, err)
		s.Native = []NativeID{{ID: "native"}}
		level = append(level, s)
	}
	edges := 0
	for depth := 1; depth <= walkDepth; depth++ {
		var next []Session
		for _, s := range level {
			for _, w := range events {
				edges++
				got, _, err := checked(t, s, at(time.Duration(depth)*time.Minute, w))
				if err != nil {
					continue
				}
				got.Rev = 0
				if key := image(got); !seen[key] {
					seen[key] = true
					next = append(next, got)
					if wrong := unlawfulAt(got); wrong != "" {
						t.Fatalf("after %s in %s: %s\n%s", Event{What: w}.Name(), s.State, wrong, key)
					}
				}
			}
		}
		level = next
	}
	t.Logf("depth %d: %d sessions, %d steps", walkDepth, len(seen), edges)
}

// history drives a session through n steps chosen by pick, and checks each.
func history(t interface {
	Helper()
	Fatalf(string, ...any)
}, n int, pick func(n int) int) {
	s, now := Session{}, time.Duration(0)
	kinds := []Kind{Interactive, Task, Job}
	spec := testSpec(kinds[pick(3)])
	spec.Prompt, spec.Caps.Confirms, spec.Caps.NativeDone = "begin", pick(2) == 0, pick(2) == 0
	s, _, _ = checked(t, s, at(0, Created{ID: "s", Name: "n", Spec: spec, PromptID: "p", Prompt: "begin"}))
	confirmed := map[string]int{}
	for range n {
		var e Event
		e, now = nextEvent(s, now, pick)
		before := s
		s, _, _ = checked(t, s, e)
		if wrong := unlawfulAt(s); wrong != "" {
			t.Fatalf("after %s in %s (%s): %s\n%s", e.Name(), before.State, before.Process.Phase, wrong, image(s))
		}
		countConfirmed(before, s, confirmed)
		for id, n := range confirmed {
			if n > 1 {
				t.Fatalf("prompt %s confirmed %d times", id, n)
			}
		}
	}
	if s.State != Dead && s.Life.Closed == nil && !canBeLeft(s, now) {
		t.Fatalf("%s cannot be left: %s", s.State, image(s))
	}
}

// nextEvent picks what happens next, and when: any event, or what the session
// waits for, so that histories get far.
func nextEvent(s Session, now time.Duration, pick func(n int) int) (Event, time.Duration) {
	if w := awaited(s, pick); w != nil && pick(2) == 0 {
		for _, d := range Deadlines(s) {
			if w == (DeadlinePassed{d.Kind}) {
				now = max(now, d.At.Sub(epoch))
			}
		}
		e := at(now+time.Duration(pick(3))*time.Second, w)
		e.Run = s.Process.Run
		return e, e.At.Sub(epoch)
	}
	gaps := []time.Duration{0, time.Second, 15 * time.Second, time.Minute, 6 * time.Minute, 2 * time.Hour, -time.Second}
	now = max(now+gaps[pick(len(gaps))], 0)
	events := slices.Concat(everything()[1:], variants())
	w := events[pick(len(events))]
	for range 2 { // an end, or a person, is rarer than news: else most histories are short
		_, ended := w.(ProcessEnded)
		if _, command := w.(Command); command || ended {
			w = events[pick(len(events))]
		}
	}
	e := at(now, w)
	e.Source = []Source{FromPerson, FromHook, FromTitle, FromScreen, FromQuiet, FromHolder}[pick(6)]
	if pick(8) == 0 {
		e.Run = s.Process.Run - 1
	}
	switch w := e.What.(type) {
	case ClockJumped:
		now = max(now+w.By, 0)
	case Send:
		w.PromptID = "sent-" + itoa(int(s.Rev)) // ids are never used twice
		e.What = w
	}
	return e, now
}

// variants are events that matter only in the right history.
func variants() []What {
	return []What{
		ClockJumped{By: -2 * time.Hour}, Escalate{Cause: Stalled}, Escalate{Cause: RateLimited}, Escalate{Cause: StartupTimeout},
		TurnStarted{Native: "t1"}, TurnStarted{Native: "t2"}, ToolActivity{Native: "t1"}, DoneSeen{Native: "t2"},
		Asked{Kind: "trust", Text: "really?"}, NativeSeen{ID: "another"},
		ProcessEnded{Exit: &Exit{Code: num(0), Signal: num(0)}}, ExitRead{Exit: &Exit{Code: num(0), Signal: num(0)}},
	}
}

// awaited is something that the session waits for, nil when that is nothing.
func awaited(s Session, pick func(n int) int) What {
	var out []What
	if s.Process.Phase == Launching {
		out = append(out, Launched{Proof: ProcessID{PID: 1}}, NativeSeen{ID: "native"})
	}
	for _, d := range Deadlines(s) {
		out = append(out, DeadlinePassed{d.Kind})
	}
	for _, p := range s.Queue {
		if p.InFlight() {
			out = append(out, PromptMoved{PromptID: p.ID, State: PromptTyped}, PromptMoved{PromptID: p.ID, State: PromptSubmitted}, TurnStarted{})
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out[pick(len(out))]
}

func countConfirmed(before, after Session, n map[string]int) {
	was := map[string]PromptState{}
	for _, p := range before.Queue {
		was[p.ID] = p.State
	}
	for _, p := range after.Queue {
		if p.State == PromptConfirmed && was[p.ID] != PromptConfirmed && was[p.ID] != "" {
			n[p.ID]++
		}
	}
}

// canBeLeft reports whether some event leads out of the present state.
func canBeLeft(s Session, now time.Duration) bool {
	for _, w := range everything() {
		if got, _, err := Apply(s, at(now+time.Hour, w)); err == nil && (got.State != s.State || got.Process.Phase != s.Process.Phase) {
			return true
		}
	}
	return false
}

func TestRandomHistories(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		pick := func(n int) int { return rapid.IntRange(0, n-1).Draw(r, "pick") }
		history(r, rapid.IntRange(1, 200).Draw(r, "steps"), pick)
	})
}

func FuzzHistory(f *testing.F) {
	f.Add(int64(1), 50)
	f.Fuzz(func(t *testing.T, seed int64, n int) {
		r := rand.New(rand.NewSource(seed)) //nolint:gosec // a history, no secret
		history(t, min(max(n, 0), 500), r.Intn)
	})
}

func BenchmarkApply(b *testing.B) {
	s := inState(Ready, Running)
	turn := []Event{at(time.Second, TurnStarted{}), at(2*time.Second, ToolActivity{Running: true}), at(3*time.Second, Progress{}), at(4*time.Second, DoneSeen{})}
	b.ReportAllocs()
	for b.Loop() {
		x := s
		for _, e := range turn {
			x, _, _ = Apply(x, e)
		}
		if x.State != Done {
			b.Fatal(x.State)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(turn)), "ns/event")
}
