package session

import (
	"strings"
	"testing"
)

// A failed attempt to resume is over: it is stopped, and nothing that its agent
// still says or does counts.
func TestFailedAttemptIsOver(t *testing.T) {
	const failed = relaunched + `
		65s supervisor ResumeFailed`
	for _, sign := range []string{"Turn", "BusySeen", "Tool", "Asked trust?", "Done", "ResumeProven", "ReadySeen"} {
		want := "recorded: resuming running/2 attempts=1"
		if got := tell(t, failed+"\n65.5s hook "+sign); got != want {
			t.Errorf("%s: %s, want %s", sign, got, want)
		}
	}
	const missing = relaunched + `
		65s supervisor ResumeFailed nativeSessionMissing`
	const still = "needsAttention nativeSessionMissing "
	runTales(t, []tale{
		{"it is stopped", failed, "resuming running/2 attempts=1 do StopProcess"},
		{"it is stopped when it was launched late", relaunching + `
			63s supervisor ResumeFailed
			64s holder Launched`, "resuming running/2 attempts=1 do StopProcess"},
		{"it is stopped when the daemon died meanwhile", failed + `
			67s supervisor Loaded`, "resuming running/2 attempts=1 do StopProcess"},
		{"its end leads on", failed + `
			68s holder Exited signal 15`, "resuming exited/2 attempts=1 do ReleaseRun until relaunch"},
		{"it never had a process", relaunching + `
			63s supervisor ResumeFailed
			64s holder LaunchFailed`, "resuming none/2 attempts=1 until relaunch"},
		{"the cause is told", missing, still + "running/2 do StopProcess"},
		{"late signs do not hide the cause", missing + `
			66s hook BusySeen`, "recorded: " + still + "running/2"},
		{"its end does not hide the cause", missing + `
			66s holder Exited code 1`, still + "exited/2 do ReleaseRun"},
		{"its end starts no other resume", missing + `
			66s supervisor Gone dead`, still + "lost/2 do ReleaseRun"},
	})
}

// A resume that passes a question or attention stays to be proven: by a sign of
// the agent's own, while its end is a failed attempt.
func TestUnprovenResume(t *testing.T) {
	const second = relaunched + `
		64s supervisor ResumeFailed
		65s holder Exited signal 15
		68s supervisor Deadline relaunch
		69s holder Launched`
	const failed = "needsAttention resumeExhausted exited/3 attempts=2 do ReleaseRun"
	for _, through := range []string{"\n70s hook Asked trust?", "\n70s hook Escalate rateLimited"} {
		name := strings.Fields(through)[2] + ": "
		runTales(t, []tale{
			{name + "its end is a failed attempt", second + through + `
				90s holder Exited code 1`, failed},
			{name + "a sign proves it", second + through + `
				80s hook Turn`, "busy running/3 attempts=1 until stall until healthy"},
			{name + "a screen leads on and proves nothing", second + through + `
				80s screen BusySeen
				90s holder Exited code 1`, failed},
			{name + "what the resume says proves it", second + through + `
				80s hook BusySeen
				90s hook Done`, "done running/3"},
		})
	}
	runTales(t, []tale{
		{"a task goes on once its dialog is closed", taskRelaunched + `
			64s hook Asked trust?
			70s hook Interrupted`, "ready running/2 continue-2=typing first=confirmed do TypePrompt:continue-2"},
	})
}

// Readiness after the proof was due leads back to resuming, and out of attention.
func TestLateReadinessOfAResume(t *testing.T) {
	const late = relaunched + `
		124s supervisor Deadline resumeProof`
	runTales(t, []tale{
		{"not proven in time", late, "needsAttention startupTimeout running/2"},
		{"ready late", late + `
			130s hook ReadySeen`, "resuming running/2 until resumeSettle"},
		{"ready late, and it lasts", late + `
			130s hook ReadySeen
			141s supervisor Deadline resumeSettle`, "ready running/2"},
		{"proven late", late + `
			130s hook ResumeProven`, "ready running/2"},
		{"proven late, a task goes on", taskRelaunched + `
			124s supervisor Deadline resumeProof
			130s hook ResumeProven`, "ready running/2 continue-2=typing first=confirmed do TypePrompt:continue-2"},
		{"proven after it stood still", relaunched + `
			70s hook Escalate stalled
			80s hook ResumeProven`, "ready running/2"},
		{"proof settles no other cause", relaunched + `
			70s hook Escalate rateLimited
			80s hook ResumeProven`, "needsAttention rateLimited running/2"},
		{"ready twice", relaunched + `
			100s hook ReadySeen
			105s supervisor Escalate startupTimeout
			130s hook ReadySeen
			135s supervisor Deadline resumeSettle`, "recorded: resuming running/2 until resumeSettle"},
	})
}

// Progress leads back to the state that was interrupted.
func TestProgressLeadsBack(t *testing.T) {
	const moves = `
		70s hook Escalate stalled
		80s transcript Progress`
	runTales(t, []tale{
		{"to starting", launched + moves, "starting running/1 until startup"},
		{"to resuming", relaunched + moves, "resuming running/2 until resumeProof"},
		{"to ready", running + moves, "ready running/1"},
		{"to done", finished + moves, "done running/1"},
		{"from a question to busy", working + "\n60s hook Asked what?" + moves, "busy running/1 until stall"},
	})
}
