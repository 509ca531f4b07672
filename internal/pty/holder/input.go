package holder

import (
	"time"
)

// maxPending bounds input that the agent has not read.
const maxPending = 8 << 20

// input writes to the terminal, one frame at a time and whole. An agent that
// does not read delays only what is typed.
type input struct {
	h     *holder
	queue chan typedInput

	// Used by the writing goroutine alone:
	personAt   time.Time
	unfinished bool
}

type typedInput struct {
	head  InputHeader
	data  []byte
	reply func(Reply)
}

func newInput(h *holder) *input {
	in := &input{h: h, queue: make(chan typedInput, maxPending/chunk)}
	go in.run()
	return in
}

func (in *input) put(head InputHeader, data []byte, reply func(Reply)) {
	select {
	case in.queue <- typedInput{head, data, reply}:
	default:
		reply(Reply{Refused: "full", Detail: "the agent does not read its input"})
	}
}

func (in *input) run() {
	for t := range in.queue {
		if r := in.refuse(t.head); r.Refused != "" {
			t.reply(r)
			continue
		}
		if _, err := in.h.master.Write(t.data); err != nil {
			t.reply(Reply{Refused: "ended", Detail: "the terminal is closed"})
			continue
		}
		in.note(t)
		t.reply(Reply{})
	}
}

// refuse checks a frame's conditions at the instant of writing.
func (in *input) refuse(head InputHeader) Reply {
	person := head.By == "person"
	switch {
	case person && in.h.launch.ReadOnly:
		return Reply{Refused: "readOnly", Detail: "this terminal is read-only"}
	case head.QuietMS > 0 && time.Since(in.personAt) < time.Duration(head.QuietMS)*time.Millisecond:
		return Reply{Refused: "personTyping", Detail: "a person is typing"}
	case head.IfNoUnfinished && in.unfinished:
		return Reply{Refused: "unfinishedLine", Detail: "a person's unfinished line is in the input"}
	}
	return Reply{}
}

// note remembers what a person has left in the input line, and tells.
func (in *input) note(t typedInput) {
	submitted := false
	keys := stripReplies(t.data)
	person := t.head.By == "person"
	if len(keys) == 0 || t.head.By == "terminal" {
		return // a terminal has answered a query; nobody typed
	}
	for i, b := range keys {
		switch {
		case b == '\r' || b == '\n':
			submitted = true
			in.setUnfinished(person, false)
		case b == 0x03 || b == 0x15 || b == 0x1b && i == len(keys)-1:
			in.setUnfinished(person, false)
		case b >= 0x20 && b != 0x7f:
			in.setUnfinished(person, true)
		}
	}
	if person {
		in.personAt = time.Now()
	}
	in.h.tell(FTyped, Typed{AtMS: time.Now().UnixMilli(), By: t.head.By, Submitted: submitted, Unfinished: in.unfinished})
}

func (in *input) setUnfinished(person, on bool) {
	if person {
		in.unfinished = on
	}
}

// stripReplies removes what terminals send by themselves: focus and mouse
// reports, and answers to queries.
func stripReplies(p []byte) []byte {
	var out []byte
	for i := 0; i < len(p); {
		if n := reply(p[i:]); n > 0 {
			i += n
			continue
		}
		out = append(out, p[i])
		i++
	}
	return out
}

// reply is the length of a terminal's own report at the start of p, 0 for none.
func reply(p []byte) int {
	if len(p) < 3 || p[0] != 0x1b {
		return 0
	}
	switch p[1] {
	case ']', 'P', '_':
		for i := 2; i < len(p); i++ {
			if p[i] == 0x07 || p[i] == '\\' && p[i-1] == 0x1b {
				return i + 1
			}
		}
		return len(p)
	case '[':
		for i := 2; i < len(p); i++ {
			if p[i] < 0x40 || p[i] > 0x7e {
				continue
			}
			switch p[i] {
			case 'I', 'O', 'R', 'c', 'n', 'y', 'M', 'm', 't':
				return i + 1
			}
			return 0
		}
	}
	return 0
}
