package session

import (
	"fmt"
	"strings"
	"time"
)

// Event is one thing that happened, or that somebody asks for. It carries its
// time, because the machine has no clock, and the run and turn it is about, so
// that late news cannot touch what came after.
type Event struct {
	At     time.Time
	Run    int // 0 = not about a run
	Turn   int // 0 = not about a turn
	Source Source
	// Offset is how far the run's output had been read when this was seen, 0 =
	// not from output. What was read is not taken as news again after a restart.
	Offset int64
	// HookOffset is the offset after the hook that this was told by, 0 = by no
	// hook. Taken or ignored, that hook is not read again.
	HookOffset int64
	Why        string // the evidence in one sentence for people, "" = the event's usual one
	What       What
}

// Name is the event's name in the journal, such as TurnStarted.
func (e Event) Name() string { return strings.TrimPrefix(fmt.Sprintf("%T", e.What), "session.") }

// What is the content of an event. The set is sealed: observations, which are
// never refused, and commands, which may be.
type What interface{ what() }

// Command is what a person, or the agent itself, asks for.
type Command interface {
	What
	command()
}

// Observations.
type (
	// Created begins a session's life; its process is to be launched.
	Created struct {
		ID   ID     `json:"id"`
		Node string `json:"node"`
		Name string `json:"name"`
		Spec Spec   `json:"spec"`
		Kept bool   `json:"kept,omitempty"`
		// PromptID and Prompt, when not empty, are the first prompt.
		PromptID  string `json:"promptId,omitempty"`
		Prompt    string `json:"prompt,omitempty"`
		Sanitised bool   `json:"sanitised,omitempty"`
		// Native is the conversation's name, where it is known before the start.
		Native string `json:"native,omitempty"`
		// Run, when not 0, is the run that was found: the session itself was lost.
		Run int `json:"run,omitempty"`
	}
	// Launched: the host started the run's process.
	Launched struct {
		Proof     ProcessID `json:"proof"`
		StartedAt time.Time `json:"startedAt"`
	}
	// LaunchFailed: no process came of it, and none will.
	LaunchFailed struct {
		Kind   string `json:"kind"`
		Detail string `json:"detail"`
	}
	// ReadySeen: the agent takes a prompt.
	ReadySeen struct{}
	// TurnStarted: the agent has taken a prompt.
	TurnStarted struct {
		Native string `json:"native,omitempty"` // the agent's own name of the turn
	}
	// Progress: the agent got somewhere (output, transcript growth). Repainting
	// a spinner is not progress.
	Progress struct{}
	// ToolActivity: the agent started or finished a tool.
	ToolActivity struct {
		Running bool   `json:"running"`
		Native  string `json:"native,omitempty"`
	}
	// QuietSeen: the screen has looked finished for a while.
	QuietSeen struct {
		// MissedNative: a rule says that the agent's own signal was missed.
		MissedNative bool `json:"missedNative,omitempty"`
	}
	// Asked: the agent asks for permission, an answer, trust or a login.
	Asked struct {
		Kind       string `json:"kind"`
		Text       string `json:"text,omitempty"`
		IdleNotice bool   `json:"idleNotice,omitempty"` // only the notice that it has been idle
	}
	// BusySeen: the agent is seen working.
	BusySeen struct{}
	// DoneSeen: the agent says that the turn is complete.
	DoneSeen struct {
		Native     string `json:"native,omitempty"`
		Background int    `json:"background,omitempty"` // tasks it left running
		Summary    string `json:"summary,omitempty"`
	}
	// Interrupted: an interrupt was seen to take effect.
	Interrupted struct{}
	// DeadlinePassed: a deadline of Deadlines is due.
	DeadlinePassed struct {
		Kind DeadlineKind `json:"kind"`
	}
	// ResumeProven: the relaunched agent continues the old conversation.
	ResumeProven struct {
		Continuing bool `json:"continuing,omitempty"` // it works on already
	}
	// ResumeFailed: an attempt to resume came to nothing.
	ResumeFailed struct {
		Cause  Cause  `json:"cause,omitempty"`
		Detail string `json:"detail,omitempty"`
	}
	// Escalate: a person is needed.
	Escalate struct {
		Cause  Cause  `json:"cause"`
		Detail string `json:"detail,omitempty"`
	}
	// ProcessEnded: the agent's process is gone.
	ProcessEnded struct {
		Exit *Exit `json:"exit,omitempty"` // nil or Unknown: the host could not say
		// FoundDead: proven gone after a restart, and no exit record was left.
		FoundDead bool `json:"foundDead,omitempty"`
		// RecentOutput is what was printed since the turn began, at most 20
		// lines of plain text, passed only if the exit was not clean and no
		// done was seen.
		RecentOutput string `json:"recentOutput,omitempty"`
		DirMissing   bool   `json:"dirMissing,omitempty"` // the start directory is gone
	}
	// ExitRead: an authoritative read of an ended process, for the sweep.
	ExitRead struct {
		Exit    *Exit `json:"exit,omitempty"`
		Failed  bool  `json:"failed,omitempty"` // failed, empty or late: proves nothing
		Viewers int   `json:"viewers,omitempty"`
	}
	// NativeSeen: the agent named its conversation.
	NativeSeen struct {
		ID string `json:"id"`
	}
	// ForeignSeen: evidence that is about somebody else's agent.
	ForeignSeen struct {
		ID     string `json:"id"`
		Detail string `json:"detail,omitempty"`
	}
	// PromptMoved: a prompt in flight has come one step further, or failed.
	PromptMoved struct {
		PromptID string      `json:"promptId"`
		State    PromptState `json:"state"`
		Detail   string      `json:"detail,omitempty"`
	}
	// StopFinished: the stop policy has run its course.
	StopFinished struct {
		LeftBehind []int `json:"leftBehind,omitempty"` // pids that survived it
	}
	// HooksSilent: the agent's hooks were not heard in time, or are heard again.
	HooksSilent struct {
		Silent bool `json:"silent"`
	}
	// OutputLost: output was never written, because the disk was full.
	OutputLost struct {
		From int64 `json:"from"`
		To   int64 `json:"to"`
	}
	// SuspendSeen: the process was stopped (state T) or continued.
	SuspendSeen struct {
		Stopped bool `json:"stopped"`
	}
	// InputFailed: what a person asked to type did not reach the terminal.
	InputFailed struct {
		Detail string `json:"detail"`
	}
	// ClockJumped: the wall clock moved By more than time has passed, by a step
	// or a suspend. Every open window is moved along.
	ClockJumped struct {
		By time.Duration `json:"by"`
	}
	// Loaded: a daemon has started and read the session back.
	Loaded struct{}
)

