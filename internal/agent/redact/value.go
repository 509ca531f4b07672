package redact

import "bytes"

// quote is an opening quote: as many backslashes and then a mark. JSON inside
// of JSON has them.
type quote struct {
	mark   byte
	escape int
	n      int
}

const (
	maxEscape = 7
	maxQuote  = maxEscape + 1
)

// quoted reads the quote that b begins with, and what is behind it.
func quoted(b []byte) (quote, []byte) {
	n := 0
	for n < len(b) && n <= maxEscape && b[n] == '\\' {
		n++
	}
	if n < len(b) && n <= maxEscape && (b[n] == '"' || b[n] == '\'' || b[n] == '`') {
		return quote{b[n], n, n + 1}, b[n+1:]
	}
	return quote{}, b
}

// end is where the closing quote begins, -1 if b has none. A quote with more
// backslashes than the opening one belongs to the value, unless they escape
// each other.
func (q quote) end(b []byte) int {
	for i := 0; i < len(b); {
		j := bytes.IndexByte(b[i:], q.mark)
		if j < 0 {
			return -1
		}
		j += i
		n := 0
		for n <= maxEscape && j-n > i && b[j-n-1] == '\\' {
			n++
		}
		if n <= q.escape || q.escape == 0 && n%2 == 0 {
			return j - n*min(1, q.escape)
		}
		i = j + 1
	}
	return -1
}

// unclosed is how much of b lies before any closing quote that its end may cut
// in two.
func unclosed(b []byte) int {
	n := max(0, len(b)-maxQuote)
	if t := len(bytes.TrimRight(b[:n], "\\")); t > 0 {
		return t
	}
	return n
}

// assigned is a name that promises a secret, and what follows it.
type assigned struct {
	name   []byte
	op     op
	fresh  bool // the name begins its line
	header bool // Authorization
}

// value finds the secret in what follows the operator: its place, its length,
// and what of it may lie beyond the view. n is 0 if it is none: a variable, a
// placeholder, a type, code, prose.
func (a assigned) value(b []byte, cut bool) (at, n int, t tail) {
	if len(b) > 1 && is(b[0], lower|upper) && bytes.IndexByte([]byte("bfruBFRU"), b[0]) >= 0 && (b[1] == '"' || b[1] == '\'') {
		at = 1 // a string literal of Python or Rust
	}
	q, inner := quoted(b[at:])
	if q.n > 0 && q.mark == a.op.inside {
		return 0, 0, t // "NAME=" + value
	}
	if q.n == 0 {
		if skip := typed(b); skip > 0 && a.op.sort == spaced {
			at, n, t = assigned{a.name, op{sort: code}, false, a.header}.value(b[skip:], cut)
			return at + skip, n, t
		}
		at, n = a.bare(b)
		return at, n, bareTail(n)
	}
	at += q.n
	n = q.end(inner)
	if n < 0 && cut {
		n, t.quote = unclosed(inner), q
	} else if n < 0 {
		n = wordLen(inner)
		t = bareTail(n)
	}
	if a.header {
		skip := scheme(inner[:n])
		at, n = at+skip, n-skip
	}
	v := b[at : at+n]
	switch {
	case placeholder(v) || keyword(v) || markLen(v) == n || bytes.EqualFold(v, a.name) || bytes.HasPrefix(v, []byte("-----BEGIN")):
		n = 0
	case a.op.sort == listed && !strong(v):
		n = 0
	}
	return at, n, t
}

// typed is the length of a type and an equals sign: password: string = "…".
func typed(b []byte) int {
	n := run(b, alnum)
	if !keyword(b[:n]) {
		return 0
	}
	n += blanks(b[n:])
	if n == 0 || n >= len(b) || b[n] != '=' {
		return 0
	}
	return n + 1 + blanks(b[n+1:])
}

// bare finds a value without quotes.
func (a assigned) bare(b []byte) (at, n int) {
	if a.op.sort == code || a.op.sort == listed {
		return 0, 0
	}
	if a.header {
		at = scheme(b)
	}
	n = wordLen(b[at:])
	v, rest := b[at:at+n], b[at+n:]
	if n == 0 || placeholder(v) || keyword(v) || bytes.EqualFold(v, a.name) {
		return at, 0
	}
	if bytes.Contains(v, []byte(markHead)) || bytes.Contains(v, []byte("://")) {
		return at, 0 // an address has its own rule
	}
	if bytes.HasPrefix(v, []byte("-----BEGIN")) || len(rest) > 0 && (rest[0] == '(' || rest[0] == '[') {
		return at, 0
	}
	ok := false
	switch a.op.sort {
	case tight:
		ok = run(v, digit) < n || n >= 6
		if lowered(a.name) && path(v) {
			ok = false // password=config.password
		}
	case flag:
		ok = strong(v) || bytes.HasPrefix(a.name, []byte("--")) && v[0] != '-' && !prose(v)
	case tagged:
		ok = len(rest) > 0 && rest[0] == '<'
	case spaced:
		ok = strong(v) || at > 0 && n >= 6 || a.fresh && last(rest) && !path(v) && (run(v, digit) < n || n >= 6)
	case none, code, listed:
	}
	if !ok {
		return at, 0
	}
	return at, n
}

