package supervisor

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/tendhq/tend/internal/session"
)

// The times of typing (DESIGN 8).
const (
	personQuiet  = 2 * time.Second // nothing is typed this soon after a person's key
	echoWait     = 3 * time.Second // text that shows nothing by then was not taken
	submitWait   = 2 * time.Second // text that is in the input line then was not submitted
	submitTries  = 3
	typeTries    = 3 // of the first prompt of a run, while nothing ever appeared
	conditionTry = time.Second
)

// typist delivers one prompt: text, echo, submit key, receipt. It runs off the
// actor's loop and says in events how far it came.
type typist struct {
	a    *actor
	host Host
	w    *watch
	ref  session.RunRef
	id   string
	text string
}

func (a *actor) typePrompt(host Host, e session.TypePrompt) {
	a.sup.typing.Add(1)
	defer a.sup.typing.Done()
	w := a.watching()
	s := a.session()
	i := promptIndex(s, e.PromptID)
	if i < 0 {
		return
	}
	t := &typist{a: a, host: host, w: w, ref: e.Ref, id: e.PromptID, text: s.Queue[i].Text}
	if w == nil || w.ref != e.Ref {
		t.moved(session.PromptFailed, errUnwatched.Error())
		return
	}
	if err := t.deliver(a.sup.ctx); err != nil {
		t.moved(session.PromptFailed, err.Error())
	}
}

func promptIndex(s session.Session, id string) int {
	return slices.IndexFunc(s.Queue, func(p session.Prompt) bool { return p.ID == id })
}

// errWithdrawn: the session has moved on while the prompt waited; it is queued
// again and nothing was typed.
var errWithdrawn = errors.New("withdrawn")

func (t *typist) deliver(ctx context.Context) error {
	err := t.put(ctx)
	if errors.Is(err, errWithdrawn) {
		t.moved(session.PromptQueued, "the agent does not take prompts at this moment")
		return nil
	}
	if err != nil {
		return err
	}
	return t.submit(ctx)
}

// put types the text and waits until it shows. The first prompt of a run may
// meet an agent that draws its input line before it reads it: while nothing at
// all appears, the text is typed again.
func (t *typist) put(ctx context.Context) error {
	if err := t.clear(ctx); err != nil {
		return err
	}
	tries := 1
	if t.a.session().Turn.Number == 0 {
		tries = typeTries
	}
	for try := 1; ; try++ {
		var data []byte
		var before string
		var err error
		if cerr := t.w.call(ctx, func() {
			data, err = t.w.view.Composer.Paste(t.text)
			before = t.look()
		}); cerr != nil {
			return cerr
		}
		if err != nil {
			return err
		}
		if err := t.write(ctx, data); err != nil {
			return err
		}
		if try == 1 {
			t.moved(session.PromptTyped, "")
		}
		shown, changed := t.shows(ctx, before)
		switch {
		case shown, changed && mayFold(t.text):
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case try == tries:
			return errors.New("the agent shows nothing of the text that was typed: attach and look")
		}
	}
}

// clear empties the input line of an earlier prompt of ours that the agent has
// put back there.
func (t *typist) clear(ctx context.Context) error {
	var keys []byte
	if err := t.w.call(ctx, func() { keys = t.w.view.Composer.Clear() }); err != nil || len(keys) == 0 {
		return err
	}
	if err := t.write(ctx, keys); err != nil {
		return err
	}
	if !t.await(ctx, submitWait, func() bool { return t.w.view.Composer.Clear() == nil }) {
		return errors.New("an earlier prompt stands in the input line and cannot be removed: attach and look")
	}
	return nil
}

// mayFold reports whether an input line may show a placeholder instead of the
// text. A short text that does not show was not taken, whatever else changed.
func mayFold(text string) bool { return len(text) > 200 || strings.Contains(text, "\n") }

// look is the text of the screen; on the watch's goroutine.
func (t *typist) look() string {
	v := t.w.view.Screen.Look()
	n := 0
	for _, l := range v.Lines {
		n += len(l) + 1
	}
	b := make([]byte, 0, n)
	for _, l := range v.Lines {
		b = append(append(b, l...), '\n')
	}
	return string(b)
}

