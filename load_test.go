package tend

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
)

const module = "github.com/tendhq/tend"

// source is one Go file of the tree, of every platform and build tag.
type source struct {
	path      string // from the root, with slashes
	dir       string // "." for the root
	test      bool
	generated bool
	lines     int
	imports   []string
	syntax    *ast.File
}

// tree is all Go code of the module and of tools/, read once.
type tree struct {
	fset  *token.FileSet
	files []source
}

// skipped reports whether a folder holds nothing of ours: what git ignores,
// what others wrote, and data.
func skipped(name string) bool {
	switch name {
	case "bin", "node_modules", "testdata", "vendor":
		return true
	}
	return name != "." && strings.HasPrefix(name, ".")
}

var loadTree = sync.OnceValues(func() (*tree, error) {
	t := &tree{fset: token.NewFileSet()}
	err := filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && skipped(d.Name()):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(p, ".go"):
			return nil
		}
		return t.add(filepath.ToSlash(p))
	})
	return t, err
})

func (t *tree) add(p string) error {
	text, err := os.ReadFile(p)
	if err != nil {
		return err
	}
	f, err := parser.ParseFile(t.fset, p, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	s := source{
		path: p, dir: path.Dir(p), test: strings.HasSuffix(p, "_test.go"),
		generated: ast.IsGenerated(f), syntax: f,
		lines: t.fset.File(f.FileStart).LineCount(),
	}
	if n := len(text); n > 0 && text[n-1] == '\n' {
		s.lines-- // LineCount counts the empty line after the last newline
	}
	for _, i := range f.Imports {
		name, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			return err
		}
		s.imports = append(s.imports, name)
	}
	t.files = append(t.files, s)
	return nil
}

// at is where a node begins, for messages: file:line.
func (t *tree) at(n ast.Node) string {
	p := t.fset.Position(n.Pos())
	return p.Filename + ":" + strconv.Itoa(p.Line)
}

// body is the number of lines between the braces of a function.
func (t *tree) body(n *ast.BlockStmt) int {
	return max(0, t.fset.Position(n.Rbrace).Line-t.fset.Position(n.Lbrace).Line-1)
}

func load(t *testing.T) *tree {
	t.Helper()
	tr, err := loadTree()
	if err != nil {
		t.Fatal(err)
	}
	if len(tr.files) == 0 {
		t.Fatal("no Go files: the test must run at the root of the repository")
	}
	return tr
}
