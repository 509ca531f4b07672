package session

import (
	"math/rand"
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
	events := everything()
	kinds := []Kind{Interactive, Task, Job}
	now := time.Duration(0)
	s := Session{}
	create := at(0, Created{ID: "s", Name: "n", Spec: testSpec(kinds[pick(3)]), PromptID: "p", Prompt: "begin"})
	s, _, _ = checked(t, s, create)
	confirmed := map[string]int{}
	for range n {
		gaps := []time.Duration{0, time.Second, 15 * time.Second, time.Minute, 6 * time.Minute, 2 * time.Hour, -time.Second}
		now = max(now+gaps[pick(len(gaps))], 0)
		e := at(now, events[pick(len(events))])
		e.Source = []Source{FromPerson, FromHook, FromTitle, FromScreen, FromQuiet, FromHolder}[pick(6)]
		if pick(8) == 0 {
			e.Run = s.Process.Run - 1
		}
		if _, ok := e.What.(Created); ok {
			continue
		}
		before := s
		s, _, _ = checked(t, s, e)
		countConfirmed(before, s, confirmed)
		for id, n := range confirmed {
			if n > 1 && id != "p" && id[:1] != "c" && id[:1] != "r" {
				t.Fatalf("prompt %s confirmed %d times", id, n)
			}
		}
	}
	if s.State != Dead && s.Life.Closed == nil && !canBeLeft(s, now) {
		t.Fatalf("%s cannot be left: %s", s.State, image(s))
	}
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
		history(r, rapid.IntRange(1, 60).Draw(r, "steps"), pick)
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
