package main

import (
	"bytes"
	"strconv"
	"strings"
)

// detacher finds the detach keys in what is typed. Once pressed they leave,
// pressed twice they go to the agent.
type detacher struct {
	keys  []byte
	have  int  // keys of the sequence seen
	armed bool // the whole sequence was pressed once
}

// feed returns what goes to the agent. leave: the sequence was followed by
// something else; the rest is dropped.
func (d *detacher) feed(p []byte) (pass []byte, leave bool) {
	for len(p) > 0 {
		k := keyAt(p)
		switch {
		case k.echo && (d.armed || d.have > 0 || k.code == d.keys[0]):
			// letting go of a detach key, or a modifier by itself
		case k.code == d.keys[d.have]:
			if d.press() {
				pass = append(pass, d.keys...)
			}
		case d.armed:
			return pass, true
		default:
			pass = append(append(pass, d.keys[:d.have]...), p[:k.size]...)
			d.have = 0
		}
		p = p[k.size:]
	}
	return pass, false
}

// press takes the next key of the sequence. twice: it was pressed for the
// second time.
func (d *detacher) press() (twice bool) {
	if d.have++; d.have < len(d.keys) {
		return false
	}
	d.have = 0
	twice = d.armed
	d.armed = !d.armed
	return twice
}

// key is one key at the start of what is typed.
type key struct {
	size int
	code byte // the control character that it stands for; 0xff for anything else
	echo bool // it was let go, or is a modifier
}

// other is no control key.
const other = 0xff

// keyAt reads the first key: a byte, or a sequence as the kitty keyboard
// protocol (CSI code;modifiers:event u) or xterm's modifyOtherKeys (CSI
// 27;modifiers;code ~) spell it.
func keyAt(p []byte) key {
	if p[0] < 0x20 && p[0] != 0x1b {
		return key{size: 1, code: p[0]}
	}
	plain := key{size: 1, code: other}
	if !bytes.HasPrefix(p, []byte("\x1b[")) {
		return plain
	}
	end := bytes.IndexFunc(p[2:], func(r rune) bool { return r != ';' && r != ':' && (r < '0' || r > '9') })
	if end < 0 {
		return plain
	}
	fields := strings.Split(string(p[2:2+end]), ";")
	switch {
	case p[2+end] == 'u':
	case p[2+end] == '~' && len(fields) == 3 && fields[0] == "27":
		fields = []string{fields[2], fields[1]}
	default:
		return plain
	}
	k := key{size: end + 3, code: other}
	code, mods, event := numbers(fields)
	k.echo = event == 3 || code >= 57441 && code <= 57454
	const control, locks = 4, 64 | 128
	if (mods-1)&^locks == control && code >= '@' && code <= 'z' {
		k.code = byte(code) & 0x1f
	}
	return k
}

// numbers are the key, its modifiers and the kind of event.
func numbers(fields []string) (code, mods, event int) {
	first := func(s string) (n int, rest string) {
		s, rest, _ = strings.Cut(s, ":")
		n, _ = strconv.Atoi(s)
		return n, rest
	}
	code, _ = first(fields[0])
	mods, event = 1, 1
	if len(fields) > 1 {
		var rest string
		if mods, rest = first(fields[1]); rest != "" {
			event, _ = first(rest)
		}
	}
	return code, max(mods, 1), event
}
