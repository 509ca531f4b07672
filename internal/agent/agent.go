package agent

import (
	"fmt"
	"strings"

	"github.com/tendhq/tend/internal/screen"
	"github.com/tendhq/tend/internal/session"
)

// Agent is one kind of agent. The values of this package are shared and never
// changed.
type Agent struct {
	Name string
	Caps session.Caps
	argv func(spec session.Spec, nativeID string) ([]string, error)
}

// All lists every known kind of agent, sorted by name.
func All() []*Agent { return []*Agent{generic} }

// ByName finds a kind of agent.
func ByName(name string) (*Agent, error) {
	var names []string
	for _, a := range All() {
		if a.Name == name {
			return a, nil
		}
		names = append(names, a.Name)
	}
	return nil, fmt.Errorf("no agent is called %q: known are %s", name, strings.Join(names, ", "))
}

// Argv is the command that starts the agent; nativeID, when not empty, is the
// conversation to resume. The caller may keep and change the result.
func (a *Agent) Argv(spec session.Spec, nativeID string) ([]string, error) {
	return a.argv(spec, nativeID)
}

// NewWatch begins to observe a run. checkpoint is what Checkpoint returned, or
// a checkpoint of package screen alone; with nil the run is read from its first
// byte. A checkpoint that cannot be read is an error: read the output from the
// start instead.
func (a *Agent) NewWatch(s session.Session, size session.Size, checkpoint []byte) (*Watch, error) {
	w := &Watch{readTo: s.Process.ReadTo}
	if checkpoint == nil {
		w.term = screen.New(size.Cols, size.Rows, screen.Options{})
	} else if err := w.restore(checkpoint); err != nil {
		return nil, err
	}
	w.term.OnEvent(w.hear)
	w.seen.fold, w.seen.raw = w.term.Folded(), w.rawPrint()
	w.seen.shown = w.seen.shown || !blank(w.term.Text())
	w.Know(s)
	return w, nil
}
