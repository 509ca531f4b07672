package supervisor

import (
	"context"

	"github.com/tendhq/tend/internal/session"
)

// Runs starts and ends the processes of sessions and says what is true of them.
// One implementation, one technology. All methods may be called from any
// goroutine, take a run's number with its session and never act on another run.
type Runs interface {
	// Prepare writes the launch record of a run durably (0600) and starts
	// nothing. Preparing a run again replaces the record until it is launched.
	Prepare(ctx context.Context, ref session.RunRef, l session.Launch) error
	// Launch starts a prepared run and returns once the agent runs. It is safe
	// to repeat: a run that was launched already is returned as it is and never
	// started twice. A *session.LaunchError is final for this run.
	Launch(ctx context.Context, ref session.RunRef) (session.Sighting, error)
	// Inspect says what can be proven of a run now. session.ErrNoRun when
	// nothing is on record; session.ErrUnreachable proves nothing.
	Inspect(ctx context.Context, ref session.RunRef) (session.Sighting, error)
	// Known lists every run there is a record of, of all sessions, for
	// recovery. One broken record never hides the rest.
	Known(ctx context.Context) ([]session.RunRef, error)
	// Stop ends the whole process tree by the stop policy and returns when it
	// is gone, with the pids that survived. Stopping an ended run does nothing
	// and is no error. Every signal is preceded by a check of the start time.
	Stop(ctx context.Context, ref session.RunRef, o session.StopOrder) (leftBehind []int, err error)
	// Release tells the host that the run's end is durable on our side, so that
	// it keeps nothing running for it. Safe to repeat.
	Release(ctx context.Context, ref session.RunRef) error
}

// Terminals reads and writes the terminals of live runs. Nothing here ever
// blocks an agent.
type Terminals interface {
	// Follow delivers what happens in the terminal, in order, starting with the
	// output at offset from, until the run has ended (nil, after
	// session.ProcessExited), ctx is done, or the host is gone
	// (session.ErrUnreachable). f is called from one goroutine; a slow f lags
	// and slows nobody. Each Follow starts with one Resized and one Viewers.
	Follow(ctx context.Context, ref session.RunRef, from int64, f func(session.TerminalEvent) error) error
	// Write writes in.Data whole, or nothing and returns
	// *session.InputRefusedError.
	Write(ctx context.Context, ref session.RunRef, in session.Input) error
	// Resize sets the terminal's size.
	Resize(ctx context.Context, ref session.RunRef, s session.Size) error
	// ReadOutput reads recorded output at an absolute offset, of live and ended
	// runs. first is the oldest offset there is, end the offset after the
	// newest byte; an offset before first reads from first on.
	ReadOutput(ctx context.Context, ref session.RunRef, offset int64, p []byte) (n int, first, end int64, err error)
	// SaveScreen keeps a screen checkpoint beside the output: the state of an
	// emulator that has read everything before offset. Only the newest stays.
	SaveScreen(ctx context.Context, ref session.RunRef, offset int64, screen []byte) error
	// LoadScreen returns the newest checkpoint; no checkpoint is offset 0, nil.
	LoadScreen(ctx context.Context, ref session.RunRef) (offset int64, screen []byte, err error)
}

// Hooks reads what the hooks of a run's agent have appended to its spool. No
// hook ever waits for us.
type Hooks interface {
	// ReadHooks returns hooks after offset, oldest first, not always all; none
	// when there are none.
	ReadHooks(ctx context.Context, ref session.RunRef, offset int64) ([]session.HookFired, error)
	// ListenHooks returns a channel that receives once now and whenever there may
	// be more hooks, and a function that ends it.
	ListenHooks(ref session.RunRef) (news <-chan struct{}, leave func())
}

// LaunchRecords tells what is kept of runs beside their output.
type LaunchRecords interface {
	// Recorded returns what a run was prepared from, without its environment and
	// files. Name and Spec are empty in the records of an older tend.
	// session.ErrNoRun when nothing is on record.
	Recorded(ctx context.Context, ref session.RunRef) (session.Launch, error)
}

// Host is where agents run.
type Host interface {
	Runs
	LaunchRecords
	Terminals
	Hooks
}

// Store keeps sessions and the journal. A change is durable when Commit
// returns. All methods may be called from any goroutine.
type Store interface {
	// Load returns the sessions that are not archived. It is what a start
	// costs, whatever the number of archived ones.
	Load(ctx context.Context) ([]session.Session, error)
	// Get returns one session, archived or not. session.ErrNotFound otherwise.
	Get(ctx context.Context, id session.ID) (session.Session, error)
	// Archived lists archived sessions, newest first, at most limit (0 = all);
	// match, if not empty, keeps those whose id starts with it or whose name
	// is it.
	Archived(ctx context.Context, match string, limit int) ([]session.Session, error)
	// Commit makes one change durable and returns the journal sequence number.
	// It returns session.ErrConflict when the row's revision is not PrevRev,
	// session.ErrNameTaken when another open session has the name, and
	// an error for which errors.Is(err, session.ErrStoreUnavailable) holds when
	// the store cannot write now (full disk, read-only, replaced file) and the
	// same commit may work later.
	Commit(ctx context.Context, c session.Change) (seq int64, err error)
	// Journal returns entries with Seq > after, oldest first, at most limit, of
	// one session if id is not empty.
	Journal(ctx context.Context, id session.ID, after int64, limit int) ([]session.Entry, error)
	// Head is the newest journal sequence number, 0 when there is none.
	Head(ctx context.Context) (int64, error)
}
