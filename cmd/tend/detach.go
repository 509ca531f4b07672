package main

import (
	"bytes"
	"fmt"
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
		n := d.match(p)
		if n == 0 {
			if d.armed {
				return pass, true
			}
			pass = append(append(pass, d.keys[:d.have]...), p[0])
			d.have = 0
			p = p[1:]
			continue
		}
		p = p[n:]
		if d.have++; d.have < len(d.keys) {
			continue
		}
		d.have = 0
		if d.armed {
			pass = append(pass, d.keys...)
		}
		d.armed = !d.armed
	}
	return pass, false
}

// match is the length of the next key of the sequence at the start of p, plain
// or as the kitty keyboard protocol spells it.
func (d *detacher) match(p []byte) int {
	key := d.keys[d.have]
	if p[0] == key {
		return 1
	}
	kitty := fmt.Appendf(nil, "\x1b[%d;5u", key|0x60)
	if bytes.HasPrefix(p, kitty) {
		return len(kitty)
	}
	return 0
}
