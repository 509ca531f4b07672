package session

import (
	"fmt"
	"testing"
	"time"
)

// A clock that goes back does not make an exit old enough to be swept.
func TestEarlyExitStaysEarly(t *testing.T) {
	const early = launched + `
		4s hook Done
		5s holder Exited code 0`
	const kept = "done exited/1"
	runTales(t, []tale{
		{"it is early", early, kept + " do ReleaseRun"},
		{"after a jump", early + `
			6s supervisor Jump -1h`, kept},
		{"after a jump, read again", early + `
			6s supervisor Jump -1h
			10s holder Read
			20s holder Read`, kept},
		{"after a restart", early + `
			-1h supervisor Loaded`, kept + " do ReleaseRun"},
	})
}

// windowed are tales that end in the instant in which a deadline's window opens.
func windowed() map[DeadlineKind]string {
	return map[DeadlineKind]string{
		StartupDeadline: `
			0s person Created task
			1s holder Launched`,
		StallDeadline: working,
		PromptDeadline: running + `
			10s person Send one go on
			11s supervisor Typed one
			12s supervisor Submitted one`,
		RelaunchDeadline: backingOff,
		ProofDeadline:    relaunched,
		SettleDeadline: relaunched + `
			64s hook ReadySeen`,
		ReminderDeadline: working + `
			40s hook Asked what?`,
		TruthDeadline: working + `
			40s holder Gone`,
		HealthyDeadline: relaunched + `
			64s supervisor ResumeFailed
			65s holder Exited signal 15
			68s supervisor Deadline relaunch
			69s holder Launched
			70s hook Turn`,
		SweepDeadline: finished + `
			70s holder Exited code 0`,
	}
}

func due(t *testing.T, s Session, k DeadlineKind) time.Time {
	t.Helper()
	for _, d := range Deadlines(s) {
		if d.Kind == k {
			return d.At
		}
	}
	t.Fatalf("%s is not waited for: %s", k, image(s))
	return time.Time{}
}

// A daemon that starts on an earlier clock, or after one has stepped, waits as
// long as it would have.
func TestClockNeverLengthensAWindow(t *testing.T) {
	for k, script := range windowed() {
		s, _, err := follow(t, script)
		must(t, err)
		opened := s.Life.UpdatedAt
		window := due(t, s, k).Sub(opened)
		back := opened.Add(-2 * time.Hour)
		loaded, _, err := checked(t, s, Event{At: back, Source: FromSupervisor, What: Loaded{}})
		must(t, err)
		if wait := due(t, loaded, k).Sub(back); wait > window || wait <= 0 {
			t.Errorf("%s: after a restart two hours earlier it waits %s, not %s", k, wait, window)
		}
		for _, by := range []time.Duration{-2 * time.Hour, 3 * time.Hour} {
			jumped, _, err := checked(t, s, Event{At: opened.Add(by), Source: FromSupervisor, What: ClockJumped{By: by}})
			must(t, err)
			if wait := due(t, jumped, k).Sub(opened.Add(by)); wait != window {
				t.Errorf("%s: after a jump by %s it waits %s, not %s", k, by, wait, window)
			}
		}
	}
}

// Crashes are counted on a clock without jumps.
func TestJumpDoesNotForgetCrashes(t *testing.T) {
	script := working
	at := 60
	for run := 2; run <= 4; run++ {
		script += fmt.Sprintf("\n%ds holder Exited signal 9\n%ds supervisor Deadline relaunch\n%ds holder Launched\n%ds hook Turn\n%ds hook Done",
			at, at+3, at+4, at+5, at+20)
		script += fmt.Sprintf("\n%ds hook Turn", at+21)
		at += 30
	}
	const loop = "needsAttention crashLoop exited/4 do ReleaseRun"
	runTales(t, []tale{
		{"four crashes in two minutes", script + fmt.Sprintf("\n%ds holder Exited signal 9", at), loop},
		{"with a jump between them", script + fmt.Sprintf("\n%ds supervisor Jump 2h\n2h%ds holder Exited signal 9", at, at), loop},
	})
}

func TestBackoffStaysUnderItsLimit(t *testing.T) {
	most, least := time.Duration(0), time.Hour
	for run := range 500 {
		s := Session{ID: "s", Spec: testSpec(Task), Process: Process{Run: run}, Resume: Resume{Attempts: 9}}
		most, least = max(most, Backoff(s)), min(least, Backoff(s))
	}
	if p := DefaultPolicy(); most > p.BackoffMax || least < p.BackoffMax*4/5-time.Millisecond {
		t.Errorf("a ninth backoff waits between %s and %s", least, most)
	}
}

// Nothing is closed within two seconds of first sight, whoever reads.
func TestSweepSettles(t *testing.T) {
	const ended = finished + `
		70s holder Exited code 0`
	runTales(t, []tale{
		{"read at once", ended + `
			71s holder Read`, "done exited/1 until sweep"},
		{"read often at once", ended + `
			70.1s holder Read
			70.2s holder Read
			71.9s holder Read`, "done exited/1 until sweep"},
		{"read in time", ended + `
			71s holder Read
			72s holder Read`, "done exited/1 archived"},
		{"asking again does not begin anew", ended + `
			72s supervisor Deadline sweep
			72.1s holder Read`, "done exited/1 archived"},
	})
}
