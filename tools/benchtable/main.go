// Command benchtable turns the output of go test -bench into a table, with the
// goals of goals.txt beside what was measured. It judges nothing else: a goal
// that is missed is marked, and the exit status is 0. A failed benchmark is
// printed as it came, above the table.
package main

import (
	"bufio"
	_ "embed"
	"fmt"
	"io"
	"os"
	"path"
	"regexp"
	"strconv"
	"strings"
	"text/tabwriter"
)

//go:embed goals.txt
var goalsText string

// goal is one line of goals.txt.
type goal struct {
	name, unit *regexp.Regexp
	atLeast    bool
	value      float64
	text       string
	seen       bool
}

// row is one measured value.
type row struct {
	pkg, name, unit string
	value           float64
}

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "benchtable:", err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer) error {
	goals, err := readGoals(goalsText)
	if err != nil {
		return err
	}
	rows, err := readRows(in, out)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "package\tbenchmark\tvalue\tunit\tgoal\tvalue/goal\t")
	for _, r := range rows {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t\n", r.pkg, r.name, number(r.value), r.unit, verdict(goals, r))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, g := range goals {
		if !g.seen {
			fmt.Fprintln(out, "not measured:", g.text)
		}
	}
	return nil
}

// readGoals parses lines of: benchmark regexp, unit regexp, >= or <=, value.
func readGoals(text string) ([]*goal, error) {
	var goals []*goal
	for n, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "#")
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		if len(f) != 4 || f[2] != ">=" && f[2] != "<=" {
			return nil, fmt.Errorf("goals.txt:%d: want: benchmark unit >=|<= value", n+1)
		}
		name, err := regexp.Compile(f[0])
		if err != nil {
			return nil, fmt.Errorf("goals.txt:%d: %w", n+1, err)
		}
		unit, err := regexp.Compile("^(?:" + f[1] + ")$")
		if err != nil {
			return nil, fmt.Errorf("goals.txt:%d: %w", n+1, err)
		}
		v, err := strconv.ParseFloat(f[3], 64)
		if err != nil {
			return nil, fmt.Errorf("goals.txt:%d: %w", n+1, err)
		}
		goals = append(goals, &goal{name: name, unit: unit, atLeast: f[2] == ">=", value: v, text: strings.Join(f, " ")})
	}
	return goals, nil
}

// processors is the suffix that go test adds to a benchmark's name.
var processors = regexp.MustCompile(`-\d+$`)

// readRows takes the results out of go test's output, which it passes on to
// standard error, and repeats the lines that say something went wrong.
func readRows(in io.Reader, out io.Writer) ([]row, error) {
	var rows []row
	var pkg string
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		fmt.Fprintln(os.Stderr, line) // a long run shows where it is
		if p, ok := strings.CutPrefix(line, "pkg: "); ok {
			pkg = path.Base(p)
			continue
		}
		f := strings.Fields(line)
		if len(f) < 4 || !strings.HasPrefix(f[0], "Benchmark") {
			if bad(line) {
				fmt.Fprintln(out, line)
			}
			continue
		}
		name := processors.ReplaceAllString(strings.TrimPrefix(f[0], "Benchmark"), "")
		for i := 2; i+1 < len(f); i += 2 {
			v, err := strconv.ParseFloat(f[i], 64)
			if err != nil {
				break
			}
			if f[i+1] == "ns/op" && v == 0 {
				continue // a benchmark that measures something else
			}
			rows = append(rows, row{pkg: pkg, name: name, unit: f[i+1], value: v})
		}
	}
	return rows, lines.Err()
}

// bad reports whether a line of go test's output is not part of a good run.
func bad(line string) bool {
	for _, p := range []string{"goos:", "goarch:", "cpu:", "PASS", "ok  ", "?   ", "testing: warning: no tests"} {
		if strings.HasPrefix(line, p) {
			return false
		}
	}
	return strings.TrimSpace(line) != ""
}

// verdict is the goal and how far from it a value is.
func verdict(goals []*goal, r row) string {
	for _, g := range goals {
		if !g.name.MatchString(r.name) || !g.unit.MatchString(r.unit) {
			continue
		}
		g.seen = true
		sign, met := "<=", r.value <= g.value
		if g.atLeast {
			sign, met = ">=", r.value >= g.value
		}
		word := "MISSED"
		if met {
			word = "ok"
		}
		return fmt.Sprintf("%s %s %s\t%.2f", sign, number(g.value), word, r.value/g.value)
	}
	return "\t"
}

func number(v float64) string {
	switch {
	case v == 0 || v >= 1000:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}
