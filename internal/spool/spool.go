// Package spool is the file through which an agent's hooks reach tend: one line
// a hook, appended by `tend-hold hook` whether or not a daemon runs, and read by
// the daemon from the offset it has consumed. A hook costs its agent a file
// write and nothing else: what goes wrong here is dropped, never told.
package spool

import (
	"encoding/json"
	"time"
)

// The files of a run's folder.
const (
	File     = "hooks.jsonl"
	lockFile = "hooks.lock"
)

// MaxPayload bounds what is kept of one hook's payload, in bytes (DESIGN 7). Of
// a longer one the fields over maxField are left out, which are texts and tool
// results; what tells one event from another is short.
const (
	MaxPayload = 256 << 10
	maxField   = 4 << 10
)

// Line is one hook as it is kept.
type Line struct {
	Seq int64     `json:"seq"` // of the run's hooks, from 1 in the order of appending
	At  time.Time `json:"at"`
	// Via is how the payload came: "hook" on standard input, "notify" as an
	// argument.
	Via string `json:"via"`
	// Payload is the agent's own JSON object, in one line.
	Payload json.RawMessage `json:"payload,omitempty"`
	// Dropped names the fields of the payload that were too long to keep.
	Dropped []string `json:"dropped,omitempty"`
	// Raw is the start of a payload that was no JSON object.
	Raw string `json:"raw,omitempty"`
}

// lineOf is the line of a payload.
func lineOf(seq int64, at time.Time, via string, payload []byte) Line {
	l := Line{Seq: seq, At: at.UTC().Truncate(time.Millisecond), Via: via}
	fields := map[string]json.RawMessage{}
	switch {
	case json.Unmarshal(payload, &fields) != nil:
		l.Raw = string(payload[:min(len(payload), maxField)])
		return l
	case len(payload) <= MaxPayload:
		l.Payload = payload
		return l
	}
	for name, v := range fields {
		if len(v) > maxField {
			delete(fields, name)
			l.Dropped = append(l.Dropped, name[:min(len(name), 64)])
		}
	}
	short, err := json.Marshal(fields)
	if err != nil || len(short) > MaxPayload {
		l.Dropped = nil
		l.Raw = string(payload[:maxField])
		return l
	}
	l.Payload = short
	return l
}