// write hands bytes to the terminal once nobody is in the middle of typing.
func (t *typist) write(ctx context.Context, data []byte) error {
	for {
		if !t.wanted() || t.a.sup.draining.Load() {
			return errWithdrawn
		}
		err := t.host.Write(ctx, t.ref, session.Input{
			By: session.FromSupervisor, Data: data, IfQuietFor: personQuiet, IfNoUnfinished: true, FreeAt: t.a.session().Life.FreeAt,
		})
		var refused *session.InputRefusedError
		switch {
		case errors.As(err, &refused) && (refused.Why == "personTyping" || refused.Why == "unfinishedLine"):
			if !every(conditionTry).wait(ctx) {
				return ctx.Err()
			}
		case errors.As(err, &refused):
			return errWithdrawn
		default:
			return err
		}
	}
}

// wanted reports whether the machine still wants this prompt in the terminal.
func (t *typist) wanted() bool {
	s := t.a.session()
	i := promptIndex(s, t.id)
	return s.Ref() == t.ref && i >= 0 && s.Queue[i].InFlight() && s.Process.Phase == session.Running &&
		s.State != session.WaitingOnInput && s.State != session.Busy && s.Life.Intent == session.NoIntent
}

// shows waits until the text stands in the input line (shown) or, at the end of
// the wait, whether anything at all appeared since before.
func (t *typist) shows(ctx context.Context, before string) (shown, changed bool) {
	t.await(ctx, echoWait, func() bool {
		shown = t.w.view.Composer.Holds(t.text)
		changed = t.look() != before
		return shown
	})
	return shown, changed
}

// await calls cond on the watch's goroutine after each change of the screen
// until it holds, the time is over or the run is not watched any more.
func (t *typist) await(ctx context.Context, d time.Duration, cond func() bool) bool {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	for {
		_, more := t.w.moved.changed()
		ok := false
		if err := t.w.call(context.WithoutCancel(ctx), func() { ok = cond() }); err != nil || ok {
			return ok
		}
		select {
		case <-more:
		case <-t.w.done:
			return false
		case <-ctx.Done():
			return false
		}
	}
}

// submit presses the submit key, and again only while the text still stands in
// the input line. A dialog that has opened meanwhile is never answered by it.
func (t *typist) submit(ctx context.Context) error {
	var key []byte
	var err error
	if cerr := t.w.call(ctx, func() { key, err = t.w.view.Composer.Key("enter") }); cerr != nil || err != nil {
		return errors.Join(cerr, err)
	}
	for try := 1; try <= submitTries; try++ {
		if !t.untilWanted(ctx) {
			return nil
		}
		in := session.Input{By: session.FromSupervisor, Data: key, IfNoUnfinished: true, FreeAt: t.a.session().Life.FreeAt}
		if try > 1 && !t.holds(ctx) {
			return nil
		}
		if err := t.host.Write(ctx, t.ref, in); err != nil {
			return err
		}
		if try == 1 {
			t.moved(session.PromptSubmitted, "")
		}
		if t.await(ctx, submitWait, func() bool { return !t.inFlight() }) || ctx.Err() != nil {
			return nil
		}
	}
	return nil
}

// inFlight reports whether there is no receipt for the prompt yet. That its text
// is not in the input line is none: an agent that draws its screen again shows
// nothing there for a moment.
func (t *typist) inFlight() bool {
	s := t.a.session()
	i := promptIndex(s, t.id)
	return i >= 0 && s.Queue[i].InFlight() && s.Ref() == t.ref
}

// untilWanted waits while the agent works or asks something with our text in
// its input line; false when the prompt is not in flight any more.
func (t *typist) untilWanted(ctx context.Context) bool {
	for {
		_, more := t.a.sup.feed.changed()
		s := t.a.session()
		i := promptIndex(s, t.id)
		switch {
		case t.wanted():
			return true
		case i < 0 || !s.Queue[i].InFlight() || s.Ref() != t.ref || s.Process.Phase != session.Running:
			return false
		}
		select {
		case <-more:
		case <-ctx.Done():
			return false
		}
	}
}

func (t *typist) holds(ctx context.Context) (ok bool) {
	_ = t.w.call(ctx, func() { ok = t.w.view.Composer.Holds(t.text) })
	return ok
}

func (t *typist) moved(st session.PromptState, detail string) {
	t.a.say(t.ref.Run, session.FromSupervisor, session.PromptMoved{PromptID: t.id, State: st, Detail: detail})
}
