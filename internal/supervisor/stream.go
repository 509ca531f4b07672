package supervisor

import (
	"context"
	"time"

	"github.com/tendhq/tend/internal/session"
)

// streamAgain is how soon a stream is listened to again: the agent may still be
// starting.
const streamAgain = time.Second

// listen hands over what the agent of this run serves as a stream, as long as the
// run is watched. That nothing answers proves nothing.
func (w *watch) listen() {
	s := w.a.session()
	agent := w.a.sup.cfg.Agents[s.Spec.Agent]
	if agent.Stream == nil || w.a.sup.cfg.Listen == nil {
		return
	}
	where := agent.Stream(s)
	if where.Events == "" {
		return
	}
	ctx, cancel := context.WithCancel(w.a.sup.ctx)
	defer cancel()
	go func() {
		select {
		case <-w.done:
			cancel()
		case <-ctx.Done():
		}
	}()
	for {
		w.listenOnce(ctx, where)
		if !every(streamAgain).wait(ctx) {
			return
		}
	}
}

func (w *watch) listenOnce(ctx context.Context, where session.Stream) {
	// A stream that ends or does not answer is asked again.
	_ = w.a.sup.cfg.Listen(ctx, where, func(event []byte) {
		select {
		case w.told <- event:
		case <-ctx.Done():
		}
	})
}

// streamed feeds one event of the agent's stream to the reader.
func (w *watch) streamed(event []byte) {
	w.tell(w.view.Reader.Feed(now(), session.HookFired{At: now(), Via: "stream", Payload: event}))
	w.moved.advance(0)
}
