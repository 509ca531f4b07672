package session

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// A tale is a story that fits a table: one event a line, as in testdata, and
// what the last of them came to, in short.
type tale struct{ name, script, want string }

func runTales(t *testing.T, tales []tale) {
	t.Helper()
	for _, c := range tales {
		t.Run(c.name, func(t *testing.T) {
			if got := tell(t, c.script); got != c.want {
				t.Errorf("\nhave %s\nwant %s\n%s", got, c.want, c.script)
			}
		})
	}
}

// Where many tales begin.
const (
	launched = `
		0s person Created interactive
		1s holder Launched
		2s hook Native abc`
	running = launched + `
		3s hook ReadySeen`
	working = running + `
		30s hook Turn`
	finished = working + `
		50s hook Done`
	backingOff = working + `
		60s holder Exited signal 9`
	relaunching = backingOff + `
		62s supervisor Deadline relaunch`
	relaunched = relaunching + `
		63s holder Launched`
	task = `
		0s person Created task fix it
		1s holder Launched
		2s hook Native abc
		3s hook ReadySeen
		4s supervisor Typed first
		5s supervisor Submitted first
		6s hook Turn`
	taskRelaunched = task + `
		60s holder Exited signal 9
		62s supervisor Deadline relaunch
		63s holder Launched`
)

// follow plays a script and returns what its last event led to.
func follow(t *testing.T, script string) (s Session, effects []Effect, err error) {
	t.Helper()
	for line := range strings.Lines(script) {
		if line = strings.TrimSpace(line); line != "" {
			s, effects, err = checked(t, s, parseEvent(t, s, line))
		}
	}
	return s, effects, err
}

func tell(t *testing.T, script string) string {
	t.Helper()
	return inShort(follow(t, script))
}

// inShort is a session in one line: state, process and run, and the facts that
// are not as usual; then what is to be done and what is waited for.
func inShort(s Session, effects []Effect, err error) string {
	var refused *InvalidTransitionError
	var out []string
	add := func(on bool, format string, a ...any) {
		if on {
			out = append(out, fmt.Sprintf(format, a...))
		}
	}
	if err != nil {
		add(true, "%s:", either(errors.As(err, &refused), "refused", "recorded"))
	}
	add(true, "%s", s.State)
	add(s.Attention != nil, "%s", (&step{s: s}).cause())
	add(true, "%s/%d", s.Process.Phase, s.Process.Run)
	add(s.Life.Closed != nil, "archived")
	add(s.Life.Intent != NoIntent, "intent=%s", s.Life.Intent)
	add(s.Resume.Attempts > 0, "attempts=%d", s.Resume.Attempts)
	add(s.Turn.Native != "", "turn=%s", s.Turn.Native)
	add(s.Turn.Background > 0, "background=%d", s.Turn.Background)
	for _, p := range s.Queue {
		add(true, "%s=%s", p.ID, p.State)
	}
	for _, f := range effects {
		name := EffectName(f)
		if p, ok := f.(TypePrompt); ok {
			name += ":" + p.PromptID
		}
		add(true, "do %s", name)
	}
	for _, d := range Deadlines(s) {
		add(true, "until %s", d.Kind)
	}
	return strings.Join(out, " ")
}
