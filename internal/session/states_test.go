package session

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the golden files anew")

const statesFile = "../../docs/states.md"

const statesHead = `# States

Generated from ` + "`session.Apply`" + ` by ` + "`go test ./internal/session -run States -update`" + `; a test holds it to the code.

Each cell says what an event leads to: the state it becomes, **=** when it stays and facts change, **○** when the event is
recorded and changes nothing, **✗** when a command is refused. After ⇒ stands what is then done in the world. The process
runs in all columns but *dead* and the second *resuming*, where it has ended; the session is a task whose agent can resume.
Deadlines are taken two minutes after the state began, so those that are not due by then change nothing.

`

// columns are the sessions that the tables are about.
func columns() (names []string, all []Session) {
	for _, st := range States {
		switch st {
		case Dead:
			names, all = append(names, "dead"), append(all, inState(st, Exited))
		case Resuming:
			r := inState(st, Running)
			r.Resume.ReadyAt = epoch
			names, all = append(names, "resuming (relaunched)", "resuming (waiting)"), append(all, r, inState(st, Exited))
		case Starting, Ready, Busy, WaitingOnInput, Idle, Done, NeedsAttention:
			names, all = append(names, string(st)), append(all, inState(st, Running))
		}
	}
	return names, all
}

func cell(s Session, w What) string {
	got, effects, err := Apply(s, at(2*time.Minute, w))
	var refused *InvalidTransitionError
	switch {
	case errors.As(err, &refused):
		return "✗"
	case err != nil:
		return "○"
	}
	out := "="
	if got.State != s.State || got.Process.Run != s.Process.Run {
		out = string(got.State)
	}
	if got.State == NeedsAttention && s.State != NeedsAttention {
		out += ": " + string(got.Attention.Cause)
	}
	if got.Life.Closed != nil && s.Life.Closed == nil {
		out += ", archived"
	}
	for _, e := range effects {
		out += " ⇒ " + EffectName(e)
	}
	return out
}

// rowName is an event with the fields that matter.
func rowName(w What) string {
	name := Event{What: w}.Name()
	if detail := detailOf(w); detail != "" {
		return name + " (" + detail + ")"
	}
	return name
}

func either(on bool, yes, no string) string {
	if on {
		return yes
	}
	return no
}

func detailOf(w What) string {
	switch w := w.(type) {
	case ProcessEnded:
		return endDetail(w)
	case ExitRead:
		return either(w.Failed, "failed", DescribeExit(w.Exit)) + either(w.Viewers > 0, ", a terminal is attached", "")
	case DeadlinePassed:
		return string(w.Kind)
	case PromptMoved:
		return string(w.State)
	case ToolActivity:
		return either(w.Running, "begins", "ends")
	case QuietSeen:
		return either(w.MissedNative, "the agent's own signal was missed", "")
	case DoneSeen:
		return either(w.Background > 0, "background tasks still run", "")
	case ResumeProven:
		return either(w.Continuing, "works on already", "")
	case ResumeFailed:
		return string(w.Cause)
	case HooksSilent:
		return either(w.Silent, "silent", "heard again")
	case SuspendSeen:
		return either(w.Stopped, "stopped", "continued")
	case Keep:
		return either(w.On, "on", "off")
	case Asked:
		return either(w.IdleNotice, "notice of being idle", "a question")
	}
	return ""
}

func endDetail(w ProcessEnded) string {
	return either(w.FoundDead, "found dead, no record", DescribeExit(w.Exit)) +
		either(w.RecentOutput != "", ", its output says: log in", "") + either(w.DirMissing, ", directory gone", "")
}

func table(b *strings.Builder, want func(What) bool) {
	names, all := columns()
	fmt.Fprintf(b, "| event | %s |\n|---|%s\n", strings.Join(names, " | "), strings.Repeat("---|", len(names)))
	for _, w := range everything() {
		if _, created := w.(Created); created || !want(w) {
			continue
		}
		fmt.Fprintf(b, "| %s |", rowName(w))
		for _, s := range all {
			fmt.Fprintf(b, " %s |", cell(s, w))
		}
		b.WriteByte('\n')
	}
	b.WriteByte('\n')
}

func diagram(b *strings.Builder) {
	_, all := columns()
	edges := map[string][]string{}
	for _, s := range all {
		for _, w := range everything() {
			got, _, err := Apply(s, at(10*time.Minute, w))
			if err != nil || got.State == s.State {
				continue
			}
			key := fmt.Sprintf("    %s --> %s", s.State, got.State)
			if name := (Event{What: w}).Name(); !slices.Contains(edges[key], name) {
				edges[key] = append(edges[key], name)
			}
		}
	}
	var lines []string
	for k, names := range edges {
		lines = append(lines, k+": "+strings.Join(names, ", "))
	}
	slices.Sort(lines)
	b.WriteString("```mermaid\nstateDiagram-v2\n    [*] --> starting: Created\n" + strings.Join(lines, "\n") + "\n```\n")
}

func TestStatesDocument(t *testing.T) {
	var b strings.Builder
	b.WriteString(statesHead)
	isCommand := func(w What) bool { _, ok := w.(Command); return ok }
	b.WriteString("## What is observed\n\n")
	table(&b, func(w What) bool { return !isCommand(w) })
	b.WriteString("## What is asked for\n\n")
	table(&b, isCommand)
	b.WriteString("## As a picture\n\n")
	diagram(&b)
	if *update {
		must(t, os.WriteFile(statesFile, []byte(b.String()), 0o600))
		must(t, os.Chmod(statesFile, 0o644)) //nolint:gosec // a document
	}
	have, err := os.ReadFile(statesFile)
	must(t, err)
	if string(have) != b.String() {
		t.Fatalf("%s is not what Apply does: go test ./internal/session -run States -update, and read the difference", statesFile)
	}
}
