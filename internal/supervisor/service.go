package supervisor

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/tendhq/tend/internal/session"
)

// NewSession is a wish for a session.
type NewSession struct {
	Name   string // "" = derived from the command, made unique
	Spec   session.Spec
	Env    []string // K=V, complete
	Prompt string
	Keep   bool
}

// ScreenView is a terminal as it looks at an output offset.
type ScreenView struct {
	Run      int
	Offset   int64
	Size     session.Size
	Lines    []string
	Title    string
	CursorAt [2]int // column, row, from 0
	Repaint  []byte // brings any terminal to this screen
}

// Service is what the surfaces may ask of the supervisor.
// Errors: session.ErrNotFound, *AmbiguousError, *session.InvalidTransitionError,
// session.ErrNameTaken, *session.LaunchError, *session.InputRefusedError,
// session.ErrStoreUnavailable, ErrStopping, *InputError for a wish that makes no
// sense.
type Service interface {
	Commands
	Sessions
	Records
}

// Commands change sessions.
type Commands interface {
	// Create makes a session and starts it. It returns once the agent runs, or
	// the launch has failed (*session.LaunchError; no session is left behind).
	Create(ctx context.Context, n NewSession) (session.Session, error)
	// Command applies a command; it returns when its effect on the session is
	// durable, not when the agent has obeyed; an answer, when it has been typed.
	Command(ctx context.Context, id session.ID, c session.Command) (session.Session, error)
	// StopAll stops every session and returns when all have ended; *RunningError
	// names those that have not after a minute, or that could not be told.
	StopAll(ctx context.Context) error
}

// Sessions tell what is.
type Sessions interface {
	Get(ctx context.Context, id session.ID) (session.Session, error)
	// List returns open sessions, or archived ones, oldest first.
	List(ctx context.Context, archived bool) ([]session.Session, error)
	// Resolve finds a session by id, unique id prefix or name.
	Resolve(ctx context.Context, nameOrID string) (session.ID, error)
	// Health describes the daemon.
	Health() Health
}

// Records tell what was.
type Records interface {
	// Journal returns entries after seq; see Store.Journal.
	Journal(ctx context.Context, id session.ID, after int64, limit int) ([]session.Entry, error)
	// Changed returns the newest sequence number and a channel that is closed
	// when there is a newer one. Readers then read the journal: events point,
	// reads tell.
	Changed() (seq int64, more <-chan struct{})
	// Screen is the present or last screen of a session.
	Screen(ctx context.Context, id session.ID) (ScreenView, error)
	// Output reads recorded output of a run; run 0 is the newest.
	Output(ctx context.Context, id session.ID, run int, offset int64, p []byte) (n int, first, end int64, err error)
}

// Health is what `tend status` shows.
type Health struct {
	Node       string
	StartedAt  time.Time
	Sessions   map[session.State]int
	StoreError string // "" = the store writes
	Unsaved    int    // changes that wait for the store
}

// RunningError: sessions that were to be stopped and still run.
type RunningError struct {
	Names []string
	Cause error // of the first
}

func (e *RunningError) Error() string {
	return fmt.Sprintf("still running: %s (%v)", strings.Join(e.Names, ", "), e.Cause)
}

func (e *RunningError) Unwrap() error { return e.Cause }

// AmbiguousError: a prefix that several sessions share.
type AmbiguousError struct {
	Prefix string
	IDs    []session.ID
}

func (e *AmbiguousError) Error() string {
	return "several sessions start with " + e.Prefix + ": give more of the id"
}

// InputError is a wish that makes no sense; Message names the remedy.
type InputError struct {
	Field   string
	Message string
}

func (e *InputError) Error() string { return e.Message }
