package fakemodel

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// maxBody bounds a request. Those of real agents begin at 100 KiB.
const maxBody = 64 << 20

// pace is the time between two words of SLOW.
const pace = 100 * time.Millisecond

// ask is what a request wants, whatever the API.
type ask struct {
	model  string
	stream bool
	items  []item
	tools  []string
	plain  string // the answer if there are no tools
}

// call is a tool that the model wants to use.
type call struct {
	name string
	args map[string]any
}

// answer is what the model gives: words or a call.
type answer struct {
	id    string
	model string
	words []string // each with the space after it
	call  *call
}

func (a answer) text() string { return strings.Join(a.words, "") }

// frame is one event of a stream.
type frame struct {
	event string // "" for a stream without names
	data  any    // written as JSON; a json.RawMessage as it is
	word  bool   // it carries a word of the answer
}

// dialect is one wire format.
type dialect interface {
	// read takes a request apart.
	read(r *http.Request, body []byte) (ask, error)
	// shell is the call that runs a command after a person's permission, nil if
	// the agent offers none.
	shell(tools []string, command string) *call
	// agent is the call that runs a subagent, nil if the agent offers none.
	agent(tools []string, prompt string) *call
	// whole is the answer in one piece, frames the same as a stream.
	whole(a answer) any
	frames(a answer) []frame
	// refusal is the body of an answer with an error status.
	refusal(status int) any
}

// model serves one dialect.
type model struct {
	name     string
	dialect  dialect
	log      *Log
	newline  string
	dropOnce bool

	mu      sync.Mutex
	dropped map[string]bool
}

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e := Entry{API: m.name, Method: r.Method, Path: r.URL.Path}
	body, err := readBody(w, r)
	var a ask
	if err == nil {
		a, err = m.dialect.read(r, body)
	}
	if err != nil {
		e.Kind, e.Status, e.Text = Failed, http.StatusBadRequest, err.Error()
		m.log.add(e)
		writeJSON(w, e.Status, m.dialect.refusal(e.Status))
		return
	}
	e.Kind, e.Model, e.Stream, e.Tools = Asked, a.model, a.stream, a.tools
	e.Title, e.Messages = len(a.tools) == 0, len(a.items)
	e.Text, e.Result, e.HasResult = newest(a.items)
	if !e.Title && !e.HasResult {
		e.Directive = Parse(e.Text)
	}
	e = m.log.add(e)
	e.Kind, e.Status = m.answer(w, r, a, e)
	m.log.add(e)
	if e.Kind == Dropped {
		panic(http.ErrAbortHandler) // net/http closes the socket without a word
	}
}

// readBody reads a request to the end, so that the server notices when the
// client goes.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return nil, fmt.Errorf("read the request: %w", err)
	}
	switch enc := r.Header.Get("Content-Encoding"); enc {
	case "", "identity":
		return body, nil
	case "gzip":
		z, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			return nil, fmt.Errorf("unzip the request: %w", err)
		}
		body, err = io.ReadAll(io.LimitReader(z, maxBody))
		if err != nil {
			return nil, fmt.Errorf("unzip the request: %w", err)
		}
		return body, nil
	default:
		return nil, errors.New("content encoding " + enc)
	}
}

// answer does what the request says and returns how it ended.
func (m *model) answer(w http.ResponseWriter, r *http.Request, a ask, e Entry) (Kind, int) {
	switch e.Directive.Verb {
	case Err:
		writeJSON(w, e.Directive.N, m.dialect.refusal(e.Directive.N))
		return Failed, e.Directive.N
	case Hang:
		<-r.Context().Done()
		return Gone, 0
	case None, Say, Tool, Subagent, Slow, Drop:
	}
	give := m.decide(a, e)
	give.id, give.model = fmt.Sprintf("fake%06d", e.N), a.model
	drop := e.Directive.Verb == Drop && m.mayDrop(e)
	switch {
	case a.stream:
		return m.play(w, r, m.dialect.frames(give), drop), 0
	case drop:
		return Dropped, 0
	}
	writeJSON(w, http.StatusOK, m.dialect.whole(give))
	return Answered, 0
}

// decide finds the words or the call of an answer.
func (m *model) decide(a ask, e Entry) answer {
	d := e.Directive
	say := "ok: " + firstWords(e.Text, 8)
	switch {
	case e.Title:
		say = a.plain
	case e.HasResult:
		say = "done"
	case d.Verb == Say:
		say = d.Arg
	case d.Verb == Slow:
		var words []string
		for i := range d.N {
			words = append(words, "word"+strconv.Itoa(i+1)+" ")
		}
		return answer{words: words}
	case d.Verb == Drop:
		return answer{words: []string{"not ", "dropped"}}
	case d.Verb == Tool:
		if c := m.dialect.shell(a.tools, d.Arg); c != nil {
			return answer{call: c}
		}
		say = "this agent offers no shell"
	case d.Verb == Subagent:
		if c := m.dialect.agent(a.tools, d.Arg); c != nil {
			return answer{call: c}
		}
		say = "this agent offers no subagent"
	}
	return answer{words: []string{say}}
}

// mayDrop reports whether this prompt is to be dropped, once or always. The
// same words at another place of a conversation are another prompt.
func (m *model) mayDrop(e Entry) bool {
	if !m.dropOnce {
		return true
	}
	key := strconv.Itoa(e.Messages) + " " + e.Text
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.dropped[key] {
		return false
	}
	if m.dropped == nil || len(m.dropped) >= keptEntries {
		m.dropped = map[string]bool{}
	}
	m.dropped[key] = true
	return true
}

// play streams frames, the words at their pace. With drop it stops after the
// first word.
func (m *model) play(w http.ResponseWriter, r *http.Request, frames []frame, drop bool) Kind {
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	flush := http.NewResponseController(w)
	words := 0
	for _, f := range frames {
		if f.word {
			words++
		}
		if f.word && words > 1 {
			select {
			case <-time.After(pace):
			case <-r.Context().Done():
				return Gone
			}
		}
		if _, err := io.WriteString(w, f.wire(m.newline)); err != nil {
			return Gone
		}
		if err := flush.Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
			return Gone
		}
		if f.word && drop {
			return Dropped
		}
	}
	return Answered
}

// wire is a frame as server-sent events have it.
func (f frame) wire(newline string) string {
	text, ok := f.data.(json.RawMessage)
	if !ok {
		var err error
		if text, err = json.Marshal(f.data); err != nil {
			panic(err) // the frames of this package hold nothing else
		}
	}
	line := "data: " + string(text) + newline + newline
	if f.event != "" {
		line = "event: " + f.event + newline + line
	}
	return line
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // a client that has gone gets none
}

// probe answers a request that wants no model.
func probe(log *Log, api string, body any) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		log.add(Entry{Kind: Probed, API: api, Method: r.Method, Path: r.URL.Path})
		writeJSON(w, http.StatusOK, body)
	}
}

// unknown answers what the API does not have.
func unknown(log *Log, api string, d dialect) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		log.add(Entry{Kind: Unknown, API: api, Method: r.Method, Path: r.URL.Path, Status: http.StatusNotFound})
		writeJSON(w, http.StatusNotFound, d.refusal(http.StatusNotFound))
	}
}

// has finds a tool by its name, "" for none of them.
func has(tools []string, names ...string) string {
	for _, n := range names {
		for _, t := range tools {
			if strings.EqualFold(t, n) {
				return t
			}
		}
	}
	return ""
}
