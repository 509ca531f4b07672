package session

import (
	"fmt"
	"strings"
)

// Effect is something to be done in the world because of a change, after the
// change is durable. Effects are small data and safe to repeat; Pending derives
// them again from a session when a daemon died between the two.
type Effect interface{ effect() }

// The effects.
type (
	// StartProcess launches the present run. NativeID, when not empty, is the
	// conversation that it resumes.
	StartProcess struct {
		Ref      RunRef `json:"ref"`
		NativeID string `json:"nativeId,omitempty"`
	}
	// StopProcess ends the run's whole process tree by the stop policy.
	StopProcess struct {
		Ref RunRef `json:"ref"`
	}
	// TypePrompt delivers a prompt: text, echo, submit key, receipt.
	TypePrompt struct {
		Ref      RunRef `json:"ref"`
		PromptID string `json:"promptId"`
	}
	// TypeAnswer replies to the question.
	TypeAnswer struct {
		Ref      RunRef `json:"ref"`
		AnswerID string `json:"answerId,omitempty"`
		Text     string `json:"text,omitempty"`
		Key      string `json:"key,omitempty"`
	}
	// TypeInterrupt sends the agent's interrupt key.
	TypeInterrupt struct {
		Ref RunRef `json:"ref"`
	}
	// SeekTruth looks again for the exit of a run that ended unseen.
	SeekTruth struct {
		Ref RunRef `json:"ref"`
	}
	// ReadExit reads the ended run once more, for the sweep.
	ReadExit struct {
		Ref RunRef `json:"ref"`
	}
	// ReleaseRun tells the host that the run's end is on record.
	ReleaseRun struct {
		Ref RunRef `json:"ref"`
	}
	// Remind tells a person again that the agent waits.
	Remind struct {
		Count int `json:"count"`
	}
)

func (StartProcess) effect()  {}
func (StopProcess) effect()   {}
func (TypePrompt) effect()    {}
func (TypeAnswer) effect()    {}
func (TypeInterrupt) effect() {}
func (SeekTruth) effect()     {}
func (ReadExit) effect()      {}
func (ReleaseRun) effect()    {}
func (Remind) effect()        {}

// EffectName is the effect's name in the journal, such as StartProcess.
func EffectName(e Effect) string { return strings.TrimPrefix(fmt.Sprintf("%T", e), "session.") }

// Pending is what a session still wants done: a daemon that has just started
// performs it, whether or not an earlier one began.
func Pending(s Session) []Effect {
	var out []Effect
	switch {
	case s.Process.Phase == Launching:
		out = append(out, startEffect(s))
	case s.Process.Phase == Running && toBeStopped(s):
		out = append(out, StopProcess{Ref: s.Ref()})
	case s.Process.Phase == Exited:
		out = append(out, ReleaseRun{Ref: s.Ref()})
	}
	if seeksTruth(s) {
		out = append(out, SeekTruth{Ref: s.Ref()})
	}
	return append(out, nextPrompt(s)...)
}

func startEffect(s Session) Effect {
	e := StartProcess{Ref: s.Ref()}
	if s.State == Resuming {
		e.NativeID = s.NativeID()
	}
	return e
}
