package redact

import "bytes"

// noun is the end of a name, and the kind of secret that it promises.
type noun struct{ end, kind string }

// names are the ends of names whose values are secrets, in lower case and
// without separators: GITHUB_TOKEN, client-secret, dbPassword, "api key" as
// apiKey or API_KEY. An end, because it is the noun: a token_count is a count,
// and max_tokens are many.
var names = []noun{
	{"password", "password"}, {"passwd", "password"}, {"passphrase", "password"}, {"pwd", "password"},
	{"secret", "secret"}, {"credential", "secret"}, {"credentials", "secret"},
	{"token", "token"}, {"authorization", "token"},
	{"apikey", "key"}, {"secretkey", "key"}, {"accesskey", "key"}, {"privatekey", "key"},
	{"authkey", "key"}, {"signingkey", "key"}, {"encryptionkey", "key"}, {"masterkey", "key"},
	{"accountkey", "key"},
}

// nouns are the names by their last letter.
var nouns = func() (t [256][]noun) {
	for _, n := range names {
		c := n.end[len(n.end)-1]
		t[c] = append(t[c], n)
	}
	return t
}()

// minKey is what a key has at least. HTML's accesskey is one letter.
const minKey = 3

// longest is more than the longest of names, digits and separators included.
const longest = 40

// secretName is the kind of secret that a name stands for, "" if none.
func secretName(w []byte) string {
	for len(w) > 0 && !is(w[len(w)-1], lower|upper) {
		w = w[:len(w)-1]
	}
	if len(w) < 3 || len(nouns[w[len(w)-1]|0x20]) == 0 {
		return ""
	}
	var room [longest]byte
	low := room[:0]
	for _, c := range w[max(0, len(w)-longest):] {
		if c != '_' && c != '-' {
			low = append(low, c|0x20)
		}
	}
	for _, n := range nouns[low[len(low)-1]] {
		if bytes.HasSuffix(low, []byte(n.end)) && !homonym(low) {
			return n.kind
		}
	}
	// PASS counts tests, DB_PASS opens a database.
	if n := len(w); n > 5 && bytes.EqualFold(w[n-4:], []byte("pass")) && (w[n-5] == '_' || w[n-5] == '-') {
		return "password"
	}
	return ""
}

// homonym: the working folder is called PWD.
func homonym(low []byte) bool { return string(low) == "pwd" || string(low) == "oldpwd" }

// context looks at what stands behind the word v[:e], and notes the secret that
// is due there.
func (f *Filter) context(v []byte, e int, cut bool) {
	w, rest := v[:e], v[e:]
	switch c := rest[0]; {
	case c == ':' && bytes.HasPrefix(rest, []byte("://")):
		if at, n := password(rest[3:]); n > 0 {
			f.due = due{after: e + 3 + at, n: n, kind: "password"}
		}
		return
	case c == ' ' && e == 6 && bytes.EqualFold(w, []byte("bearer")):
		if n := run(rest[1:min(len(rest), 1+maxBare)], bare); strong(rest[1:1+n]) && n >= 16 {
			f.owe(v, due{e + 1, n, "token", bareTail(n)})
		}
		return
	case c == ' ' || c == '\t':
		// Most words end so, and most are followed by another.
		if n := blanks(rest); w[0] != '-' && (n == len(rest) || bytes.IndexByte([]byte(joints), rest[n]) < 0) {
			return
		}
	case !is(c, joint):
		return
	}
	kind := secretName(w)
	if kind == "" {
		return
	}
	o := operator(w, rest, f.prev)
	if o.sort == none {
		return
	}
	a := assigned{name: w, op: o, fresh: f.fresh, header: bytes.EqualFold(w[max(0, e-13):], []byte("authorization"))}
	if at, n, t := a.value(rest[o.n:], cut); n > 0 && (kind != "key" || n >= minKey) {
		f.owe(v, due{e + o.n + at, n, kind, t})
	}
}

// owe notes a secret that is due in v. A shape of its own says more than the
// name in front of it.
func (f *Filter) owe(v []byte, d due) {
	s := v[d.after : d.after+d.n]
	w := run(s, word)
	if i, r := issued(s[:w], false); i == 0 && r.length(s) == d.n {
		d.kind = r.kind
	} else if g := new(Filter).shape(s[:w], s[w:], false); g.n == d.n {
		d.kind = g.kind
	}
	f.due = d
}

// sort is how a name is joined to a value.
type sort uint8

const (
	none   sort = iota
	tight       // NAME=value
	spaced      // name = value, name: value
	code        // :=, ==, =>: only a quoted value is meant
	listed      // "name", "value"
	flag        // --name value
	tagged      // <name>value
)

// op is what stands between a name and its value, n bytes of it.
type op struct {
	sort   sort
	n      int
	inside byte // the quote that name and operator stand in, and nothing else
}

// joints are what operators are made of.
const joints = ":=!>?+"

// operator reads what stands behind the name w.
func operator(w, rest []byte, prev byte) op {
	if rest[0] == '>' {
		if prev == '<' {
			return op{sort: tagged, n: 1}
		}
		return op{}
	}
	q, _ := quoted(rest)
	i := q.n
	if i > 0 && i < len(rest) && rest[i] == ']' {
		i++
	}
	gap := blanks(rest[i:])
	i += gap
	if i == len(rest) {
		return op{}
	}
	var s sort
	switch n := run2(rest[i:], joints); string(rest[i : i+n]) {
	case "=":
		s = tight
	case ":":
		s = spaced
	case ":=", "==", "===", "=>", "!=", "!==", "?:", "?=", "+=":
		s = code
	case "":
		if rest[i] == ',' && q.n > 0 {
			s = listed
			break
		}
		if gap > 0 && q.n == 0 && w[0] == '-' {
			return op{sort: flag, n: i}
		}
		return op{}
	default:
		return op{}
	}
	i += max(1, run2(rest[i:], joints))
	after := blanks(rest[i:])
	if s == tight && gap+after > 0 {
		s = spaced
	}
	o := op{sort: s, n: i + after}
	if q.n == 0 && (prev == '"' || prev == '\'' || prev == '`') {
		o.inside = prev
	}
	return o
}

func blanks(b []byte) int { return run2(b, " \t") }

func run2(b []byte, set string) int {
	for i, c := range b {
		if bytes.IndexByte([]byte(set), c) < 0 {
			return i
		}
	}
	return len(b)
}
