package session

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestStories plays the scripts in testdata/*.txt. A script is read and written
// by people: each "> " line is an event with its time, the lines after it are
// what came of it. `-update` rewrites those; understand the difference.
func TestStories(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	must(t, err)
	if len(files) == 0 {
		t.Fatal("no stories")
	}
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".txt"), func(t *testing.T) {
			have, err := os.ReadFile(f)
			must(t, err)
			got := play(t, string(have))
			if *update {
				must(t, os.WriteFile(f, []byte(got), 0o600))
				must(t, os.Chmod(f, 0o644)) //nolint:gosec // a story
			} else if got != string(have) {
				t.Fatalf("the story goes differently now:\n%s", got)
			}
		})
	}
}

func play(t *testing.T, text string) string {
	t.Helper()
	var out strings.Builder
	s := Session{}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		switch {
		case strings.HasPrefix(line, "#"):
			out.WriteString(line + "\n")
		case strings.HasPrefix(line, "> "):
			e := parseEvent(t, s, line[2:])
			var effects []Effect
			var err error
			s, effects, err = checked(t, s, e)
			out.WriteString(line + "\n" + outcome(s, effects, err))
		}
	}
	return out.String()
}

func outcome(s Session, effects []Effect, err error) string {
	var refused *InvalidTransitionError
	var ignored *IgnoredError
	switch {
	case errors.As(err, &ignored):
		return "  recorded: " + ignored.Why + "\n"
	case errors.As(err, &refused):
		return "  refused: " + refused.Why + "\n"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "  %s (%s, run %d) %s\n", s.State, s.Process.Phase, s.Process.Run, s.Why)
	if s.Attention != nil {
		fmt.Fprintf(&b, "  needs a person: %s\n", s.Attention.Cause)
	}
	if s.Life.Closed != nil {
		fmt.Fprintf(&b, "  archived: %s\n", s.Life.Closed.Reason)
	}
	for _, p := range s.Queue {
		fmt.Fprintf(&b, "  prompt %s: %s %s\n", p.ID, p.State, p.Failure)
	}
	for _, e := range effects {
		fmt.Fprintf(&b, "  do %s %+v\n", EffectName(e), e)
	}
	for _, d := range Deadlines(s) {
		fmt.Fprintf(&b, "  until %s: %s\n", d.At.Sub(epoch).Round(time.Millisecond), d.Kind)
	}
	return strings.ReplaceAll(b.String(), " \n", "\n")
}

// parseEvent reads "TIME SOURCE NAME [ARGUMENTS]".
func parseEvent(t *testing.T, s Session, line string) Event {
	t.Helper()
	f := strings.SplitN(line, " ", 4)
	if len(f) < 3 {
		t.Fatalf("%q is no event: TIME SOURCE NAME [ARGUMENTS]", line)
	}
	d, err := time.ParseDuration(f[0])
	must(t, err)
	e := Event{At: epoch.Add(d), Source: Source(f[1])}
	arg := ""
	if len(f) == 4 {
		arg = f[3]
	}
	if run, rest, ok := strings.Cut(arg, " "); strings.HasPrefix(run, "run=") || strings.HasPrefix(arg, "run=") {
		if !ok {
			run, rest = arg, ""
		}
		e.Run, err = strconv.Atoi(strings.TrimPrefix(run, "run="))
		must(t, err)
		arg = rest
	}
	e.What = parseWhat(t, s, f[2], arg)
	return e
}

func parseWhat(t *testing.T, s Session, name, arg string) What {
	t.Helper()
	switch name {
	case "Created":
		return parseCreated(arg)
	case "Exited":
		return parseExit(t, arg)
	case "Gone":
		return ProcessEnded{FoundDead: arg == "dead"}
	case "Read":
		return ExitRead{Exit: s.Process.Exit, Failed: arg == "failed"}
	case "Deadline":
		return DeadlinePassed{Kind: DeadlineKind(arg)}
	case "Native":
		return NativeSeen{ID: arg}
	case "Asked":
		return Asked{Kind: "question", Text: arg}
	case "Typed", "Submitted":
		return PromptMoved{PromptID: arg, State: PromptState(strings.ToLower(name))}
	case "Jump":
		by, err := time.ParseDuration(arg)
		must(t, err)
		return ClockJumped{By: by}
	case "Background":
		tasks, err := strconv.Atoi(arg)
		must(t, err)
		return DoneSeen{Background: tasks}
	case "Tool":
		return ToolActivity{Running: true, Native: arg}
	case "ResumeFailed":
		return ResumeFailed{Cause: Cause(arg)}
	case "Escalate":
		return Escalate{Cause: Cause(arg)}
	case "Done":
		return DoneSeen{Native: arg}
	case "Turn":
		return TurnStarted{Native: arg}
	case "Send":
		id, text, _ := strings.Cut(arg, " ")
		return Send{PromptID: id, Text: text}
	}
	for _, w := range everything() {
		if (Event{What: w}).Name() == name {
			return w
		}
	}
	t.Fatalf("there is no event %q", name)
	return nil
}

// parseCreated reads "KIND [PROMPT]".
func parseCreated(arg string) What {
	kind, prompt, _ := strings.Cut(arg, " ")
	spec := testSpec(Kind(kind))
	if spec.Kind == Task {
		spec.Prompt = prompt
	}
	return Created{ID: "story", Name: "story", Spec: spec, PromptID: "first", Prompt: prompt}
}

func parseExit(t *testing.T, arg string) What {
	t.Helper()
	kind, n, _ := strings.Cut(arg, " ")
	v, err := strconv.Atoi(n)
	must(t, err)
	if kind == "signal" {
		return ProcessEnded{Exit: &Exit{Signal: &v}}
	}
	return ProcessEnded{Exit: &Exit{Code: &v}}
}
