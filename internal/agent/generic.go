package agent

import (
	"errors"
	"slices"

	"github.com/tendhq/tend/internal/session"
)

var errNoCommand = errors.New("no command to run: put it after --")

// generic is any command. Nothing is known of it but what its terminal shows:
// it is ready after its first output and a pause, idle when its screen has
// stood still, and done only if it says so itself (OSC 7501, `tend done`) or a
// person does.
var generic = &Agent{
	Name:   "generic",
	traits: traits{interrupt: "\x03"},
	launch: func(spec session.Spec, _ session.LaunchOrder) (session.LaunchPlan, error) {
		return session.LaunchPlan{Argv: slices.Clone(spec.Argv)}, nil // there is no conversation to resume: it starts again
	},
}
