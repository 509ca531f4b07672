// Package tend holds no program: its tests keep the shape of the repository.
// arch_test.go is the import table, size_test.go the budgets, words_test.go
// what may not be written anywhere.
package tend

import (
	"path"
	"slices"
	"strings"
	"testing"
)

// layer is one row of the import table: what the non-test code of a folder, and
// of the folders below it without a row of their own, may import.
type layer struct {
	dir  string
	ours []string // folders of ours; "x/..." is x and all below, "..." anything
	std  []string // if set, the only packages of the standard library
	deny []string // never these, of whatever origin; "x/..." as above
	test bool     // support for tests: may import package testing
}

// pure is all that the deciding packages may use of the standard library: no
// clock beyond the type time.Time (see TestPureHasNoClock), no I/O, no locks,
// no context, no goroutines.
var pure = []string{
	"bytes", "cmp", "crypto/sha256", "embed", "encoding/...", "errors", "fmt", "hash/...", "html",
	"iter", "maps", "math", "math/bits", "net/url", "path", "regexp", "regexp/syntax", "slices",
	"sort", "strconv", "strings", "text/tabwriter", "time", "unicode", "unicode/...",
}

// table is the import table. A new package needs a row before it compiles past
// CI: decide where it stands first.
var table = []layer{
	{dir: "internal/session", std: pure},
	{dir: "internal/screen", std: pure},
	{dir: "internal/screen/sample", test: true}, // streams of bytes to measure with
	{dir: "internal/agent", std: pure, ours: []string{"internal/session", "internal/screen", "internal/agent/transcript"}},
	{dir: "internal/agent/fakemodel"}, // the model APIs, for tests
	{dir: "internal/agent/realagents", ours: []string{"internal/agent/fakemodel", "internal/screen"}, test: true},
	{dir: "internal/agent/redact", std: pure},
	{dir: "internal/agent/transcript", std: pure, ours: []string{"internal/agent/redact"}},

	{dir: "internal/supervisor", ours: []string{"internal/session"}, deny: []string{"net/http", "database/sql/...", "os/exec"}},
	{dir: "internal/supervisor/hosttest", ours: []string{"internal/session", "internal/supervisor"}, test: true},
	{dir: "internal/supervisor/storetest", ours: []string{"internal/session", "internal/supervisor"}, test: true},

	// The technologies. None knows another, and none knows who drives it.
	{dir: "internal/pty", ours: []string{"internal/session", "internal/pty/...", "internal/spool/..."}, deny: []string{"net/http", "database/sql/..."}},
	{dir: "internal/spool"},
	{dir: "internal/spool/bell", ours: []string{"internal/spool"}},
	{dir: "internal/tmux", ours: []string{"internal/session", "internal/tmux/...", "internal/spool/..."}, deny: []string{"net/http", "database/sql/..."}},
	{dir: "internal/sqlite", ours: []string{"internal/session", "internal/sqlite/..."}, deny: []string{"net/http", "os/exec"}},
	{dir: "internal/notify", ours: []string{"internal/session", "internal/notify/..."}, deny: []string{"database/sql/..."}},

	{dir: "api", deny: []string{"os/exec", "database/sql/..."}},
	{dir: "internal/server", ours: []string{"api", "internal/session", "internal/supervisor", "web"}, deny: []string{"os/exec", "database/sql/..."}},
	{dir: "internal/tui", ours: []string{"api"}, deny: []string{"os/exec", "database/sql/..."}},
	{dir: "web"},

	{dir: "cmd/tend", ours: []string{"..."}},
	{dir: "cmd/tend-hold", ours: []string{"internal/pty/...", "internal/spool"}},

	{dir: "internal/fakeagent"},
	{dir: ".", ours: []string{"..."}, test: true},   // this file
	{dir: "e2e", ours: []string{"..."}, test: true}, // the built program
}

// owners says which folders may import a module that is not ours. One
// technology, one package.
var owners = map[string][]string{
	"charm.land/...":                       {"internal/tui"},
	"github.com/BurntSushi/toml":           {"cmd/tend"},
	"github.com/creack/pty":                {"internal/pty", "cmd/tend"},
	"github.com/danielgtaylor/huma/v2/...": {"internal/server"},
	"github.com/fsnotify/fsnotify":         {"internal/spool/bell"},
	"github.com/oklog/ulid/v2":             {"internal/supervisor"},
	"github.com/spf13/...":                 {"cmd/tend"},
	"golang.org/x/sys/...":                 {"internal", "cmd"},
	"golang.org/x/term":                    {"internal/pty", "internal/tui", "internal/fakeagent", "cmd/tend"},
	"modernc.org/...":                      {"internal/sqlite"},
}

// light is what the small binary may not hold, however far away: each costs
// memory in every session's holder.
var light = []string{
	"net/http", "database/sql/...", "modernc.org/...", "github.com/spf13/...", "charm.land/...",
	"github.com/danielgtaylor/...", "text/template", "html/template", "crypto/tls",
}

