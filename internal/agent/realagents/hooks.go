package realagents

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Hook is one call of a hook, as the agent made it.
type Hook struct {
	Event   string         // hook_event_name; for Codex's notify its type
	Payload map[string]any // all fields
	At      time.Time
}

// Text is a field that is text, "" if there is none.
func (h Hook) Text(field string) string {
	s, _ := h.Payload[field].(string)
	return s
}

// hooks collects the calls. A hook writes what it got into a file of its own
// and then that file's name into a pipe: a name goes through in one piece,
// whatever else is written at the same time, and tells a waiting test.
type hooks struct {
	s    *Sandbox
	more chan struct{}

	mu   sync.Mutex
	seen []Hook
	next int // the first that no Hook call has passed
}

// The scripts. They are all that an agent runs of ours.
const hookScript = `#!/bin/sh
f=$(mktemp -p '%[1]s') && cat >"$f" && echo "$f" >'%[2]s'
`

const notifyScript = `#!/bin/sh
f=$(mktemp -p '%[1]s') && printf '%%s' "$1" >"$f" && echo "$f" >'%[2]s'
`

func newHooks(s *Sandbox) *hooks {
	s.t.Helper()
	h := &hooks{s: s, more: make(chan struct{}, 1)}
	dir, pipe := s.Path("payloads"), s.Path("pipe")
	s.ok(os.Mkdir(dir, 0o700))
	s.ok(syscall.Mkfifo(pipe, 0o600))
	for name, script := range map[string]string{"hook": hookScript, "notify": notifyScript} {
		s.ok(os.WriteFile(s.Path(name), fmt.Appendf(nil, script, dir, pipe), 0o700))
	}
	// For writing too: so it has no end before we close it, and no hook waits
	// for a reader.
	f, err := os.OpenFile(pipe, os.O_RDWR|syscall.O_NONBLOCK, 0)
	s.ok(err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for names := bufio.NewScanner(f); names.Scan(); {
			h.take(names.Text())
		}
	}()
	s.t.Cleanup(func() {
		f.Close()
		<-done
	})
	return h
}

// take reads one call. What cannot be read is kept as it is: a test that waits
// for it shows it.
func (h *hooks) take(path string) {
	call := Hook{At: time.Now()}
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, &call.Payload)
	}
	call.Event = call.Text("hook_event_name")
	if call.Event == "" {
		call.Event = call.Text("type")
	}
	if err != nil {
		call.Event = fmt.Sprintf("unreadable: %v: %s", err, text)
	}
	h.mu.Lock()
	h.seen = append(h.seen, call)
	h.mu.Unlock()
	select {
	case h.more <- struct{}{}:
	default:
	}
}

func (h *hooks) names() (names []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range h.seen {
		names = append(names, c.Event)
	}
	return names
}

// find returns the first call of an event that find has not passed.
func (h *hooks) find(event string) (Hook, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	i := slices.IndexFunc(h.seen[h.next:], func(c Hook) bool { return c.Event == event })
	if i < 0 {
		return Hook{}, false
	}
	h.next += i + 1
	return h.seen[h.next-1], true
}

// Hook waits for the next call of a hook for this event, and passes over those
// before it.
func (s *Sandbox) Hook(event string) Hook {
	s.t.Helper()
	limit := time.After(patience)
	for {
		if c, ok := s.hooks.find(event); ok {
			return c
		}
		select {
		case <-s.hooks.more:
		case <-limit:
			s.t.Fatalf("no hook %s, only %s", event, strings.Join(s.hooks.names(), " "))
		}
	}
}

// Hooks are all calls until now, in the order in which they ended.
func (s *Sandbox) Hooks() []Hook {
	s.hooks.mu.Lock()
	defer s.hooks.mu.Unlock()
	return slices.Clone(s.hooks.seen)
}
