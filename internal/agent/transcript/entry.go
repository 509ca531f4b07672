package transcript

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/tendhq/tend/internal/agent/redact"
)

// emit gives an entry, its text redacted and bounded.
func (r *Reader) emit(e Entry, text string) {
	e.Text, e.Cut = bound(text)
	for _, id := range []*string{&e.Tool, &e.Call, &e.Code, &e.Turn, &e.Agent} {
		*id = short(*id)
	}
	e.Offset = r.start
	if e.Turn == "" {
		e.Turn = r.turn
	}
	switch e.Kind {
	case Tool:
		r.calls.add(e.Call, e.Tool)
	case Result:
		e.Tool = r.calls.tool(e.Call)
	case Prompt, Answer, Interrupt, Error, System:
	}
	r.out = append(r.out, e)
}

// bound redacts a text and keeps its beginning. It redacts first: half a secret
// has no shape.
func bound(s string) (text string, cut bool) {
	const piece = 4 << 10
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= MaxText {
		s = redact.String(s)
		if len(s) <= MaxText {
			return s, false
		}
	}
	f, out := redact.New(), make([]byte, 0, MaxText+piece)
	for rest := s; len(rest) > 0 && len(out) <= MaxText; {
		n := min(len(rest), piece)
		out = f.Append(out, []byte(rest[:n]))
		rest = rest[n:]
	}
	if len(out) <= MaxText {
		out = f.Flush(out)
	}
	if len(out) <= MaxText {
		return string(out), false
	}
	return strings.ToValidUTF8(string(out[:MaxText]), ""), true
}

// short bounds what should be an id or a word.
func short(s string) string {
	const most = 256
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "")
	}
	return s
}

// calls remembers the names of the last tools called.
type calls struct {
	ring [64]struct{ call, tool string }
	next int
}

func (c *calls) add(call, tool string) {
	c.ring[c.next%len(c.ring)].call, c.ring[c.next%len(c.ring)].tool = call, tool
	c.next++
}

func (c *calls) tool(call string) string {
	for _, k := range c.ring {
		if k.call == call && call != "" {
			return k.tool
		}
	}
	return ""
}

// object decodes a JSON object. Fields of another type than expected stay
// zero: the next version of an agent may have changed them.
func object(b []byte, into any) bool {
	if len(b) == 0 || b[0] != '{' {
		return false
	}
	err := json.Unmarshal(b, into)
	var mistyped *json.UnmarshalTypeError
	return err == nil || errors.As(err, &mistyped)
}

// str is a JSON string, "" for anything else.
func str(b json.RawMessage) (s string) {
	if len(b) > 0 && b[0] == '"' {
		_ = json.Unmarshal(b, &s) // RawMessage is valid
	}
	return s
}

// block is a piece of a message's content. Both agents' APIs have the like.
type block struct {
	Type    string          `json:"type"`
	Text    string          `json:"text"`
	ID      string          `json:"id"`
	Name    string          `json:"name"`
	Input   json.RawMessage `json:"input"`
	UseID   string          `json:"tool_use_id"`
	Content json.RawMessage `json:"content"`
	IsError bool            `json:"is_error"`
}

// blocks are the pieces of a content, which may be a bare string.
func blocks(b json.RawMessage) []block {
	if len(b) > 0 && b[0] == '"' {
		return []block{{Type: "text", Text: str(b)}}
	}
	var all []json.RawMessage
	if len(b) == 0 || b[0] != '[' || json.Unmarshal(b, &all) != nil {
		return nil
	}
	out := make([]block, len(all))
	for i := range all {
		object(all[i], &out[i])
	}
	return out
}

// plain is the text of a content, one piece after another; what is not text is
// named in brackets.
func plain(b json.RawMessage) string {
	var parts []string
	for _, k := range blocks(b) {
		switch {
		case k.Text != "":
			parts = append(parts, k.Text)
		case k.Type != "" && !isText(k.Type):
			parts = append(parts, "["+k.Type+"]")
		}
	}
	return strings.Join(parts, "\n")
}

func isText(kind string) bool {
	return kind == "text" || kind == "input_text" || kind == "output_text"
}

// compact is JSON without what is only there to be looked at.
func compact(b json.RawMessage) string {
	var out bytes.Buffer
	if json.Compact(&out, b) != nil {
		return ""
	}
	return out.String()
}

func when(s string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return time.Time{}
	}
	return t
}

// wrapped says that a text is the agent's program talking, not the user: it
// begins with one of the tags that the program puts there.
func wrapped(text string, tags []string) bool {
	text = strings.TrimLeft(text, " \n")
	if !strings.HasPrefix(text, "<") {
		return false
	}
	for _, t := range tags {
		if rest, ok := strings.CutPrefix(text[1:], t); ok && rest != "" && (rest[0] == '>' || rest[0] == ' ') {
			return true
		}
	}
	return false
}
