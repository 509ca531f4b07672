package session

import (
	"errors"
	"fmt"
)

// InvalidTransitionError is a refused command. Nothing has changed.
type InvalidTransitionError struct {
	From   State
	Intent string // the command
	Why    string // what stands in the way, and the remedy
}

func (e *InvalidTransitionError) Error() string {
	return fmt.Sprintf("cannot %s while %s: %s", e.Intent, e.From, e.Why)
}

// LaunchError is a launch that did not lead to a process. It is final for that
// run: nothing is left running.
type LaunchError struct {
	// Kind is notFound (no such command), notExecutable, badDirectory,
	// argvTooLong, noHolder (tend-hold missing), noRoom (fds, ptys, disk) or
	// failed.
	Kind   string
	Detail string // one line for people that names the remedy
}

func (e *LaunchError) Error() string { return e.Detail }

// InputRefusedError is input that a host refused to write because its condition
// did not hold at that instant. Nothing was written.
type InputRefusedError struct {
	Why  string // personTyping, unfinishedLine, wrongRun, readOnly, ended, full (it does not read), tooLarge, notTyped (Line says why)
	Line string // one line for people
}

func (e *InputRefusedError) Error() string { return e.Line }

// ErrUnreachable means that the host could not be asked: it proves nothing.
var ErrUnreachable = errors.New("the holder does not answer")

// ErrNoRun means that nothing is on record for this run.
var ErrNoRun = errors.New("no such run")

// What a store reports about a commit.
var (
	// ErrConflict: the row has moved on; load it again.
	ErrConflict = errors.New("the session has changed meanwhile")
	// ErrNameTaken: another open session has this name.
	ErrNameTaken = errors.New("name taken")
	// ErrNotFound: no such session.
	ErrNotFound = errors.New("no such session")
	// ErrStoreUnavailable: the store cannot write now; the same commit may
	// work later. The wrapping error says why and names the remedy.
	ErrStoreUnavailable = errors.New("the store cannot write")
)

// PasteError is text that cannot be typed to a terminal as one prompt. Nothing
// was typed.
type PasteError struct{ Why string }

func (e *PasteError) Error() string { return e.Why }
