package main

import (
	"context"
	"errors"

	"github.com/tendhq/tend/api"
)

// seen judges one entry of the journal. enough ends the reading. When the
// daemon goes away meanwhile, the entry is handed to it again.
type seen func(c *api.Client, e api.Entry) (enough bool, err error)

// follow reads the journal from after since until f has seen enough. When the
// daemon ends, it goes on with the next one. It returns the context's error
// when that is done.
func (p *program) follow(ctx context.Context, c *api.Client, since int64, filter api.EventFilter, f seen) error {
	for {
		err := followOne(ctx, c, &since, filter, f)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case !gone(err):
			return err
		}
		if c, err = p.client(ctx); err != nil {
			return err
		}
	}
}

// followOne reads from one daemon.
func followOne(ctx context.Context, c *api.Client, since *int64, filter api.EventFilter, f seen) error {
	for e, err := range c.Events(ctx, *since, filter) {
		if err != nil {
			return err
		}
		enough, err := f(c, e)
		if enough || err != nil {
			return err
		}
		*since = e.Seq
	}
	return ctx.Err()
}

// gone reports whether an error means that the daemon has ended, or is about to.
func gone(err error) bool {
	return errors.Is(err, api.ErrUnreachable) || api.CodeOf(err) == api.CodeStopping
}
