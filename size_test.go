package tend

import (
	"fmt"
	"go/ast"
	"testing"
)

// The budgets. They are a ratchet: they may go down. Who needs one to go up has
// found a part that wants to be two.
const (
	maxFile    = 400 // lines, comments and tests included
	maxFunc    = 50  // lines between the braces
	maxFields  = 20  // of a struct; an embedded one counts as one
	maxMethods = 6   // of an interface; what it embeds is counted where it is declared
)

// peak is the largest thing found of its sort.
type peak struct {
	what  string
	limit int
	n     int
	where string
}

// see notes one thing and complains about it if it is over the limit.
func (p *peak) see(t *testing.T, n int, where string) {
	if n > p.n {
		p.n, p.where = n, where
	}
	if n > p.limit {
		t.Errorf("%s: %d %s, over %d", where, n, p.what, p.limit)
	}
}

func (p *peak) log(t *testing.T) { t.Logf("%4d of %3d %-30s %s", p.n, p.limit, p.what, p.where) }

func TestSizes(t *testing.T) {
	tr := load(t)
	files := &peak{what: "lines in a file", limit: maxFile}
	funcs := &peak{what: "lines in a function", limit: maxFunc}
	fields := &peak{what: "fields in a struct", limit: maxFields}
	methods := &peak{what: "methods in an interface", limit: maxMethods}
	for _, f := range tr.files {
		if f.generated {
			continue
		}
		files.see(t, f.lines, f.path)
		for n := range ast.Preorder(f.syntax) {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Body != nil && !isList(tr, n.Body) {
					funcs.see(t, tr.body(n.Body), tr.at(n)+" "+n.Name.Name)
				}
			case *ast.FuncLit:
				funcs.see(t, tr.body(n.Body), tr.at(n)+" function literal")
			case *ast.TypeSpec:
				measureType(t, tr, n, fields, methods)
			}
		}
	}
	for _, p := range []*peak{files, funcs, fields, methods} {
		p.log(t)
	}
}

func measureType(t *testing.T, tr *tree, n *ast.TypeSpec, fields, methods *peak) {
	where := fmt.Sprintf("%s %s", tr.at(n), n.Name.Name)
	switch typ := n.Type.(type) {
	case *ast.StructType:
		count := 0
		for _, f := range typ.Fields.List {
			count += max(1, len(f.Names))
		}
		fields.see(t, count, where)
	case *ast.InterfaceType:
		count := 0
		for _, m := range typ.Methods.List {
			count += len(m.Names) // an embedded interface has no name
		}
		methods.see(t, count, where)
	}
}

// isList reports whether a function is nothing but one switch of one-line
// cases, with at most one line before and after it: a table that happens to be
// written as code.
func isList(tr *tree, body *ast.BlockStmt) bool {
	switches := 0
	for _, s := range body.List {
		var cases *ast.BlockStmt
		switch s := s.(type) {
		case *ast.SwitchStmt:
			cases = s.Body
		case *ast.TypeSwitchStmt:
			cases = s.Body
		default:
			if !oneLine(tr, s) {
				return false
			}
			continue
		}
		switches++
		for _, c := range cases.List {
			clause, ok := c.(*ast.CaseClause)
			if !ok || len(clause.Body) > 1 || len(clause.Body) == 1 && !oneLine(tr, clause.Body[0]) {
				return false
			}
		}
	}
	return switches == 1 && len(body.List) <= 3
}

func oneLine(tr *tree, n ast.Node) bool {
	return tr.fset.Position(n.Pos()).Line == tr.fset.Position(n.End()).Line
}
