package session

import "fmt"

// Group is where a surface shows a session.
type Group string

// The groups, in the order in which they are shown.
const (
	NeedsYou   Group = "needsYou"
	Working    Group = "working"
	AtRest     Group = "ready"
	EndedGroup Group = "ended"
)

// View is a session in words. Every surface prints it; none derives a status.
type View struct {
	Label string
	Group Group
	Why   string
}

// ViewOf maps the fine state to what people see. It is the only such table.
func ViewOf(s Session) View {
	v := View{Why: s.Why}
	v.Label, v.Group = labelOf(s)
	switch {
	case s.Life.Closed != nil:
		v.Label, v.Group, v.Why = "archived", EndedGroup, s.Life.Closed.Reason
	case s.Life.Intent != NoIntent && !s.Ended():
		v.Label, v.Group = "stopping", Working
	case seeksTruth(s) && s.State != NeedsAttention:
		v.Label, v.Group = "gone, cause not known yet", Working
	case s.Process.Stopped && !s.Ended() && s.State != NeedsAttention:
		v.Label, v.Group, v.Why = "suspended", NeedsYou, "the process is stopped (state T); it continues on SIGCONT"
	case s.Attention != nil && s.Attention.Acknowledged && s.Ended():
		v.Label, v.Group = v.Label+" (seen)", EndedGroup
	case s.Attention != nil && s.Attention.Acknowledged:
		v.Label, v.Group = v.Label+" (seen)", AtRest
	case s.State == WaitingOnInput && s.Waiting != nil && s.Waiting.Text != "":
		v.Why = s.Waiting.Text
	}
	if n := queuedCount(s); n > 0 && s.Life.Closed == nil {
		v.Why += fmt.Sprintf(" (%d queued)", n)
	}
	return v
}

func labelOf(s Session) (string, Group) {
	switch s.State {
	case Starting:
		return "starting", Working
	case Ready:
		return "ready", AtRest
	case Busy:
		return "working", Working
	case WaitingOnInput:
		if s.Waiting != nil && s.Waiting.Kind != "" {
			return "asks: " + s.Waiting.Kind, NeedsYou
		}
		return "asks you", NeedsYou
	case Idle:
		return "looks finished", AtRest
	case Done:
		if s.Ended() {
			return "done, ended", EndedGroup
		}
		return "done", AtRest
	case Resuming:
		return "resuming", Working
	case NeedsAttention:
		if s.Attention != nil {
			return "needs you: " + causeWords[s.Attention.Cause], NeedsYou
		}
		return "needs you", NeedsYou
	case Dead:
		if s.Reason == Killed {
			return "stopped", EndedGroup
		}
		return "ended", EndedGroup
	}
	return "unknown", NeedsYou
}

var causeWords = map[Cause]string{
	Stalled:              "no progress",
	StartupTimeout:       "not ready in time",
	StartupFailed:        "start failed",
	UserExitedTurn:       "ended mid-task",
	AuthFailedCause:      "login refused",
	RateLimited:          "rate limited",
	TurnFailed:           "turn failed",
	CrashedCause:         "failed",
	ExitUnknown:          "exit unknown",
	ResumeExhausted:      "could not be resumed",
	CrashLoop:            "keeps crashing",
	ResumeUnsupported:    "crashed, cannot resume",
	NativeSessionMissing: "crashed, no conversation to resume",
	WorktreeMissing:      "directory gone",
	PromptUndelivered:    "prompt not taken",
	HostLost:             "terminal lost",
}

func queuedCount(s Session) int {
	n := 0
	for _, p := range s.Queue {
		if p.State == PromptQueued {
			n++
		}
	}
	return n
}

// Coarse is the state for clients that know only seven: idle reads as busy,
// resuming as dead.
func Coarse(st State) State {
	switch st {
	case Idle:
		return Busy
	case Resuming:
		return Dead
	case Starting, Ready, Busy, WaitingOnInput, Done, Dead, NeedsAttention:
	}
	return st
}
