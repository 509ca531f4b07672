package holder

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"sync"
	"syscall"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// lingerFor is how long a holder stays after its agent's end for somebody who
// wants to know.
const lingerFor = 60 * time.Second

// drainFor is how long a silent terminal is believed to have nothing more.
const drainFor = 200 * time.Millisecond

// holder holds one run.
type holder struct {
	dir    string
	launch Launch
	rec    Record
	master *os.File
	log    *Log
	input  *input

	mu     sync.Mutex // guards what follows; log.changed tells of every change
	sizes  []Size
	exit   *Exit
	conns  map[*conn]bool
	reaped chan struct{} // a child has ended
	dead   chan struct{} // the agent was reaped
	acked  chan struct{}
	once   sync.Once
	stops  sync.WaitGroup
	read   time.Time // of the last output
}

// Run is `tend-hold run DIR`. It returns the exit status.
func Run(dir string) int {
	debug.SetGCPercent(20)
	debug.SetMemoryLimit(16 << 20)
	CloseInherited(3)
	syscall.CloseOnExec(3)
	ready := os.NewFile(3, "ready")
	h, err := begin(dir)
	if err != nil {
		f := Failure{Kind: "failed", Detail: err.Error()}
		var fe *failure
		if errors.As(err, &fe) {
			f = fe.Failure
		}
		_ = WriteFile(dir, ErrorFile, f)
		_ = ready.Close()
		return 1
	}
	if ready != nil {
		_, _ = ready.Write([]byte("ok\n"))
		_ = ready.Close()
	}
	h.serve()
	return 0
}

type failure struct{ Failure }

func (f *failure) Error() string { return f.Detail }

func begin(dir string) (*holder, error) {
	h := &holder{
		dir: dir, conns: map[*conn]bool{}, reaped: make(chan struct{}, 1), dead: make(chan struct{}), acked: make(chan struct{}),
	}
	if err := ReadFile(dir, LaunchFile, &h.launch); err != nil {
		return nil, err
	}
	// Caught and dropped, not ignored: what is ignored stays so in the agent.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP, syscall.SIGPIPE, syscall.SIGINT, syscall.SIGTERM)
	if err := becomeSubreaper(); err != nil {
		return nil, err
	}
	l, err := openLog(dir, h.launch.LogCap)
	if err != nil {
		return nil, &failure{Failure{"noRoom", "cannot write the output: " + err.Error()}}
	}
	h.log = l
	ln, err := h.listen()
	if err != nil {
		return nil, err
	}
	if err := h.spawn(); err != nil {
		_ = ln.Close()
		return nil, err
	}
	go h.accept(ln)
	return h, nil
}

// spawn starts the agent on a new terminal. It inherits exactly 0, 1 and 2.
func (h *holder) spawn() error {
	master, slave, err := pty.Open()
	if err != nil {
		return &failure{Failure{"noRoom", "no terminal to be had: " + err.Error()}}
	}
	defer slave.Close()
	l := h.launch
	if err := pty.Setsize(master, &pty.Winsize{Cols: uint16(l.Cols), Rows: uint16(l.Rows)}); err != nil { //nolint:gosec // checked by the caller
		return err
	}
	argv0, err := lookPath(l.Argv[0], l.Cwd, l.Env)
	if err != nil {
		_ = master.Close()
		return err
	}
	fd := slave.Fd()
	pid, err := syscall.ForkExec(argv0, l.Argv, &syscall.ProcAttr{
		Dir: l.Cwd, Env: l.Env, Files: []uintptr{fd, fd, fd}, Sys: &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 0},
	})
	if err != nil {
		_ = master.Close()
		return execError(argv0, l.Cwd, err)
	}
	h.master = master
	h.rec = Record{
		Version: Version, Boot: BootID(), Holder: Proc{os.Getpid(), StartOf(os.Getpid())},
		Agent: Proc{pid, StartOf(pid)}, StartedAt: time.Now().UTC(), Socket: l.Socket,
	}
	h.input = newInput(h)
	h.resized(l.Cols, l.Rows)
	return WriteFile(h.dir, HolderFile, h.rec)
}

func execError(argv0, cwd string, err error) error {
	switch {
	case errors.Is(err, syscall.E2BIG):
		return &failure{Failure{"argvTooLong", "the command line is too long for this system: pass less, or a file"}}
	case errors.Is(err, syscall.EAGAIN), errors.Is(err, syscall.ENOMEM):
		return &failure{Failure{"noRoom", "no room for another process: " + err.Error()}}
	}
	if st, serr := os.Stat(cwd); serr != nil || !st.IsDir() {
		return &failure{Failure{"badDirectory", "cannot use the directory " + cwd}}
	}
	return &failure{Failure{"notExecutable", fmt.Sprintf("cannot start %s: %v", argv0, err)}}
}

