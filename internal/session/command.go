package session

// The commands: what a person, or the agent itself, asks for. Apply may refuse
// one with an InvalidTransitionError; then nothing has changed.
type (
	// Send queues a prompt.
	Send struct {
		PromptID  string `json:"promptId"`
		Text      string `json:"text"`
		Sanitised bool   `json:"sanitised,omitempty"` // control bytes were removed
	}
	// Answer replies to the question the agent asks, as typed text or a key.
	Answer struct {
		AnswerID string `json:"answerId,omitempty"` // "" = nobody waits for what comes of it
		Text     string `json:"text,omitempty"`
		Key      string `json:"key,omitempty"` // such as enter, esc, up, ctrl-c
	}
	// Interrupt ends the present turn and keeps the agent.
	Interrupt struct{}
	// Stop ends the process. A stopped session stays ended until a person
	// resumes or retries it.
	Stop struct{}
	// ResumeNow relaunches an ended session's conversation, outside the budget.
	ResumeNow struct{}
	// Retry relaunches an ended session with a fresh conversation.
	Retry struct{}
	// Confirm is a person's word that the turn is done.
	Confirm struct {
		Summary string `json:"summary,omitempty"`
	}
	// Dismiss acknowledges attention; the session keeps its state.
	Dismiss struct{}
	// Keep sets or lifts the wish never to be swept.
	Keep struct {
		On bool `json:"on"`
	}
	// Close archives an ended session; a running one is stopped first.
	Close struct {
		Reason string `json:"reason,omitempty"` // "" = closed by a person
	}
	// Reopen brings an archived session back to the list, still ended.
	Reopen struct{}
	// Rename changes the display name.
	Rename struct {
		Name string `json:"name"`
	}
	// AgentDone is the agent's own word that its turn is complete, by `tend done`.
	AgentDone struct {
		Summary string `json:"summary,omitempty"`
	}
)