// bareTail is what may follow a value without quotes of n bytes.
func bareTail(n int) tail {
	if n < maxBare {
		return tail{}
	}
	return tail{class: bare}
}

// wordLen is the length of a value without quotes, or a little over maxBare. A
// mark in it counts as one byte of it.
func wordLen(b []byte) int {
	for i := 0; ; {
		i += run(b[i:min(len(b), max(i, maxBare))], bare)
		if i >= maxBare {
			return i
		}
		n := markLen(b[i:])
		switch {
		case n > 0:
			i += n
		case i+1 < len(b) && b[i] == '\\' && is(b[i+1], bare) && bytes.IndexByte([]byte("nrtu"), b[i+1]) < 0:
			i++ // a backslash of the value's own
		default:
			return i
		}
	}
}

// scheme is the length of an authentication scheme (RFC 9110, 11.1) and the
// space behind it.
func scheme(b []byte) int {
	n := run(b, lower|upper)
	if n+1 >= len(b) || b[n] != ' ' {
		return 0
	}
	for _, s := range []string{"bearer", "basic", "token", "apikey"} {
		if bytes.EqualFold(b[:n], []byte(s)) {
			return n + 1
		}
	}
	return 0
}

// strong says that a value looks made by a machine, or for one.
func strong(v []byte) bool { return len(v) >= 8 && mixes(v) }

// path: letters with dots between them, as code names a field.
func path(v []byte) bool {
	dots := 0
	for _, c := range v {
		if c == '.' {
			dots++
		} else if !is(c, lower|upper) && c != '_' {
			return false
		}
	}
	return dots > 0
}

func lowered(name []byte) bool { return !bytes.Equal(name, bytes.ToUpper(name)) }

// last says that nothing but a comment follows on the line.
func last(rest []byte) bool {
	n := blanks(rest)
	return n == len(rest) || rest[n] == '\n' || rest[n] == '\r' || n > 0 && rest[n] == '#'
}

// placeholder: a variable, a template, a blank to fill in, or the dots of a
// thing that is already hidden.
func placeholder(v []byte) bool {
	if len(v) == 0 {
		return true
	}
	switch v[0] {
	case '$', '<', '{':
		return true
	case '%':
		return len(v) == 2 || v[len(v)-1] == '%'
	}
	return bytes.Count(v, v[:1]) == len(v) && (len(v) > 2 || !is(v[0], alnum))
}

var keywords = words("any bool boolean bytes bytearray char cstring false nil none null number object optional " +
	"required str string text true undefined unknown varchar void")

func keyword(v []byte) bool { return has(keywords, v) }

var proses = words("and are argument as can flag flags for from if in instead is must not option options or " +
	"parameter should so that the to value was when which will with you")

func prose(v []byte) bool { return has(proses, bytes.TrimRight(v, ".:?!")) }

func words(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range bytes.Fields([]byte(s)) {
		m[string(w)] = true
	}
	return m
}

func has(m map[string]bool, v []byte) bool {
	var low [12]byte
	if len(v) > len(low) {
		return false
	}
	for i, c := range v {
		low[i] = c
		if is(c, upper) {
			low[i] |= 0x20
		}
	}
	return m[string(low[:len(v)])]
}

// password finds the password in the authority of a URL (RFC 3986, 3.2), of
// which b begins behind the two slashes.
func password(b []byte) (at, n int) {
	colon, last := -1, -1
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case c == '[' && markLen(b[i:]) > 0:
			i += markLen(b[i:]) - 1
		case c == ':' && colon < 0:
			colon = i
		case c == '@':
			last = i
		case c <= ' ' || bytes.IndexByte([]byte(`/?#"'<>\`+"`"), c) >= 0:
			i = len(b)
		}
	}
	if colon < 0 || last <= colon+1 {
		return 0, 0
	}
	v := b[colon+1 : last]
	if markLen(v) == len(v) || placeholder(v) {
		return 0, 0
	}
	return colon + 1, len(v)
}