// serve lives as long as the agent, and a while longer.
func (h *holder) serve() {
	drained := make(chan struct{})
	go func() { h.drain(); close(drained) }()
	exit := h.reap()
	h.settle(drained)
	h.ended(exit)
	linger := time.NewTimer(lingerFor)
	select {
	case <-h.acked:
	case <-linger.C:
	}
	h.stops.Wait() // what the agent left behind is ended before we go
	_ = os.Remove(h.launch.Socket)
}

// drain moves output from the terminal to the log.
func (h *holder) drain() {
	buf := make([]byte, 32<<10)
	for {
		n, err := h.master.Read(buf)
		if n > 0 && !h.over() {
			h.log.append(buf[:n])
			h.mu.Lock()
			h.read = time.Now()
			h.mu.Unlock()
		}
		if err != nil {
			if h.agentGone() {
				return
			}
			// The agent has closed its terminal and lives: it may open it again.
			// Or it is about to end, and its files are closed before it has.
			t := time.NewTimer(drainFor)
			select {
			case <-t.C:
			case <-h.dead:
			}
			t.Stop()
		}
	}
}

// over reports whether the end was told: what a descendant prints after that is
// not the agent's output.
func (h *holder) over() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.exit != nil
}

func (h *holder) agentGone() bool {
	select {
	case <-h.dead:
		return true
	default:
		return false
	}
}

// readable reports whether the terminal has output that was not read yet: on a
// busy machine our own reading may be what is late.
func (h *holder) readable() bool {
	raw, err := h.master.SyscallConn()
	if err != nil {
		return false
	}
	ready := false
	_ = raw.Control(func(fd uintptr) {
		p := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}} //nolint:gosec // a descriptor
		n, err := unix.Poll(p, 0)
		ready = err == nil && n > 0 && p[0].Revents&unix.POLLIN != 0
	})
	return ready
}

// settle waits until the terminal has been silent for a while.
func (h *holder) settle(drained <-chan struct{}) {
	for {
		t := time.NewTimer(drainFor)
		h.mu.Lock()
		before := h.read
		h.mu.Unlock()
		select {
		case <-drained:
			t.Stop()
			return
		case <-t.C:
		}
		h.mu.Lock()
		quiet := h.read.Equal(before)
		h.mu.Unlock()
		if quiet && !h.readable() {
			return
		}
	}
}

// reap collects every child; it returns when the agent has ended, and goes on
// in the background.
func (h *holder) reap() Exit {
	got := make(chan Exit, 1)
	go func() {
		for {
			var ws syscall.WaitStatus
			pid, err := syscall.Wait4(-1, &ws, syscall.WUNTRACED|wcontinued, nil)
			if errors.Is(err, syscall.EINTR) {
				continue
			}
			if err != nil {
				return
			}
			if pid == h.rec.Agent.PID {
				h.agentChanged(ws, got)
			}
			select {
			case h.reaped <- struct{}{}:
			default:
			}
		}
	}()
	return <-got
}

func (h *holder) agentChanged(ws syscall.WaitStatus, got chan<- Exit) {
	switch {
	case ws.Stopped():
		h.tell(FSuspended, Flag{On: true})
	case ws.Continued():
		h.tell(FSuspended, Flag{On: false})
	case ws.Exited():
		close(h.dead)
		c := ws.ExitStatus()
		got <- Exit{Version: Version, Code: &c, At: time.Now().UTC()}
	case ws.Signaled():
		close(h.dead)
		s := int(ws.Signal())
		got <- Exit{Version: Version, Signal: &s, At: time.Now().UTC()}
	}
}

// childless reports whether nothing descends from the holder: as a subreaper it
// would be its child. It spares a look at every process of the machine.
func childless() bool {
	_, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
	return errors.Is(err, syscall.ECHILD)
}

// ended writes the end down before anybody is told.
func (h *holder) ended(e Exit) {
	if !childless() {
		e.LeftBehind = descendants(os.Getpid())
	}
	h.log.flush()
	if err := WriteFile(h.dir, ExitFile, e); err != nil {
		go h.writeLater(e) // a full disk: those who are connected are told all the same
	}
	h.mu.Lock()
	h.exit = &e
	h.mu.Unlock()
	h.log.wake()
}

func (h *holder) writeLater(e Exit) {
	for range time.NewTicker(time.Second).C {
		if WriteFile(h.dir, ExitFile, e) == nil {
			return
		}
	}
}

func (l *Log) wake() {
	l.mu.Lock()
	l.changed.Broadcast()
	l.mu.Unlock()
}

// listen opens the socket, readable by nobody else.
func (h *holder) listen() (net.Listener, error) {
	if err := os.MkdirAll(filepath.Dir(h.launch.Socket), 0o700); err != nil {
		return nil, err
	}
	_ = os.Remove(h.launch.Socket)
	old := syscall.Umask(0o177)
	defer syscall.Umask(old)
	ln, err := net.ListenUnix("unix", &net.UnixAddr{Name: h.launch.Socket, Net: "unix"})
	if err != nil {
		return nil, err
	}
	ln.SetUnlinkOnClose(false) // the one in its place may be another's
	return ln, nil
}
