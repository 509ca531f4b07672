package session

import (
	"strings"
	"testing"
	"time"
)

// Nobody saw how it ended: the truth is looked for in whatever state that met
// the session, and once.
func TestUnknownEnd(t *testing.T) {
	const lost = relaunched + `
		70s holder Gone`
	const question = running + `
		60s holder Gone dead
		62s supervisor Deadline relaunch
		63s holder Launched
		64s hook Asked trust?
		70s holder Gone`
	const attention = running + `
		60s hook Escalate rateLimited
		70s holder Gone`
	runTales(t, []tale{
		{"while resuming it is looked into", lost, "resuming lost/2 do ReleaseRun do SeekTruth until exitTruth"},
		{"while resuming nothing relaunches meanwhile", lost + `
			72s supervisor Deadline relaunch`, "recorded: resuming lost/2 until exitTruth"},
		{"while resuming the truth is a failed attempt", lost + `
			75s holder Exited code 1`, "resuming exited/2 attempts=1 do ReleaseRun until relaunch"},
		{"while resuming no truth is a person's", lost + `
			101s supervisor Deadline exitTruth`, "needsAttention exitUnknown lost/2"},
		{"a daemon that starts looks on", lost + `
			80s supervisor Loaded`, "resuming lost/2 do SeekTruth until exitTruth"},
		{"late truth does not make an early end late", launched + `
			3s hook ReadySeen
			5s holder Gone
			20s holder Exited code 1`, "needsAttention startupFailed exited/1 do ReleaseRun"},
		{"nor old enough to be swept", launched + `
			4s hook Done
			5s holder Gone
			20s holder Exited code 0`, "done exited/1 do ReleaseRun"},
		{"in attention it is looked into", attention, "needsAttention rateLimited lost/1 do ReleaseRun do SeekTruth until exitTruth"},
		{"in attention no truth is the new cause", attention + `
			101s supervisor Deadline exitTruth`, "needsAttention exitUnknown lost/1"},
		{"after an engineDeath it is looked into again", question, "waitingOnInput lost/2 do ReleaseRun do SeekTruth until exitTruth"},
	})
}

// What is done stays done when the process is gone. Only status 0 completes a
// job, and a done of an earlier run says nothing about this one.
func TestDoneAndTheEnd(t *testing.T) {
	const job = `
		0s person Created job
		1s holder Launched`
	runTales(t, []tale{
		{"found dead after done", finished + `
			70s supervisor Gone dead`, "done lost/1 do ReleaseRun"},
		{"gone after done, and no truth", finished + `
			70s holder Gone
			101s supervisor Deadline exitTruth`, "done lost/1"},
		{"a job that said done and failed", job + `
			50s hook Done
			60s holder Exited code 1`, "needsAttention crashed exited/1 do ReleaseRun"},
		{"a job that said done and is gone", job + `
			50s hook Done
			60s holder Gone
			91s supervisor Deadline exitTruth`, "needsAttention exitUnknown lost/1"},
		{"a relaunch begins with no turn done", finished + `
			70s holder Exited code 0
			80s person ResumeNow
			81s holder Launched
			100s holder Exited code 1`, "resuming exited/2 attempts=1 do ReleaseRun until relaunch"},
	})
}

// A question at the start is about the start: it is not readiness.
func TestAQuestionIsNotReadiness(t *testing.T) {
	runTales(t, []tale{
		{"ended after a question at its start", launched + `
			4s hook Asked trust?
			60s holder Exited code 1`, "needsAttention startupFailed exited/1 do ReleaseRun"},
		{"ended after the answer was taken", launched + `
			4s hook Asked trust?
			20s hook ReadySeen
			30s hook Turn
			60s holder Exited code 1`, "resuming exited/1 do ReleaseRun until relaunch"},
	})
}

// What a full disk had no room for is counted, while the agent lives and at its end.
func TestLostOutputIsCounted(t *testing.T) {
	s := inState(Busy, Running)
	for _, w := range []What{OutputLost{From: 100, To: 130}, OutputLost{From: 200, To: 201}, ProcessEnded{Exit: &Exit{Code: num(0), Unwritten: 12}}} {
		var err error
		if s, _, err = Apply(s, at(time.Minute, w)); err != nil {
			t.Fatal(err)
		}
	}
	if s.Process.OutputLost != 43 {
		t.Errorf("%d bytes are lost", s.Process.OutputLost)
	}
	if text := DescribeExit(s.Process.Exit); !strings.Contains(text, "its last 12 bytes") {
		t.Errorf("%q", text)
	}
}
