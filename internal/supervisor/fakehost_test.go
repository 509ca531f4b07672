package supervisor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/tendhq/tend/internal/session"
)

// fakeHost is a host in memory. A test plays the agent: it prints, types, ends.
type fakeHost struct {
	mu     sync.Mutex
	runs   map[session.RunRef]*fakeRun
	broken error // returned by every call while set
	failed error // returned by Launch
}

type fakeRun struct {
	launch   session.Launch
	launches int
	started  bool
	gone     bool // proven dead
	exit     *session.Exit
	events   []session.TerminalEvent
	offset   int64
	more     chan struct{}
	written  []string
	refuse   string // why conditional input is refused
	stops    int
	screen   []byte
	screenAt int64
}

func newFakeHost() *fakeHost { return &fakeHost{runs: map[session.RunRef]*fakeRun{}} }

func (h *fakeHost) run(ref session.RunRef) (*fakeRun, error) {
	if h.broken != nil {
		return nil, h.broken
	}
	r, ok := h.runs[ref]
	if !ok {
		return nil, session.ErrNoRun
	}
	return r, nil
}

func (h *fakeHost) Prepare(_ context.Context, ref session.RunRef, l session.Launch) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.runs[ref] = &fakeRun{launch: l, more: make(chan struct{})}
	return h.broken
}

func (h *fakeHost) Launch(_ context.Context, ref session.RunRef) (session.Sighting, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r, err := h.run(ref)
	if err != nil {
		return session.Sighting{}, err
	}
	if h.failed != nil {
		return session.Sighting{}, h.failed
	}
	if !r.started {
		r.started = true
		r.launches++
		r.events = append(r.events, session.Resized{Size: session.Size{Cols: 80, Rows: 24}}, session.Viewers{})
	}
	return session.Sighting{Started: true, Alive: true, StartedAt: time.Now(), Process: session.ProcessID{PID: 1000 + ref.Run}}, nil
}

func (h *fakeHost) Inspect(_ context.Context, ref session.RunRef) (session.Sighting, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r, err := h.run(ref)
	if err != nil {
		return session.Sighting{}, err
	}
	alive := r.started && r.exit == nil && !r.gone
	return session.Sighting{Started: r.started, Alive: alive, Gone: !alive, Exit: r.exit}, nil
}

func (h *fakeHost) Known(context.Context) (refs []session.RunRef, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for ref := range h.runs {
		refs = append(refs, ref)
	}
	return refs, h.broken
}

func (h *fakeHost) Recorded(_ context.Context, ref session.RunRef) (session.Launch, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r, err := h.run(ref)
	if err != nil {
		return session.Launch{}, err
	}
	return r.launch, nil
}

func (h *fakeHost) Stop(_ context.Context, ref session.RunRef, _ session.StopOrder) ([]int, error) {
	h.mu.Lock()
	r, err := h.run(ref)
	h.mu.Unlock()
	if err != nil {
		return nil, err
	}
	r.stops++
	fifteen := 15
	h.end(ref, session.Exit{Signal: &fifteen})
	return nil, nil
}

func (h *fakeHost) Release(context.Context, session.RunRef) error { return nil }

func (h *fakeHost) Follow(ctx context.Context, ref session.RunRef, from int64, f func(session.TerminalEvent) error) error {
	for i := 0; ; i++ {
		e, err := h.next(ctx, ref, i)
		if err != nil {
			return err
		}
		if o, ok := e.(session.Output); ok {
			if o.Offset+int64(len(o.Data)) <= from {
				continue
			}
			if cut := from - o.Offset; cut > 0 {
				e = session.Output{Offset: from, Data: o.Data[cut:]}
			}
		}
		if err := f(e); err != nil {
			return err
		}
		if _, ok := e.(session.ProcessExited); ok {
			return nil
		}
	}
}

func (h *fakeHost) next(ctx context.Context, ref session.RunRef, i int) (session.TerminalEvent, error) {
	for {
		h.mu.Lock()
		r, err := h.run(ref)
		if err == nil && r.gone && r.exit == nil {
			err = session.ErrUnreachable
		}
		if err != nil {
			h.mu.Unlock()
			return nil, err
		}
		if i < len(r.events) {
			defer h.mu.Unlock()
			return r.events[i], nil
		}
		more := r.more
		h.mu.Unlock()
		select {
		case <-more:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (h *fakeHost) Write(_ context.Context, ref session.RunRef, in session.Input) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	r, err := h.run(ref)
	if err != nil {
		return err
	}
	if in.By == session.FromSupervisor && r.refuse != "" {
		return &session.InputRefusedError{Why: r.refuse, Line: r.refuse}
	}
	r.written = append(r.written, string(in.Data))
	h.push(r, session.Typed{At: time.Now(), By: in.By, Submitted: strings.Contains(string(in.Data), "\r")})
	return nil
}

func (h *fakeHost) Resize(context.Context, session.RunRef, session.Size) error { return nil }

func (h *fakeHost) ReadOutput(context.Context, session.RunRef, int64, []byte) (n int, first, end int64, err error) {
	return 0, 0, 0, nil
}

func (h *fakeHost) SaveScreen(_ context.Context, ref session.RunRef, offset int64, screen []byte) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.runs[ref].screen, h.runs[ref].screenAt = screen, offset
	return nil
}

func (h *fakeHost) LoadScreen(_ context.Context, ref session.RunRef) (int64, []byte, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r, err := h.run(ref)
	if err != nil {
		return 0, nil, err
	}
	return r.screenAt, r.screen, nil
}

func (h *fakeHost) push(r *fakeRun, e session.TerminalEvent) {
	r.events = append(r.events, e)
	close(r.more)
	r.more = make(chan struct{})
}

// print plays the agent's output.
func (h *fakeHost) print(ref session.RunRef, text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.runs[ref]
	h.push(r, session.Output{Offset: r.offset, Data: []byte(text)})
	r.offset += int64(len(text))
}

// end plays the agent's end, as its holder saw it.
func (h *fakeHost) end(ref session.RunRef, e session.Exit) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.runs[ref]
	if r.exit != nil {
		return
	}
	e.At, e.Source = time.Now(), "holder"
	r.exit = &e
	h.push(r, session.ProcessExited{Exit: e})
}

