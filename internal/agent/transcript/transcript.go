// Package transcript reads the records that agents keep of their own sessions
// (JSON, a line each) and says what happened in terms that tend has for all of
// them: prompts, answers, tools and their results, interrupts, errors. An
// interrupt by Esc is in no hook of some agents: here it is.
//
// The records are not ours. Their form changes weekly, a kill tears their last
// line, a full disk leaves runs of NUL in them, and a pasted picture makes a
// line of many megabytes. So a Reader fails at nothing: what it cannot read it
// skips and counts. It refuses to decide what an entry means for a session, and
// to keep what it has read. It has no clock and does no I/O.
package transcript

import (
	"bytes"
	"iter"
	"time"
)

const (
	// MaxLine is the longest line that is read, in bytes. A longer one is
	// skipped as it comes and counted; it is not held.
	MaxLine = 1 << 20
	// MaxText is the longest text of an entry, in bytes.
	MaxText = 8 << 10
)

// Kind is what an entry is.
type Kind uint8

// The kinds.
const (
	Prompt    Kind = iota + 1 // what the user asked, or typed while the agent worked
	Answer                    // what the agent said
	Tool                      // what the agent called; Text is the input as the agent gave it, mostly JSON
	Result                    // what the tool gave back
	Interrupt                 // the user stopped the turn
	Error                     // the turn, or a try of it, failed
	System                    // the agent's program spoke: a command, a notice, a boundary
)

var kinds = [...]string{"", "prompt", "answer", "tool", "result", "interrupt", "error", "system"}

func (k Kind) String() string {
	if int(k) < len(kinds) {
		return kinds[k]
	}
	return "unknown"
}

// Edge is what an entry says about its turn.
type Edge uint8

// The edges. A record may name the same one twice.
const (
	Within Edge = iota
	Begins
	Ends
)

// Entry is one thing that happened.
type Entry struct {
	At   time.Time // as the agent wrote it; zero if it did not
	Kind Kind
	Edge Edge
	// Text is redacted, valid UTF-8 and at most MaxText bytes. It may hold
	// control characters: it is for a reader that escapes them.
	Text string
	Cut  bool // Text is only the beginning

	Tool   string // of a Tool and, while its call is remembered, of its Result
	Call   string // the agent's id for the call
	Failed bool   // of a Result: the tool failed or was refused
	Code   string // of an Error: the agent's word for its sort; of an Interrupt: the reason

	Turn  string // the agent's id for the turn, "" if it is not known
	Agent string // of a sub-agent, "" for the agent itself

	Offset int64 // where the entry's line begins in the record
}

// Stats counts lines by what became of them.
type Stats struct {
	Lines   int64 // complete ones, empty ones left out
	Invalid int64 // no JSON, or not an object: torn
	Long    int64 // over MaxLine
	Unknown int64 // of a sort that this version does not know
}

// Reader reads one record from any offset on, in pieces of any size. What it
// gives does not depend on the pieces. It holds at most MaxLine bytes and the
// entries not yet taken. It belongs to one goroutine.
type Reader struct {
	decode func(*Reader, []byte) sort
	line   []byte // the beginning of a line whose end is still to come
	long   bool   // the line is over MaxLine: the rest is skipped
	start  int64  // where the line begins
	at     int64  // how much was written
	stats  Stats
	turn   string
	id     string
	calls  calls
	out    []Entry
}

// sort is what a line turned out to be.
type sort uint8

const (
	known sort = iota
	unknown
	invalid
)

// Resume makes a fresh Reader go on where another stood: its Offset and its
// Turn. What is written next begins at that offset.
func (r *Reader) Resume(offset int64, turn string) {
	r.start, r.at, r.turn = offset, offset, turn
}

// Offset is where the first line begins that is not read yet: the place to go
// on from after a restart. All entries of the lines before it have been given,
// or wait in Entries.
func (r *Reader) Offset() int64 { return r.start }

// Turn is the agent's id for the turn that the record is in, "" if unknown.
func (r *Reader) Turn() string { return r.turn }

// Session is the agent's id for the session, as the last line with one has it.
func (r *Reader) Session() string { return r.id }

// Stats counts what was read so far.
func (r *Reader) Stats() Stats { return r.stats }

// Write takes the next piece of the record. It takes all of it and never fails.
// Take the entries before the next call, or they pile up.
func (r *Reader) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		line, after, whole := bytes.Cut(rest, []byte{'\n'})
		r.split(line)
		if whole {
			r.finish(1)
		}
		rest = after
	}
	return len(p), nil
}

// split takes bytes without a newline. A NUL ends a line too: JSON has none, and
// a file system leaves runs of them where a line was lost.
func (r *Reader) split(b []byte) {
	for len(b) > 0 {
		piece, rest, nul := bytes.Cut(b, []byte{0})
		r.add(piece)
		if !nul {
			return
		}
		b = bytes.TrimLeft(rest, "\x00")
		r.finish(1 + len(rest) - len(b))
	}
}

// add takes a piece of a line.
func (r *Reader) add(p []byte) {
	r.at += int64(len(p))
	if r.long || len(r.line)+len(p) > MaxLine {
		r.long, r.line = true, r.line[:0]
		return
	}
	r.line = append(r.line, p...)
}

// finish ends a line, with n bytes that belong to none.
func (r *Reader) finish(n int) {
	if r.long {
		r.stats.Lines++
		r.stats.Long++
	} else {
		r.read(r.line)
	}
	r.at += int64(n)
	r.long, r.line, r.start = false, r.line[:0], r.at
}

// read reads a whole line.
func (r *Reader) read(line []byte) {
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return
	}
	r.stats.Lines++
	switch r.decode(r, line) {
	case invalid:
		r.stats.Invalid++
		r.salvage(line)
	case unknown:
		r.stats.Unknown++
	case known:
	}
}

// heads are how the lines of the records begin.
var heads = [][]byte{[]byte(`{"parentUuid":`), []byte(`{"timestamp":`), []byte(`{"type":`)}

// salvage reads the line that an agent began in the middle of a torn one, after
// it was killed and resumed. Few tries: each costs a line.
func (r *Reader) salvage(line []byte) {
	for range 4 {
		at := -1
		for _, h := range heads {
			if i := bytes.Index(line[1:], h); i >= 0 && (at < 0 || i < at) {
				at = i
			}
		}
		if at < 0 {
			return
		}
		line = line[1+at:]
		if r.decode(r, line) != invalid {
			return
		}
	}
}

// End says that nothing follows for now, and reads a last line without a
// newline if it is whole. An agent that still writes may not be done with it:
// then do not call End, and the line is read when its newline comes.
func (r *Reader) End() {
	if line := bytes.TrimSpace(r.line); !r.long && len(line) > 0 && line[len(line)-1] == '}' && r.decode(r, line) != invalid {
		r.stats.Lines++
		r.line, r.start = r.line[:0], r.at
	}
}

// Entries gives the entries read since it was last called, in the order of the
// record, and forgets them.
func (r *Reader) Entries() iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		for i, e := range r.out {
			if !yield(e) {
				r.out = r.out[:copy(r.out, r.out[i+1:])]
				return
			}
		}
		clear(r.out)
		r.out = r.out[:0]
	}
}
