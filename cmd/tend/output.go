package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/tendhq/tend/api"
)

// kept is an output that keeps the first error, so that a verb that prints to a
// full disk never ends as if all had been said.
type kept struct {
	io.Writer
	err error
}

func (k *kept) Write(b []byte) (int, error) {
	n, err := k.Writer.Write(b)
	if k.err == nil {
		k.err = err
	}
	return n, err
}

// screen is the terminal that the output goes to, if it is one.
func (p *program) screen() (*os.File, bool) {
	out := p.stdout
	if k, ok := out.(*kept); ok {
		out = k.Writer
	}
	f, ok := out.(*os.File)
	return f, ok && term.IsTerminal(int(f.Fd()))
}

// print writes v as JSON on one line.
func (p *program) print(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(p.stdout, string(b))
	return err
}

// report prints a session after a command: JSON, or a line.
func (p *program) report(s api.Session, what string) error {
	if p.json {
		return p.print(s)
	}
	_, err := fmt.Fprintf(p.stdout, "%s %s: %s\n", short(s.Name, 60), shortID(s.ID), what)
	return err
}

// idLength is how much of an id is shown: the moment of creation.
const idLength = 10

// shortID is enough of an id to name a session among this person's.
func shortID(id string) string { return id[:min(len(id), idLength)] }

// shortest is how much of the ids tells all of them apart.
func shortest(list []api.Session) int {
	for n := idLength; ; n++ {
		seen := map[string]bool{}
		for _, s := range list {
			seen[s.ID[:min(len(s.ID), n)]] = true
		}
		if len(seen) == len(list) || n > 26 {
			return n
		}
	}
}

func (p *program) color() bool {
	_, ok := p.screen()
	return ok && p.env("NO_COLOR") == "" && p.env("TERM") != "dumb"
}

func (p *program) width() int {
	if f, ok := p.screen(); ok {
		if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 40 {
			return w
		}
	}
	return 240
}

// groups are the parts of a list in their order, with glyph, words and colour.
var groups = []struct{ name, title, glyph, color string }{
	{"needsYou", "NEEDS YOU", "!", "\x1b[1;33m"},
	{"working", "WORKING", "*", "\x1b[36m"},
	{"ready", "READY", "+", "\x1b[32m"},
	{"ended", "ENDED", "-", "\x1b[2m"},
}

// table is the list of sessions as people read it.
func (p *program) table(list []api.Session, now time.Time) string {
	var b strings.Builder
	all, wide, label, id := p.width(), 8, 8, shortest(list)
	for _, s := range list {
		wide = max(wide, min(cells(clean(s.Name)), all/5, 24))
		label = max(label, min(cells(clean(s.View.Label)), all/3, 40))
	}
	room := max(all-wide-label-id-17, 10)
	for _, g := range groups {
		members := slices.DeleteFunc(slices.Clone(list), func(s api.Session) bool { return s.View.Group != g.name })
		if len(members) == 0 {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s\n", p.paint(g.color, g.title))
		slices.SortStableFunc(members, func(a, b api.Session) int { return a.StateAt.Compare(b.StateAt.Time) })
		for _, s := range members {
			fmt.Fprintf(&b, "  %s %s  %s  %s  %s  %s\n", p.paint(g.color, g.glyph), s.ID[:min(len(s.ID), id)], pad(short(s.Name, wide), wide),
				p.paint(g.color, pad(short(s.View.Label, label), label)), pad(age(now.Sub(s.StateAt.Time)), 4), short(s.View.Why, room))
		}
	}
	if b.Len() == 0 {
		return "no sessions: tend run COMMAND starts one\n"
	}
	return b.String()
}

func (p *program) paint(color, text string) string {
	if !p.color() {
		return text
	}
	return color + text + "\x1b[0m"
}

func pad(s string, n int) string { return s + strings.Repeat(" ", max(n-cells(s), 0)) }

// age is a time span in one unit.
func age(d time.Duration) string {
	switch {
	case d < 0:
		return "0s"
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	}
	return fmt.Sprintf("%dd", int(d.Hours()/24))
}
