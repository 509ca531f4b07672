// Package hosttest is the contract of supervisor.Host as tests: any host's own
// test is a factory and one call. The agents are real processes.
package hosttest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tendhq/tend/internal/session"
	"github.com/tendhq/tend/internal/supervisor"
)

// limit bounds every wait of the suite.
const limit = 30 * time.Second

// Run holds a host to its contract. newHost makes a fresh one whose state is
// removed when the test ends.
func Run(t *testing.T, newHost func(t *testing.T) supervisor.Host) {
	for name, test := range map[string]func(*kit){
		"prepare starts nothing":             prepareStartsNothing,
		"a run is started once":              startedOnce,
		"what a run was prepared from":       recorded,
		"what is not on record":              notOnRecord,
		"launches that fail":                 launchesThatFail,
		"exits are what they were":           exits,
		"output is whole before the exit":    wholeBeforeExit,
		"readers do not disturb each other":  manyReaders,
		"following from an offset":           fromAnOffset,
		"an ended run can be followed":       endedRun,
		"input is whole or refused":          inputs,
		"a read-only terminal":               readOnly,
		"sizes":                              sizes,
		"stop ends the whole tree":           stopTree,
		"stop is idempotent":                 stopTwice,
		"the environment is exactly ours":    environment,
		"secrets are in no command line":     secrets,
		"suspended and continued":            suspended,
		"a closed terminal is no end":        closedTerminal,
		"a descendant is not waited for":     descendant,
		"screens are kept beside the output": screens,
		"hooks are read":                     hooksAreRead,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(context.Background(), limit)
			t.Cleanup(cancel)
			test(&kit{TB: t, Host: newHost(t), ctx: ctx, dir: t.TempDir()})
		})
	}
}

// kit is a test with a host.
type kit struct {
	testing.TB
	supervisor.Host
	ctx  context.Context
	dir  string
	runs int
}

func (k *kit) ok(err error) {
	k.Helper()
	if err != nil {
		k.Fatal(err)
	}
}

// launch is a shell script as an agent.
func (k *kit) script(text string) session.Launch {
	return session.Launch{
		Argv: []string{"sh", "-c", text}, Cwd: k.dir, Env: []string{"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8"},
		Size: session.Size{Cols: 80, Rows: 24}, StopSignal: 15,
	}
}

func (k *kit) prepare(l session.Launch) session.RunRef {
	k.Helper()
	k.runs++
	ref := session.RunRef{ID: session.ID(fmt.Sprintf("TEST%02d", k.runs)), Run: 1}
	k.ok(k.Prepare(k.ctx, ref, l))
	return ref
}

// start launches a script and ends it when the test does.
func (k *kit) start(text string) session.RunRef {
	k.Helper()
	return k.startLaunch(k.script(text))
}

func (k *kit) startLaunch(l session.Launch) session.RunRef {
	k.Helper()
	ref := k.prepare(l)
	_, err := k.Launch(k.ctx, ref)
	k.ok(err)
	k.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		defer cancel()
		if _, err := k.Stop(ctx, ref, session.StopOrder{Signal: 9, Grace: time.Second}); err != nil {
			k.Errorf("cleaning up %s: %v", ref, err)
		}
		if err := k.Release(ctx, ref); err != nil {
			k.Errorf("releasing %s: %v", ref, err)
		}
	})
	return ref
}

// reading is what one reader was told.
type reading struct {
	mu     sync.Mutex
	events []session.TerminalEvent
	out    bytes.Buffer
	more   chan struct{}
	err    error
	over   bool
}

// follow reads in the background from an offset on.
func (k *kit) follow(ref session.RunRef, from int64) *reading {
	r := &reading{more: make(chan struct{}, 1)}
	go func() {
		err := k.Follow(k.ctx, ref, from, func(e session.TerminalEvent) error {
			r.mu.Lock()
			r.events = append(r.events, e)
			if o, ok := e.(session.Output); ok {
				r.out.Write(o.Data)
			}
			r.mu.Unlock()
			r.poke()
			return nil
		})
		r.mu.Lock()
		r.err, r.over = err, true
		r.mu.Unlock()
		r.poke()
	}()
	return r
}

func (r *reading) poke() {
	select {
	case r.more <- struct{}{}:
	default:
	}
}

// until waits until cond holds of what was read.
func (k *kit) until(r *reading, what string, cond func(*reading) bool) {
	k.Helper()
	for {
		r.mu.Lock()
		ok, over, err, seen := cond(r), r.over, r.err, r.out.String()
		r.mu.Unlock()
		switch {
		case ok:
			return
		case over:
			k.Fatalf("%s did not come before the end (%v): %.300q", what, err, seen)
		}
		select {
		case <-r.more:
		case <-k.ctx.Done():
			k.Fatalf("%s did not come: %.300q", what, seen)
		}
	}
}

func (k *kit) sees(r *reading, text string) {
	k.Helper()
	k.until(r, fmt.Sprintf("%q", text), func(r *reading) bool { return strings.Contains(r.out.String(), text) })
}

// exit waits for the end of the run.
func (k *kit) exit(r *reading) session.Exit {
	k.Helper()
	var x session.Exit
	k.until(r, "the exit", func(r *reading) bool {
		for _, e := range r.events {
			if p, ok := e.(session.ProcessExited); ok {
				x = p.Exit
				return true
			}
		}
		return false
	})
	return x
}

func (k *kit) refused(err error, why string) {
	k.Helper()
	var r *session.InputRefusedError
	if !errors.As(err, &r) || r.Why != why {
		k.Fatalf("error %v, want refused: %s", err, why)
	}
}
