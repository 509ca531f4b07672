package session

import "testing"

// What a person asks for is refused when it cannot be done, and what is done
// stays done.
func TestCommandsAndTheirRun(t *testing.T) {
	const asked = working + `
		40s hook Asked may I?`
	const gone = finished + `
		70s holder Gone`
	runTales(t, []tale{
		{"an answer", asked + `
			50s person Answer`, "waitingOnInput running/1 do TypeAnswer until reminder"},
		{"an answer to what has ended", asked + `
			45s holder Gone
			50s person Answer`, "refused: waitingOnInput lost/1 until exitTruth"},
		{"an answer to a job", `
			0s person Created job
			1s holder Launched
			40s hook Asked may I?
			50s person Answer`, "refused: waitingOnInput running/1 until reminder"},
		{"a stop of an earlier run", relaunched + `
			70s person Stop run=1`, "refused: resuming running/2 until resumeProof"},
		{"a stop of a run to come", working + `
			70s person Stop run=2`, "refused: busy running/1 until stall"},
		{"a stop of the present run", relaunched + `
			70s person Stop run=2`, "resuming running/2 intent=stop do StopProcess until resumeProof"},
		{"a stop of what is done and gone", gone + `
			80s person Stop`, "done lost/1 until exitTruth"},
		{"a close of what is done and gone", gone + `
			80s person Close`, "done lost/1 archived"},
		{"a stop of what is gone and was not done", working + `
			70s holder Gone
			80s person Stop`, "dead lost/1"},
	})
}

// A wish to start afresh outlives a launch that came to nothing.
func TestRetryWhileLaunching(t *testing.T) {
	runTales(t, []tale{
		{"the resume never had a process", relaunching + `
			62.5s person Retry
			63s holder LaunchFailed`, "starting launching/3 do StartProcess"},
		{"nor did the failed attempt", relaunching + `
			62.5s supervisor ResumeFailed
			62.6s person Retry
			63s holder LaunchFailed`, "starting launching/3 do StartProcess"},
		{"nor did the fresh start", working + `
			60s person Stop
			61s holder Exited signal 15
			70s person Retry
			71s person Retry
			72s holder LaunchFailed`, "starting launching/3 do StartProcess"},
		{"which is tried once", relaunching + `
			62.5s person Retry
			63s holder LaunchFailed
			64s holder LaunchFailed`, "needsAttention startupFailed none/3"},
		{"nor did the session ever", `
			0s person Created interactive
			1s person Retry
			2s holder LaunchFailed`, "dead none/1 archived"},
	})
}
