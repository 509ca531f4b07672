package supervisor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/tendhq/tend/internal/session"
)

// checkpointEvery is how much output lies between two screen checkpoints: what
// a restarted daemon and an attaching terminal have to read at most.
const checkpointEvery = 1 << 20

// recentLines is how much output the classifier of exits may see (DESIGN 4.4).
const recentLines = 20

// hostLostAfter is how long a holder may be unreachable while its agent is not
// proven gone, before a person is told.
const hostLostAfter = 30 * time.Second

// watch observes the terminal of one run. Its goroutine alone uses the emulator
// and the readers.
type watch struct {
	a       *actor
	host    Host
	ref     session.RunRef
	view    Watch
	calls   chan func()
	news    chan session.Session // the newest session, for the reader
	done    chan struct{}
	answers chan []byte // to device queries

	offset  int64       // output consumed
	saved   int64       // offset of the newest checkpoint
	taken   int64       // evidence before this offset was taken by an earlier daemon
	replay  int64       // output before this offset was there when we came: its queries are not answered
	told    chan []byte // of the agent's stream
	hooked  int64       // hooks consumed
	held    bool        // hooks wait until the output that was there is read
	viewers int
	moved   *feed // something was fed to the screen
}

// watchRun starts to observe a run, once. Output before replay was there already
// and evidence before taken is on record.
func (a *actor) watchRun(host Host, ref session.RunRef, taken, replay int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.watch != nil && a.watch.ref == ref {
		return
	}
	w := &watch{
		a: a, host: host, ref: ref, taken: taken, replay: replay, moved: newFeed(),
		told: make(chan []byte), answers: make(chan []byte, maxUnread), calls: make(chan func()), news: make(chan session.Session, 1), done: make(chan struct{}),
	}
	a.watch = w
	a.sup.work.Go(w.run)
	a.sup.work.Go(w.writeAnswers)
	a.sup.work.Go(w.listen)
}

// know hands the reader the session as it now is; only the newest counts.
func (a *actor) know(s session.Session) {
	w := a.watching()
	if w == nil {
		return
	}
	for {
		select {
		case w.news <- s:
			return
		default:
		}
		select {
		case <-w.news:
		default:
		}
	}
}

func (a *actor) watching() *watch {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.watch
}

// viewers is the number of attached terminals, 0 when the run has ended.
func (a *actor) viewers() int {
	n := 0
	if w := a.watching(); w != nil {
		_ = w.call(a.sup.ctx, func() { n = w.viewers })
	}
	return n
}

// errUnwatched: the run's terminal is not observed any more.
var errUnwatched = errors.New("the terminal is not observed")