// vanish plays an agent and a holder that are gone without a record.
func (h *fakeHost) vanish(ref session.RunRef) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.runs[ref]
	r.gone = true
	close(r.more)
	r.more = make(chan struct{})
}

// ReadHooks: the agents of these tests have no hooks.
func (h *fakeHost) ReadHooks(context.Context, session.RunRef, int64) ([]session.HookFired, error) {
	return nil, nil
}

func (h *fakeHost) ListenHooks(session.RunRef) (<-chan struct{}, func()) { return nil, func() {} }

func (h *fakeHost) lines(ref session.RunRef) []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]string(nil), h.runs[ref].written...)
}

// lineAgent says what it does in plain lines: "ready", "turn", "busy", "ask",
// "done", "id NAME". What is typed to it is echoed by the test.
type lineAgent struct {
	s    session.Session
	text strings.Builder
}

func lineAgentKind(resumes bool) Agent {
	return Agent{
		Name: "line", Caps: session.Caps{Resume: resumes, NativeDone: true, StopSignal: 15},
		Launch: func(spec session.Spec, o session.LaunchOrder) (session.LaunchPlan, error) {
			argv := append([]string(nil), spec.Argv...)
			if o.NativeID != "" {
				argv = append(argv, "--resume", o.NativeID)
			}
			return session.LaunchPlan{Argv: argv}, nil
		},
		Watch: func(s session.Session, _ session.Size, _ []byte) (Watch, error) {
			l := &lineAgent{s: s}
			return Watch{Reader: l, Composer: l, Screen: l}, nil
		},
	}
}

func (l *lineAgent) Feed(at time.Time, e session.TerminalEvent) []session.Event {
	o, ok := e.(session.Output)
	if !ok {
		return nil
	}
	l.text.Write(o.Data)
	var out []session.Event
	for line := range strings.Lines(string(o.Data)) {
		if w := lineMeans(strings.TrimSpace(line)); w != nil {
			out = append(out, session.Event{At: at, Source: session.FromHook, What: w})
		}
	}
	return out
}

func lineMeans(line string) session.What {
	word, arg, _ := strings.Cut(line, " ")
	switch word {
	case "ready":
		return session.ReadySeen{}
	case "turn":
		return session.TurnStarted{}
	case "busy":
		return session.BusySeen{}
	case "ask":
		return session.Asked{Kind: "question", Text: arg}
	case "done":
		return session.DoneSeen{}
	case "id":
		return session.NativeSeen{ID: arg}
	}
	return nil
}

func (l *lineAgent) Tick(time.Time) []session.Event { return nil }
func (l *lineAgent) Wake() time.Time                { return time.Time{} }
func (l *lineAgent) Answers() []byte                { return nil }
func (l *lineAgent) Wants() string                  { return "" }
func (l *lineAgent) Clear() []byte                  { return nil }
func (l *lineAgent) Know(s session.Session)         { l.s = s }
func (l *lineAgent) Interrupt() []byte              { return []byte{3} }
func (l *lineAgent) Recent(int) string              { return l.text.String() }
func (l *lineAgent) Checkpoint() []byte             { return []byte(l.text.String()) }
func (l *lineAgent) Look() ScreenView {
	return ScreenView{Lines: strings.Split(l.text.String(), "\n")}
}

func (l *lineAgent) Paste(text string) ([]byte, error) {
	if strings.Contains(text, "\n") {
		return nil, &PasteError{Why: "one line only"}
	}
	return []byte(text), nil
}

func (l *lineAgent) Key(name string) ([]byte, error) {
	if name != "enter" {
		return nil, errors.New("no such key: " + name)
	}
	return []byte("\r"), nil
}

func (l *lineAgent) Answer(text string) ([]byte, error) { return []byte(text + "\r"), nil }

func (l *lineAgent) Holds(text string) bool {
	_, last, _ := strings.Cut("\n"+l.text.String(), "\n> ")
	for strings.Contains(last, "\n> ") {
		_, last, _ = strings.Cut(last, "\n> ")
	}
	return strings.TrimRight(last, " \n") == text
}

func ref(s session.Session, run int) session.RunRef { return session.RunRef{ID: s.ID, Run: run} }

func describe(es []session.Entry) string {
	var b strings.Builder
	for _, e := range es {
		fmt.Fprintf(&b, "%d run %d turn %d %s %s→%s %s%s\n", e.Seq, e.Run, e.Turn, e.Event, e.From, e.To, e.Why, e.Ignored)
	}
	return b.String()
}
