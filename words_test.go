package tend

import (
	"bytes"
	"go/ast"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestPureHasNoClock: time is an input of the deciding packages.
func TestPureHasNoClock(t *testing.T) {
	clock := []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker"}
	tr := load(t)
	for _, f := range tr.files {
		row, _ := rowOf(f.dir)
		if row.std == nil || f.test {
			continue
		}
		for n := range ast.Preorder(f.syntax) {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && x.Name == "time" && slices.Contains(clock, n.Sel.Name) {
					t.Errorf("%s: time.%s in a pure package", tr.at(n), n.Sel.Name)
				}
			case *ast.GoStmt:
				t.Errorf("%s: a goroutine in a pure package", tr.at(n))
			}
		}
	}
}

// TestComments: what is not done is an issue, not a comment.
func TestComments(t *testing.T) {
	marks := []string{"TODO", "FIXME", "XXX", "HACK"}
	word := func(m string) *regexp.Regexp { return regexp.MustCompile(`\b` + m + `\b`) }
	tr := load(t)
	for _, f := range tr.files {
		for _, g := range f.syntax.Comments {
			for _, c := range g.List {
				for _, m := range marks {
					if strings.Contains(c.Text, m) && word(m).MatchString(c.Text) {
						t.Errorf("%s: %s in a comment", tr.at(c), m)
					}
				}
			}
		}
	}
}

// TestSkips: a test that does not run says why.
func TestSkips(t *testing.T) {
	tr := load(t)
	for _, f := range tr.files {
		for n := range ast.Preorder(f.syntax) {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				continue
			}
			sel, ok := call.Fun.(*ast.SelectorExpr)
			if !ok {
				continue
			}
			bare := (sel.Sel.Name == "Skip" || sel.Sel.Name == "Skipf") && (len(call.Args) == 0 || isEmpty(call.Args[0]))
			if bare || sel.Sel.Name == "SkipNow" {
				t.Errorf("%s: %s without a reason", tr.at(n), sel.Sel.Name)
			}
		}
	}
}

func isEmpty(e ast.Expr) bool {
	l, ok := e.(*ast.BasicLit)
	return ok && len(l.Value) == 2
}

// findAgent is the first agent that a text names, "" for none.
func findAgent(text string) string {
	text = strings.ToLower(text)
	for _, name := range agentNames {
		if strings.Contains(text, name) {
			return name
		}
	}
	return ""
}

// agentNames are the agents that tend knows. Their names in code outside
// internal/agent are how "if claude" creeps into a scheduler.
var agentNames = []string{"claude", "codex", "gemini", "opencode"}

// mayName lists the other files whose strings may name an agent, with the
// reason. Identifiers may not, anywhere.
var mayName = map[string]string{
	"cmd/tend/demo.go": "its last lines say how to run one's own agent",
	"cmd/tend/root.go": "an example in the help",
	"cmd/tend/run.go":  "names of environment variables to pass on or to hold back, and an example in the help",
}

func TestAgentNames(t *testing.T) {
	tr := load(t)
	used := map[string]bool{}
	for _, f := range tr.files {
		if f.test || f.generated || matches("internal/agent/...", f.dir) {
			continue
		}
		for n := range ast.Preorder(f.syntax) {
			text, literal := wordOf(n)
			if m := findAgent(text); m == "" {
				continue
			} else if !literal || mayName[f.path] == "" {
				t.Errorf("%s: %q outside internal/agent", tr.at(n), m)
			}
			used[f.path] = true
		}
	}
	for p := range mayName {
		if !used[p] {
			t.Errorf("%s names no agent any more: take it out of mayName", p)
		}
	}
}

// wordOf is the text of an identifier or of a string literal.
func wordOf(n ast.Node) (text string, literal bool) {
	switch n := n.(type) {
	case *ast.Ident:
		return n.Name, false
	case *ast.BasicLit:
		if n.Kind == token.STRING {
			return n.Value, true
		}
	}
	return "", false
}

// places are absolute paths of somebody's machine and addresses that belong in
// a machine's own settings. Examples use /home/somebody.
var places = regexp.MustCompile(`(?:^|[^\w./~-])(?:/(?:root|work|workspace|builds|Users/\w+|home/\w+)/[\w.]` +
	`|https?://(?:registry|goproxy|proxy|mirrors?|npm|artifactory|nexus)[.\w-]*)`)

// suspects are what every place begins with: a quick look at a line.
var suspects = []string{
	"/root/", "/work", "/builds/", "/Users/", "/home/", "://registry", "://goproxy", "://proxy", "://mirror",
	"://npm", "://artifactory", "://nexus",
}

func suspicious(line string) bool {
	return slices.ContainsFunc(suspects, func(s string) bool { return strings.Contains(line, s) })
}

var example = regexp.MustCompile(`/(?:home|Users)/(?:somebody|me|you|user|alice|bob)/`)

// TestPlaces: a clone of the repository knows nothing of where it was written.
func TestPlaces(t *testing.T) {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for p, text := range texts(t) {
		for n, line := range strings.Split(text, "\n") {
			if suspicious(line) {
				if m := places.FindString(example.ReplaceAllString(line, "~/")); m != "" {
					t.Errorf("%s:%d: %q is a place on some machine", p, n+1, m)
				}
			}
			if strings.Count(here, "/") > 1 && strings.Contains(line, here+"/") {
				t.Errorf("%s:%d: names this folder, %s", p, n+1, here)
			}
		}
	}
}

// written are files that the checklists name and that come with a later step.
var written = []string{
	"docs/security.md", "docs/states.md", "internal/agent/testdata/", "internal/notify", "internal/supervisor/hosttest",
}

// TestChecklists: the files that CONTRIBUTING names are there.
func TestChecklists(t *testing.T) {
	text, err := os.ReadFile("CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`((?:api|cmd|docs|e2e|internal|tools)/[^`<> ]*)`")
	for _, m := range named.FindAllStringSubmatch(string(text), -1) {
		if _, err := os.Stat(m[1]); err != nil && !slices.Contains(written, m[1]) {
			t.Errorf("CONTRIBUTING.md names %s, which is not there", m[1])
		}
	}
}

// texts reads every text file that is not ignored or too long to be written by
// hand.
func texts(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{".git", ".tools", "bin", "node_modules"}, d.Name()):
			return filepath.SkipDir
		case !d.Type().IsRegular() || d.Name() == ".git":
			return nil
		}
		b, err := os.ReadFile(p)
		if err == nil && len(b) < 4<<20 && utf8.Valid(b) && !bytes.ContainsRune(b, 0) {
			all[p] = string(b)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
