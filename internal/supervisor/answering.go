package supervisor

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/tendhq/tend/internal/session"
)

// The times of an answer. An agent may tell of its dialog before it draws it, and
// keys that come within 0.1 s of that are lost (measured, Codex 0.171.0).
const (
	dialogWait = 5 * time.Second
	dialogRest = 300 * time.Millisecond
)

// answer applies an answer and returns when it has been typed, or why it was not.
func (sup *Supervisor) answer(ctx context.Context, id session.ID, w session.Answer) (session.Session, error) {
	w.AnswerID = string(newID())
	typed := make(chan error, 1)
	sup.mu.Lock()
	sup.answers[w.AnswerID] = typed
	sup.mu.Unlock()
	defer func() {
		sup.mu.Lock()
		defer sup.mu.Unlock()
		delete(sup.answers, w.AnswerID)
	}()
	s, err := sup.apply(ctx, id, w)
	if err != nil {
		return s, err
	}
	select {
	case err = <-typed:
	case <-ctx.Done():
		return s, ctx.Err()
	case <-sup.ctx.Done():
		return s, ErrStopping
	}
	if err != nil {
		return s, err
	}
	return sup.Get(ctx, id)
}

// answered tells who waits for an answer, if anybody does, what came of it.
func (sup *Supervisor) answered(id string, err error) {
	sup.mu.Lock()
	defer sup.mu.Unlock()
	if typed := sup.answers[id]; typed != nil {
		typed <- err
	}
}

// errQuestionGone: there is nothing to answer any more.
var errQuestionGone = errors.New("the question is gone: tend show tells what it does now")

// typeAnswer types a person's answer, if the question still stands.
func (a *actor) typeAnswer(host Host, e session.TypeAnswer) {
	if w := a.watching(); w != nil && w.ref == e.Ref && e.Key == "" {
		a.awaitDialog(w, e.Text)
	}
	var wrong *InputError
	err := a.enter(host, e.Ref, func(c Composer) ([]byte, error) {
		switch {
		case a.session().State != session.WaitingOnInput:
			return nil, errQuestionGone
		case e.Key != "":
			b, err := c.Key(e.Key)
			if err != nil {
				wrong = &InputError{Field: "key", Message: err.Error()}
			}
			return b, err
		}
		return c.Answer(e.Text)
	})
	switch {
	case wrong != nil:
		err = wrong
	case err != nil:
		err = &session.InputRefusedError{Why: "notTyped", Line: "the answer was not typed: " + err.Error()}
	}
	a.sup.answered(e.AnswerID, err)
}

// awaitDialog returns when the question can be answered so, or will not be.
func (a *actor) awaitDialog(w *watch, text string) {
	t := &typist{a: a, w: w}
	drawn := func() bool {
		_, err := w.view.Composer.Answer(text)
		return err == nil || a.session().State != session.WaitingOnInput
	}
	t.await(a.sup.ctx, dialogWait, drawn)
	if q := a.session().Waiting; q != nil && now().Sub(q.Since) < dialogWait {
		every(dialogRest).wait(a.sup.ctx)
	}
}

// keysApart is the pause between keys that must not be taken for one.
const keysApart = 300 * time.Millisecond

func (a *actor) typeInterrupt(host Host, e session.TypeInterrupt) {
	_ = a.enter(host, e.Ref, func(c Composer) ([]byte, error) { return c.Interrupt(), nil }) // the journal has it
}

// enter types what a person asked for, or tells the machine too why it could not.
func (a *actor) enter(host Host, ref session.RunRef, encode func(Composer) ([]byte, error)) error {
	err := errUnwatched
	var data []byte
	if w := a.watching(); w != nil && w.ref == ref {
		if cerr := w.call(a.sup.ctx, func() { data, err = encode(w.view.Composer) }); cerr != nil {
			err = cerr
		}
	}
	for i, keys := range bytes.Split(data, []byte{0}) {
		if i > 0 && !every(keysApart).wait(a.sup.ctx) || err != nil {
			break
		}
		err = host.Write(a.sup.ctx, ref, session.Input{By: session.FromPerson, Data: keys})
	}
	if err != nil {
		a.say(ref.Run, session.FromSupervisor, session.InputFailed{Detail: err.Error()})
	}
	return err
}
