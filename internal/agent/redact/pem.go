package redact

import "bytes"

// pem is the way through a private key (RFC 7468, RFC 1421). The lines that
// begin and end it stay; what is between them becomes one mark. A line that
// begins one in prose or in code, with no key behind it, costs nothing.
//
// Keys come quoted, numbered, indented, joined by \n or by +, so that lines say
// little. What is looked for is runs of base64, and what may stand between them.
type pem struct {
	on     bool
	marked bool   // the mark is out
	short  bool   // the last line was short: it was the last
	lines  int    // since the beginning, without a key
	gap    []byte // between runs, to be dropped or given back
}

const (
	keyRun   = 32 // bytes of base64 that are not an ordinary word
	keyHead  = 6  // lines before the key: Proc-Type, DEK-Info, an empty one
	keyGap   = 64 // bytes between two lines of a key
	gapBytes = " \t\r\n\"'`+,;>|#*"
)

func (p *pem) stop() { p.on = false }

// owed takes back what stood between two runs when no second one came.
func (p *pem) owed() []byte {
	if p.on || len(p.gap) == 0 {
		return nil
	}
	gap := p.gap
	p.gap = p.gap[:0]
	return gap
}

// begins arms p if the word w and rest begin a private key.
func (p *pem) begins(w, rest []byte) {
	if string(w) != "-----BEGIN" {
		return
	}
	n := 0
	for n < len(rest) && n < 64 && (is(rest[n], upper|digit) || rest[n] == ' ') {
		n++
	}
	label := bytes.TrimSuffix(rest[:n], []byte(" BLOCK"))
	if bytes.HasSuffix(label, []byte("PRIVATE KEY")) && bytes.HasPrefix(rest[n:], []byte("-----")) {
		*p = pem{on: true, gap: p.gap[:0]}
	}
}

// body decides on v inside of a private key; no step means that v is not of the
// key.
func (f *Filter) body(v []byte) step {
	p := &f.pem
	n := run(v, base64)
	if n >= keyRun && (p.marked || !is(f.prev, word) && (f.prev != '\\' || f.escape(v[:n]) == 0)) {
		return f.key(n)
	}
	if !p.marked {
		if v[0] == '\n' || v[0] == '\\' && len(v) > 1 && v[1] == 'n' {
			p.lines++
		}
		if p.lines > keyHead {
			p.stop()
		}
		return step{}
	}
	g := 0
	switch {
	case v[0] == '\\' && len(v) > 1 && bytes.IndexByte([]byte("nrt"), v[1]) >= 0:
		g = 2
	case v[0] >= 0x80 || bytes.IndexByte([]byte(gapBytes), v[0]) >= 0 || v[0] == '\\':
		g = 1
	case n > 0 && n <= 6 && run(v[:n], digit) == n:
		g = n // the number of a line
	case n > 0 && !p.short && bytes.IndexByte(p.gap, '\n')+bytes.IndexByte(p.gap, '\\') > -2:
		p.short = true
		return f.key(n)
	}
	if g == 0 || len(p.gap)+g > keyGap {
		f.release()
		return step{}
	}
	p.gap = append(p.gap, v[:g]...)
	return step{n: g, act: swallow}
}

// key takes a line of a key: the first becomes the mark.
func (f *Filter) key(n int) step {
	f.pem.gap = f.pem.gap[:0]
	if f.pem.marked {
		return step{n: n, act: swallow}
	}
	f.pem.marked = true
	return step{n: n, act: replace, kind: "private-key"}
}

// release ends the key: what was kept of the gap comes out before the next step.
func (f *Filter) release() {
	f.pem.stop()
	if gap := f.pem.gap; len(gap) > 0 {
		f.prev = gap[len(gap)-1]
		f.fresh = f.fresh || bytes.IndexByte(gap, '\n') >= 0
	}
}