// forbidden are names that say nothing about what is inside.
var forbidden = []string{
	"base", "common", "config", "constants", "core", "helper", "helpers", "misc", "models", "shared",
	"types", "util", "utils",
}

// matches reports whether a pattern of the table names p.
func matches(pattern, p string) bool {
	if pattern == "..." {
		return true
	}
	if dir, ok := strings.CutSuffix(pattern, "/..."); ok {
		return p == dir || strings.HasPrefix(p, dir+"/")
	}
	return p == pattern
}

func matchesAny(patterns []string, p string) bool {
	return slices.ContainsFunc(patterns, func(q string) bool { return matches(q, p) })
}

// rowOf is the row of a folder: the longest that names it or a folder above it.
func rowOf(dir string) (best layer, ok bool) {
	for _, l := range table {
		if (dir == l.dir || strings.HasPrefix(dir, l.dir+"/")) && len(l.dir) >= len(best.dir) {
			best, ok = l, true
		}
	}
	return best, ok
}

// own turns an import path into a folder of this repository.
func own(p string) (string, bool) {
	if p == module {
		return ".", true
	}
	return strings.CutPrefix(p, module+"/")
}

func isStd(p string) bool {
	first, _, _ := strings.Cut(p, "/")
	return !strings.Contains(first, ".")
}

// objection says why a folder may not import p, "" if it may.
func (l layer) objection(p string) string {
	dir, ours := own(p)
	switch {
	case matchesAny(l.deny, p):
		return "is denied to " + l.dir
	case ours && !matchesAny(l.ours, dir):
		return "is not in the row of " + l.dir
	case ours:
		return ""
	case isStd(p):
		return l.stdObjection(p)
	case l.std != nil:
		return "is a dependency, and " + l.dir + " is pure"
	case l.test:
		return ""
	}
	return ownerObjection(l.dir, p)
}

func (l layer) stdObjection(p string) string {
	switch {
	case l.std != nil && !matchesAny(l.std, p):
		return "is not pure, and " + l.dir + " is"
	case (p == "testing" || strings.HasPrefix(p, "testing/")) && !l.test:
		return "belongs in tests"
	}
	return ""
}

func ownerObjection(dir, p string) string {
	for pattern, dirs := range owners {
		if !matches(pattern, p) {
			continue
		}
		for _, d := range dirs {
			if matches(d+"/...", dir) {
				return ""
			}
		}
		return "belongs to " + strings.Join(dirs, ", ")
	}
	return "is a dependency without an owner: add it to owners, with a record in docs/decisions"
}

func TestImports(t *testing.T) {
	for _, f := range load(t).files {
		if f.dir == "tools" || strings.HasPrefix(f.dir, "tools/") {
			continue // a module of its own
		}
		row, ok := rowOf(f.dir)
		if !ok {
			t.Errorf("%s: %s has no row in the import table", f.path, f.dir)
			continue
		}
		if f.test {
			continue
		}
		for _, p := range f.imports {
			if why := row.objection(p); why != "" {
				t.Errorf("%s: %s %s", f.path, p, why)
			}
		}
	}
}

// TestPureTests: the tests of a pure package may read files and use the clock,
// but they too know nothing of the packages around it.
func TestPureTests(t *testing.T) {
	for _, f := range load(t).files {
		row, ok := rowOf(f.dir)
		if !ok || row.std == nil || !f.test {
			continue
		}
		for _, p := range f.imports {
			if dir, ours := own(p); ours && !matches(row.dir+"/...", dir) && !matchesAny(row.ours, dir) {
				t.Errorf("%s: %s is not in the row of %s", f.path, p, row.dir)
			}
		}
	}
}

// TestSmallBinary follows the imports of tend-hold through our own packages.
func TestSmallBinary(t *testing.T) {
	tr := load(t)
	queue, seen := []string{"cmd/tend-hold"}, map[string]bool{}
	for len(queue) > 0 {
		dir := queue[0]
		queue = queue[1:]
		if seen[dir] {
			continue
		}
		seen[dir] = true
		for _, f := range tr.files {
			if f.dir != dir || f.test {
				continue
			}
			for _, p := range f.imports {
				if sub, ours := own(p); ours {
					queue = append(queue, sub)
				} else if matchesAny(light, p) {
					t.Errorf("%s: %s is too heavy for the small binary", f.path, p)
				}
			}
		}
	}
	t.Logf("tend-hold is made of %d packages of ours", len(seen))
}

func TestPackageNames(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range load(t).files {
		name := path.Base(f.dir)
		pkg := strings.TrimSuffix(f.syntax.Name.Name, "_test")
		for _, n := range []string{name, pkg} {
			if slices.Contains(forbidden, n) && !seen[f.dir] {
				seen[f.dir] = true
				t.Errorf("%s: %q names nothing one can point at", f.dir, n)
			}
		}
	}
}