// call runs f on the watch's goroutine.
func (w *watch) call(ctx context.Context, f func()) error {
	ran := make(chan struct{})
	select {
	case w.calls <- func() { f(); close(ran) }:
		<-ran
		return nil
	case <-w.done:
		return errUnwatched
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (w *watch) run() {
	defer func() {
		close(w.done)
		w.view = Watch{} // an ended run keeps no emulator
	}()
	if err := w.open(); err != nil {
		w.a.say(w.ref.Run, session.FromSupervisor, session.Escalate{Cause: session.HostLost, Detail: err.Error()})
		return
	}
	w.view.Reader.Know(w.a.session())
	var lost time.Time
	for {
		err := w.follow()
		switch {
		case err == nil || w.a.sup.ctx.Err() != nil:
			w.checkpoint()
			return
		case lost.IsZero():
			lost = time.Now()
		}
		if !w.lost(&lost) {
			return
		}
	}
}

// hooksAgain is how much of the hooks that were taken a new reader hears again,
// in bytes, to know the conversation: it takes no evidence from them.
const hooksAgain = 64 << 10

// open builds the emulator from the newest checkpoint.
func (w *watch) open() error {
	s := w.a.session()
	agent, ok := w.a.sup.cfg.Agents[s.Spec.Agent]
	if !ok {
		return errors.New("this daemon knows no agent called " + s.Spec.Agent)
	}
	off, screen, err := w.host.LoadScreen(w.a.sup.ctx, w.ref)
	if err != nil || s.Process.ReadTo == 0 {
		off, screen = 0, nil // the output itself is still there, and may be evidence that is not taken yet
	}
	w.view, err = agent.Watch(s, s.Spec.Size, screen)
	if err != nil && screen != nil {
		off = 0
		w.view, err = agent.Watch(s, s.Spec.Size, nil)
	}
	w.offset, w.saved = off, off
	w.hooked = max(s.Process.HooksTo-hooksAgain, 0)
	return err
}

// follow feeds the terminal to the readers until it ends or is lost.
func (w *watch) follow() error {
	ctx, cancel := context.WithCancel(w.a.sup.ctx)
	defer cancel()
	events := make(chan session.TerminalEvent)
	ended := make(chan error, 1)
	go func() {
		defer close(ended)
		ended <- w.host.Follow(ctx, w.ref, w.offset, func(e session.TerminalEvent) error {
			select {
			case events <- e:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	}()
	defer func() {
		cancel()
		for range ended { // until it has left
		}
	}()
	hooks, leave := w.host.ListenHooks(w.ref)
	defer leave()
	wake := time.NewTimer(time.Hour)
	defer wake.Stop()
	for {
		w.armWake(wake)
		select {
		case e := <-events:
			if x, ok := e.(session.ProcessExited); ok {
				w.readHooks()
				w.tell(w.view.Reader.Feed(now(), x))
				w.exited(x)
				return nil
			}
			w.feedReader(e)
		case <-hooks:
			w.rung()
		case b := <-w.told:
			w.streamed(b)
		case <-wake.C:
			w.tell(w.view.Reader.Tick(now()))
		case s := <-w.news:
			w.view.Reader.Know(s)
		case f := <-w.calls:
			f()
		case err := <-ended:
			return err
		}
	}
}

func (w *watch) armWake(t *time.Timer) {
	if at := w.view.Reader.Wake(); at.IsZero() {
		t.Stop()
	} else {
		t.Reset(max(time.Until(at), 0))
	}
}

// feedReader takes one event of the terminal. Output that an earlier daemon has
// taken evidence from only brings the screen up to date.
func (w *watch) feedReader(e session.TerminalEvent) {
	switch e := e.(type) {
	case session.Viewers:
		w.viewers = e.Count
	case session.Output:
		if old := w.taken - e.Offset; old > 0 {
			n := min(old, int64(len(e.Data)))
			w.view.Reader.Feed(now(), session.Output{Offset: e.Offset, Data: e.Data[:n]})
			e.Offset, e.Data = e.Offset+n, e.Data[n:]
		}
		w.offset = e.Offset + int64(len(e.Data))
		if len(e.Data) > 0 {
			w.tell(w.view.Reader.Feed(now(), e))
			if b := w.view.Reader.Answers(); e.Offset >= w.replay {
				w.answer(b)
			}
		}
		if w.offset-w.saved >= checkpointEvery {
			w.checkpoint()
		}
	case session.OutputGap:
		w.offset = max(w.offset, e.To)
		w.tell(w.view.Reader.Feed(now(), e))
	default:
		w.tell(w.view.Reader.Feed(now(), e))
	}
	if w.held && w.offset >= w.replay {
		w.held = false
		w.readHooks()
	}
	w.moved.advance(0)
}

// maxUnread is how many answers may wait for an agent that does not read them.
const maxUnread = 16

// answer replies to device queries, in order and without waiting for the agent.
func (w *watch) answer(b []byte) {
	if len(b) == 0 {
		return
	}
	select {
	case w.answers <- b:
	default: // it asks and does not read
	}
}

func (w *watch) writeAnswers() {
	for {
		select {
		case b := <-w.answers:
			// A terminal that cannot be written to is ending, and that is told.
			_ = w.host.Write(w.a.sup.ctx, w.ref, session.Input{By: session.FromTerminal, Data: b})
		case <-w.done:
			return
		}
	}
}

func (w *watch) tell(events []session.Event) {
	for _, e := range events {
		e.Run, e.Offset = w.ref.Run, w.offset
		w.a.tell(e)
	}
	if path := w.view.Reader.Wants(); path != "" {
		if data, err := tailOf(path, recordTail); err == nil { // a record that cannot be read proves nothing
			w.tell(w.view.Reader.Feed(now(), session.RecordTail{Path: path, Data: data}))
		}
	}
}

// recordTail is how much of the end of an agent's own record is read, in bytes.
const recordTail = 64 << 10

// tailOf is the end of a regular file.
func tailOf(path string, size int64) ([]byte, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.NewSectionReader(f, max(st.Size()-size, 0), size))
}

// checkpoint saves the screen. Losing one costs reading time, nothing else.
func (w *watch) checkpoint() {
	if w.offset == w.saved {
		return
	}
	ctx := context.WithoutCancel(w.a.sup.ctx)
	if err := w.host.SaveScreen(ctx, w.ref, w.offset, w.view.Screen.Checkpoint()); err != nil {
		w.a.sup.cfg.Log.Warn("a screen checkpoint was not saved", "run", w.ref.String(), "error", err)
	}
	w.saved = w.offset
}

func (w *watch) exited(x session.ProcessExited) {
	w.checkpoint()
	exit := x.Exit
	w.a.say(w.ref.Run, session.FromHolder, w.a.endOf(&exit, false, w.view.Screen.Recent(recentLines)))
}

// lost asks what became of a run whose holder does not answer; false when its
// end has been told. A holder that is late proves nothing.
func (w *watch) lost(since *time.Time) bool {
	ctx := w.a.sup.ctx
	sight, err := w.host.Inspect(ctx, w.ref)
	switch {
	case ctx.Err() != nil:
		return false
	case errors.Is(err, session.ErrNoRun):
		w.a.say(w.ref.Run, session.FromHolder, session.ProcessEnded{})
		return false
	case err == nil && sight.Exit != nil:
		w.a.say(w.ref.Run, session.FromHolder, w.a.endOf(sight.Exit, false, w.view.Screen.Recent(recentLines)))
		return false
	case err == nil && sight.Gone:
		w.a.say(w.ref.Run, session.FromHolder, w.a.endOf(nil, sight.Rebooted, ""))
		return false
	case err == nil && sight.Alive:
		*since = time.Time{}
	case time.Since(*since) > hostLostAfter && w.a.session().State != session.NeedsAttention:
		w.a.say(w.ref.Run, session.FromHolder, session.Escalate{
			Cause: session.HostLost, Detail: "its terminal does not answer; the agent itself may still run",
		})
	}
	return every(time.Second).wait(ctx)
}

// endOf is the end of a run with what the classifier may know of it.
func (a *actor) endOf(exit *session.Exit, foundDead bool, recent string) session.ProcessEnded {
	s := a.session()
	e := session.ProcessEnded{Exit: exit, FoundDead: foundDead && exit.Unknown()}
	if !exit.Clean() && !s.Turn.DoneSeen {
		e.RecentOutput = recent
	}
	if _, err := os.Stat(s.Spec.Cwd); errors.Is(err, os.ErrNotExist) {
		e.DirMissing = true
	}
	return e
}
