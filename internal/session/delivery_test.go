package session

import "testing"

// A retry types the task's prompt again, before everything else, and once.
func TestRetryTypesThePromptAgain(t *testing.T) {
	const again = `
		60s person Stop
		61s holder Exited signal 15
		70s person Retry`
	runTales(t, []tale{
		{"after it was confirmed", task + again, "starting launching/2 retry-2=queued first=confirmed do StartProcess"},
		{"before what was queued", task + `
			20s person Send more and this` + again, "starting launching/2 retry-2=queued first=confirmed more=queued do StartProcess"},
		{"not twice when it was never typed", `
			0s person Created task fix it
			1s holder Launched` + again, "starting launching/2 first=queued do StartProcess"},
		{"while it runs", task + `
			60s person Retry
			61s holder Exited signal 15`, "starting launching/2 retry-2=queued first=confirmed do ReleaseRun do StartProcess"},
	})
}

// What was queued is not typed on top of text that was not delivered, nor to an
// agent that stands still, before a person sends a prompt.
func TestQueuedWaitsForAPerson(t *testing.T) {
	const undelivered = running + `
		10s person Send one first words
		11s person Send two more words
		12s supervisor Typed one
		13s supervisor Submitted one
		29s supervisor Deadline promptAccepted`
	const stalled = working + `
		40s person Send two more words
		400s supervisor Deadline stall`
	runTales(t, []tale{
		{"after a prompt that was lost", undelivered, "needsAttention promptUndelivered running/1 one=failed two=queued"},
		{"a person's prompt sends the oldest", undelivered + `
			40s person Send three now`, "needsAttention promptUndelivered running/1 one=failed two=typing three=queued do TypePrompt:two"},
		{"dismissing sends nothing", undelivered + `
			40s person Dismiss`, "needsAttention promptUndelivered running/1 one=failed two=queued"},
		{"after it stalled", stalled, "needsAttention stalled running/1 two=queued"},
		{"a person's prompt helps on", stalled + `
			410s person Send three now`, "needsAttention stalled running/1 two=typing three=queued do TypePrompt:two"},
	})
}

// Only the agent's receipt confirms a prompt, and a step is never taken back.
func TestReceipts(t *testing.T) {
	const typed = finished + `
		60s person Send one go on
		61s supervisor Typed one`
	runTales(t, []tale{
		{"a late done does not confirm what is only typed", running + `
			60s person Send one go on
			61s supervisor Typed one
			62s hook Done`, "done running/1 one=typed"},
		{"a turn does", typed + `
			62s hook Turn`, "busy running/1 one=confirmed until stall"},
		{"a done confirms what was submitted", typed + `
			62s supervisor Submitted one
			63s hook BusySeen
			64s hook Done`, "done running/1 one=confirmed"},
		{"a question is not taken away by a receipt that is due", typed + `
			62s supervisor Submitted one
			63s hook Asked may I?
			78s supervisor Deadline promptAccepted`, "recorded: waitingOnInput running/1 one=submitted until reminder"},
		{"the receipt is due once the question is gone", typed + `
			62s supervisor Submitted one
			63s hook Asked may I?
			78s title Interrupted
			79s supervisor Deadline promptAccepted`, "needsAttention promptUndelivered running/1 one=failed"},
		{"typed does not come after submitted", typed + `
			62s supervisor Submitted one
			63s supervisor Typed one`, "recorded: done running/1 one=submitted until promptAccepted"},
		{"typed does not come twice", typed + `
			63s supervisor Typed one`, "recorded: done running/1 one=typed"},
	})
}

// News of another turn does not rename the open one.
func TestTurnsAndTheirTools(t *testing.T) {
	const asked = running + `
		10s hook Turn t2
		12s hook Asked may I?`
	runTales(t, []tale{
		{"a late tool does not rename the turn", asked + `
			13s hook Tool t1`, "recorded: waitingOnInput running/1 turn=t2 until reminder"},
		{"a tool of the turn leads on", asked + `
			13s hook Tool t2`, "busy running/1 turn=t2 until stall"},
		{"a late tool does not count while busy", running + `
			10s hook Turn t2
			13s hook Tool t1`, "recorded: busy running/1 turn=t2 until stall"},
		{"the background count is kept", finished + `
			60s hook Turn
			61s hook Interrupted
			62s hook Background 2`, "busy running/1 background=2 until stall"},
		{"an interrupted turn has no background", working + `
			40s hook Background 2
			50s hook Interrupted`, "ready running/1"},
	})
}
