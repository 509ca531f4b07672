package holder

import (
	"slices"
	"sync"
	"time"
)

// maxPending bounds the input that waits for the agent to read, in bytes. One
// frame is taken in any case.
const maxPending = 8 << 20

// The sources of input that differ here.
const (
	byPerson   = "person"
	byTerminal = "terminal" // an answer to a query; nobody typed
)

// input writes to the terminal, one frame at a time and whole. An agent that
// does not read delays only what is typed: a person's frames wait before all
// others, and a frame whose sender has given up is not written. A terminal in
// canonical mode takes at most 4095 bytes a line; that is the sender's concern.
type input struct {
	h *holder

	mu      sync.Mutex
	more    *sync.Cond
	waiting []*typedInput
	bytes   int

	// Used by the writing goroutine alone:
	person   composer
	personAt time.Time
}

type typedInput struct {
	head InputHeader
	data []byte
	from *conn
}

func newInput(h *holder) *input {
	in := &input{h: h}
	in.more = sync.NewCond(&in.mu)
	go in.run()
	return in
}

// put takes a frame, or refuses it, without waiting.
func (in *input) put(t *typedInput) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.bytes > 0 && in.bytes+len(t.data) > maxPending {
		t.from.post(FReply, Reply{Refused: "full", Detail: "the agent does not read its input"})
		return
	}
	in.bytes += len(t.data)
	at := len(in.waiting)
	if t.head.By == byPerson {
		at = 0
		for at < len(in.waiting) && in.waiting[at].head.By == byPerson {
			at++
		}
	}
	in.waiting = slices.Insert(in.waiting, at, t)
	in.more.Signal()
}

func (in *input) take() *typedInput {
	in.mu.Lock()
	defer in.mu.Unlock()
	for len(in.waiting) == 0 {
		in.more.Wait()
	}
	t := in.waiting[0]
	in.waiting[0] = nil
	in.waiting = in.waiting[1:]
	return t
}

func (in *input) run() {
	for {
		t := in.take()
		t.from.post(FReply, in.write(t))
		in.mu.Lock()
		in.bytes -= len(t.data)
		in.mu.Unlock()
	}
}

// write writes a frame if its conditions hold at this instant.
func (in *input) write(t *typedInput) Reply {
	if r := in.refuse(t); r.Refused != "" {
		return r
	}
	if _, err := in.h.master.Write(t.data); err != nil {
		return Reply{Refused: "ended", Detail: "the terminal is closed"}
	}
	in.note(t)
	return Reply{}
}

func (in *input) refuse(t *typedInput) Reply {
	person := t.head.By == byPerson
	quiet := time.Duration(t.head.QuietMS) * time.Millisecond
	if in.personAt.UnixMilli() <= t.head.FreeAtMS {
		in.person.unfinished = false
	}
	switch {
	case in.h.agentGone():
		return Reply{Refused: "ended", Detail: "the agent has ended"}
	case !person && t.from.gone():
		return Reply{Refused: "ended", Detail: "nobody waits for it any more"}
	case person && in.h.launch.ReadOnly:
		return Reply{Refused: "readOnly", Detail: "this terminal is read-only"}
	case quiet > 0 && time.Since(in.personAt) < quiet:
		return Reply{Refused: "personTyping", Detail: "a person is typing"}
	case t.head.IfNoUnfinished && in.person.unfinished:
		return Reply{Refused: "unfinishedLine", Detail: "a person's unfinished line is in the input"}
	}
	return Reply{}
}

// note remembers what a person has left in the input line, and tells.
func (in *input) note(t *typedInput) {
	if t.head.By == byTerminal {
		return
	}
	var did typing
	if t.head.By == byPerson {
		did = in.person.feed(t.data)
	} else if did = new(composer).feed(t.data); did.submitted {
		in.person.unfinished = false // whatever was there, nothing is left
	}
	if !did.keys {
		return
	}
	now := time.Now()
	if t.head.By == byPerson {
		in.personAt = now
	}
	in.h.tell(FTyped, Typed{AtMS: now.UnixMilli(), By: t.head.By, Submitted: did.submitted, Unfinished: in.person.unfinished})
}