func (Created) what()        {}
func (Launched) what()       {}
func (LaunchFailed) what()   {}
func (ReadySeen) what()      {}
func (TurnStarted) what()    {}
func (Progress) what()       {}
func (ToolActivity) what()   {}
func (QuietSeen) what()      {}
func (Asked) what()          {}
func (BusySeen) what()       {}
func (DoneSeen) what()       {}
func (Interrupted) what()    {}
func (DeadlinePassed) what() {}
func (ResumeProven) what()   {}
func (ResumeFailed) what()   {}
func (Escalate) what()       {}
func (ProcessEnded) what()   {}
func (ExitRead) what()       {}
func (NativeSeen) what()     {}
func (ForeignSeen) what()    {}
func (PromptMoved) what()    {}
func (StopFinished) what()   {}
func (OutputLost) what()     {}
func (SuspendSeen) what()    {}
func (HooksSilent) what()    {}
func (InputFailed) what()    {}
func (ClockJumped) what()    {}
func (Loaded) what()         {}

func (Send) what()      {}
func (Answer) what()    {}
func (Interrupt) what() {}
func (Stop) what()      {}
func (ResumeNow) what() {}
func (Retry) what()     {}
func (Confirm) what()   {}
func (Dismiss) what()   {}
func (Keep) what()      {}
func (Close) what()     {}
func (Reopen) what()    {}
func (Rename) what()    {}
func (AgentDone) what() {}

func (Send) command()      {}
func (Answer) command()    {}
func (Interrupt) command() {}
func (Stop) command()      {}
func (ResumeNow) command() {}
func (Retry) command()     {}
func (Confirm) command()   {}
func (Dismiss) command()   {}
func (Keep) command()      {}
func (Close) command()     {}
func (Reopen) command()    {}
func (Rename) command()    {}
func (AgentDone) command() {}
