package agent

import (
	"fmt"
	"path"
	"strings"

	"github.com/tendhq/tend/internal/agent/transcript"
	"github.com/tendhq/tend/internal/screen"
	"github.com/tendhq/tend/internal/session"
)

// Agent is one kind of agent. The values of this package are shared and never
// changed.
type Agent struct {
	Name string
	Caps session.Caps
	// Programs are the commands that start it, by their base name.
	Programs []string
	// Measured is the version that what stands here was measured with.
	Measured string
	// Install is how a person gets it, in one line.
	Install string

	launch  func(spec session.Spec, o session.LaunchOrder) (session.LaunchPlan, error)
	kind    func(argv []string) session.Kind // "" = whatever the caller says
	posture func(argv, settings []string) []string
	// settings are the files that SettingsFiles completes: ~/ is the home folder,
	// others are below the directory of the run.
	settings   []string
	stream     func(s session.Session) session.Stream
	traits     traits
	transcript func() *transcript.Reader
	dialect    func() dialect
}

// All lists every known kind of agent, sorted by name.
func All() []*Agent { return []*Agent{claude, codex, gemini, generic, opencode, pi} }

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

// ByCommand is the kind of agent that a command line starts. What is not known
// is generic.
func ByCommand(argv []string) *Agent {
	if len(argv) == 0 {
		return generic
	}
	base := path.Base(argv[0])
	for _, a := range All() {
		for _, p := range a.Programs {
			if p == base {
				return a
			}
		}
	}
	return generic
}

// Launch is how the agent is started, anew or to go on with a conversation. The
// caller may keep and change the result. It refuses an order that would not
// start what was meant.
func (a *Agent) Launch(spec session.Spec, o session.LaunchOrder) (session.LaunchPlan, error) {
	if len(spec.Argv) == 0 || spec.Argv[0] == "" {
		return session.LaunchPlan{}, errNoCommand
	}
	if o.NativeID != "" && !validID(o.NativeID) {
		return session.LaunchPlan{}, fmt.Errorf("the conversation id %q is none of %s's", cut(o.NativeID, 40), a.Name)
	}
	return a.launch(spec, o)
}

// Streams reports whether the agent tells what it does on a port of loopback,
// which is then to be in the session's spec.
func (a *Agent) Streams() bool { return a.stream != nil }

// Stream is where a run of it tells what it does; zero: nowhere.
func (a *Agent) Stream(s session.Session) session.Stream {
	if a.stream == nil {
		return session.Stream{}
	}
	return a.stream(s)
}

// Kind is what a command line is by itself, such as a job that runs to its end;
// "" when the caller decides.
func (a *Agent) Kind(argv []string) session.Kind {
	if a.kind == nil {
		return ""
	}
	return a.kind(argv)
}

// NewWatch begins to observe a run. checkpoint is what Checkpoint returned, or
// a checkpoint of package screen alone; with nil the run is read from its first
// byte. A checkpoint that cannot be read is an error: read the output from the
// start instead.
func (a *Agent) NewWatch(s session.Session, size session.Size, checkpoint []byte) (*Watch, error) {
	w := &Watch{readTo: s.Process.ReadTo, dialect: silence{}, traits: a.traits}
	if a.dialect != nil {
		w.dialect = a.dialect()
	}
	if checkpoint == nil {
		w.term = screen.New(size.Cols, size.Rows, screen.Options{})
	} else if err := w.restore(checkpoint); err != nil {
		return nil, err
	}
	w.term.OnEvent(w.hear)
	w.seen.fold, w.seen.raw = w.term.Folded(), w.rawPrint()
	w.seen.shown = w.seen.shown || !blank(w.term.Text())
	w.hooks.taken, w.hooks.silent = s.Process.HooksTo, s.Process.HooksSilent
	w.hooks.heard = s.Process.HooksTo > 0
	w.past = true
	w.dialect.title(w, w.term.Title())
	w.past = false
	w.Know(s)
	return w, nil
}
