package session

import (
	"slices"
	"strings"
	"unicode"
)

// finishedPrompts is how many confirmed or failed prompts stay visible.
const finishedPrompts = 8

// Sanitise removes what must never reach a terminal inside a prompt: ESC, C0
// except newline and tab, C1 and DEL, in every mode (DESIGN 8). changed tells
// that something was removed. It is idempotent.
func Sanitise(text string) (clean string, changed bool) {
	clean = strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && unicode.IsControl(r) {
			return -1
		}
		return r
	}, strings.ReplaceAll(text, "\r\n", "\n"))
	return clean, clean != text
}

func (t *step) enqueue(p Prompt) {
	p.State, p.At, p.StepAt = PromptQueued, t.e.At, t.e.At
	t.s.Queue = append(slices.Clone(t.s.Queue), p)
}

// mayType reports whether a prompt may be typed now: the agent runs, nobody is
// asked anything, and it takes prompts. A turn that an error has ended or that
// makes no progress may be helped on by a person's prompt; what was queued before
// waits for that, too.
func mayType(s Session) bool {
	if s.Process.Phase != Running || s.Process.Stopped || s.Life.Intent != NoIntent || s.Spec.Kind == Job {
		return false
	}
	switch s.State {
	case Ready, Done, Idle:
		return true
	case NeedsAttention:
		return takesPrompts(s) && s.Attention.Helped
	case Starting, Busy, WaitingOnInput, Resuming, Dead:
	}
	return false
}

// takesPrompts reports whether a session that needs attention can be helped on
// by a prompt.
func takesPrompts(s Session) bool {
	if s.Attention == nil || !s.Process.WasReady {
		return false
	}
	return slices.Contains([]Cause{Stalled, TurnFailed, RateLimited, PromptUndelivered}, s.Attention.Cause)
}

// nextPrompt is the typing that has been decided and is not finished.
func nextPrompt(s Session) []Effect {
	for _, p := range s.Queue {
		if p.State == PromptTyping && mayType(s) {
			return []Effect{TypePrompt{Ref: s.Ref(), PromptID: p.ID}}
		}
	}
	return nil
}

// pumpPrompts hands the oldest queued prompt to the terminal when the agent can
// take it and none is in flight. That it does so is durable before the first
// byte.
func (t *step) pumpPrompts() {
	if !mayType(t.s) || slices.ContainsFunc(t.s.Queue, Prompt.InFlight) {
		return
	}
	i := slices.IndexFunc(t.s.Queue, func(p Prompt) bool { return p.State == PromptQueued })
	if i < 0 {
		return
	}
	t.movePrompt(i, PromptTyping, "")
	t.do(TypePrompt{Ref: t.s.Ref(), PromptID: t.s.Queue[i].ID})
}

// movePrompt changes one prompt and forgets the text of what is finished.
func (t *step) movePrompt(i int, st PromptState, failure string) {
	q := slices.Clone(t.s.Queue)
	q[i].State, q[i].StepAt, q[i].Failure = st, t.e.At, failure
	if st == PromptConfirmed || st == PromptFailed {
		q[i].Text = ""
	}
	t.s.Queue = q
}

func (t *step) promptMoved(w PromptMoved) {
	i := slices.IndexFunc(t.s.Queue, func(p Prompt) bool { return p.ID == w.PromptID })
	switch {
	case i < 0 || !t.s.Queue[i].InFlight():
		t.ignore("that prompt is not in flight")
	case w.State == PromptFailed:
		t.promptLost(w.Detail)
	case w.State == PromptConfirmed:
		t.ignore("only the agent confirms a prompt")
	case t.s.Queue[i].State == PromptSubmitted:
		t.ignore("it is submitted already")
	case w.State == PromptQueued, w.State == PromptSubmitted, w.State == PromptTyped && t.s.Queue[i].State == PromptTyping:
		t.movePrompt(i, w.State, "")
	default:
		t.ignore("it is " + string(t.s.Queue[i].State) + " already")
	}
}

// submitted reports whether a submitted prompt waits for its receipt.
func (t *step) submitted() bool {
	return slices.ContainsFunc(t.s.Queue, func(p Prompt) bool { return p.State == PromptSubmitted })
}

// confirmPrompt is the receipt of the prompt in flight; false when there is
// none. An agent that begins to work may be quicker than the word that the
// prompt was submitted, so one that stands typed is confirmed by that, too.
func (t *step) confirmPrompt(or ...PromptState) bool {
	i := slices.IndexFunc(t.s.Queue, func(p Prompt) bool { return p.State == PromptSubmitted || slices.Contains(or, p.State) })
	if i < 0 {
		return false
	}
	t.movePrompt(i, PromptConfirmed, "")
	t.forgetFinished()
	return true
}

func (t *step) promptLost(why string) {
	if i := slices.IndexFunc(t.s.Queue, Prompt.InFlight); i >= 0 {
		t.movePrompt(i, PromptFailed, why)
		t.forgetFinished()
	}
	t.attention(PromptUndelivered, why)
}

// requeuePrompts: the process is gone. What was only typed is gone with it and
// is typed again in the next run; what was submitted may have been taken, so it
// is not sent twice.
func (t *step) requeuePrompts() {
	for i, p := range t.s.Queue {
		switch p.State {
		case PromptTyping, PromptTyped:
			t.movePrompt(i, PromptQueued, "")
		case PromptSubmitted:
			t.movePrompt(i, PromptFailed, "the agent ended before it confirmed the prompt")
		case PromptQueued, PromptConfirmed, PromptFailed:
		}
	}
	t.forgetFinished()
}

// settleTyping: a daemon died while typing. Whether the agent got the text is
// not known, so it is neither typed again nor called delivered.
func (t *step) settleTyping() {
	i := slices.IndexFunc(t.s.Queue, func(p Prompt) bool { return p.State == PromptTyping || p.State == PromptTyped })
	if i < 0 || t.s.Ended() {
		return
	}
	t.promptLost("tend was stopped while it typed this prompt: look at the agent's input line")
}

func (t *step) forgetFinished() {
	n := 0
	for i := len(t.s.Queue) - 1; i >= 0; i-- {
		if st := t.s.Queue[i].State; st != PromptConfirmed && st != PromptFailed {
			continue
		}
		if n++; n > finishedPrompts {
			t.s.Queue = slices.Delete(slices.Clone(t.s.Queue), i, i+1)
		}
	}
}
