package transcript

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write testdata/*/*.golden again")

// agents are the readers by the beginnings of their folders' names.
var agents = map[string]func() *Reader{"claude": Claude, "codex": Codex}

// readerFor is a fresh reader for a recording.
func readerFor(t testing.TB, path string) *Reader {
	agent, _, _ := strings.Cut(filepath.Base(filepath.Dir(path)), "-")
	if agents[agent] == nil {
		t.Fatalf("%s: no reader for %q", path, agent)
	}
	return agents[agent]()
}

func recordings(t testing.TB) []string {
	paths, err := filepath.Glob("testdata/*/*.jsonl")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	return paths
}

func load(t testing.TB, path string) []byte {
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// story is one line for each entry.
func story(r *Reader) string {
	var b strings.Builder
	for e := range r.Entries() {
		fmt.Fprintf(&b, "%s %-9s", e.At.Format("15:04:05.000"), e.Kind)
		note := func(name, value string) {
			if value != "" {
				fmt.Fprintf(&b, " %s=%s", name, value)
			}
		}
		note("turn", e.Turn[max(0, len(e.Turn)-4):])
		note("edge", map[Edge]string{Begins: "begins", Ends: "ends"}[e.Edge])
		note("agent", e.Agent)
		note("tool", e.Tool)
		note("call", e.Call)
		note("code", e.Code)
		if e.Failed {
			b.WriteString(" failed")
		}
		fmt.Fprintf(&b, " %q\n", e.Text)
	}
	fmt.Fprintf(&b, "%+v, session %s\n", r.Stats(), r.Session())
	return b.String()
}

func TestRecordings(t *testing.T) {
	for _, path := range recordings(t) {
		t.Run(path, func(t *testing.T) {
			r := readerFor(t, path)
			text := load(t, path)
			r.Write(text)
			if r.Offset() != int64(len(text)) {
				t.Errorf("offset %d of %d", r.Offset(), len(text))
			}
			got := story(r)
			golden := strings.TrimSuffix(path, ".jsonl") + ".golden"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if want := string(load(t, golden)); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}
