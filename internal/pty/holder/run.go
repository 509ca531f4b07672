package holder

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// lingerFor is how long a holder stays after its agent's end for somebody who
// wants to know.
const lingerFor = 60 * time.Second

// farewellFor is how long a holder that may leave waits for readers that have
// not heard the end yet.
const farewellFor = 2 * time.Second

// holder holds one run.
type holder struct {
	dir    string
	lock   *os.File // held while the process lives
	launch Launch
	rec    Record
	master *os.File
	log    *Log
	input  *input

	reaped chan struct{} // a child has ended
	dead   chan struct{} // the agent was reaped
	acked  chan struct{}
	once   sync.Once
	stops  sync.WaitGroup

	socketMu sync.Mutex
	leaving  bool // the socket is not made again

	sizing sync.Mutex // held while the terminal's size is changed

	mu sync.Mutex // guards what follows; log.changed tells of every change
	state
}

// state is what changes while a holder lives.
type state struct {
	sizes   []Size
	exit    *Exit
	conns   map[*conn]bool
	stopped bool
	read    time.Time // of the last output
	total   int64     // bytes of it
	closing bool      // no further stop begins
}

// What a holder says to the one who started it, through file descriptor 3. A
// launch that came to nothing says nothing and leaves ErrorFile.
const (
	saysReady = "ok\n"
	saysHeld  = "held\n"
)

// Ready reports what a holder's first word means: its agent runs, or another
// holder has or had this run.
func Ready(word []byte) (ready, held bool) {
	return string(word) == saysReady, string(word) == saysHeld
}

// Run is `tend-hold run DIR`: it holds the run whose launch record is in DIR and
// returns, as an exit status, when the run is over and acknowledged or 60 s old.
// A run is held once, whoever calls this how often.
func Run(dir string) int {
	debug.SetGCPercent(20)
	debug.SetMemoryLimit(16 << 20)
	say := starter()
	_, _ = syscall.Setsid() // fails where it is done already
	h, err := begin(dir)
	if errors.Is(err, errHeld) {
		say(saysHeld)
		return 1
	}
	if err != nil {
		f := Failure{Kind: "failed", Detail: oneLine(err.Error())}
		var fe *failure
		if errors.As(err, &fe) {
			f = fe.Failure
		}
		_ = WriteFile(dir, ErrorFile, f)
		say("")
		return 1
	}
	say(saysReady)
	h.serve()
	return 0
}

// starter returns how the one who started us is told, over file descriptor 3 if
// that is a pipe.
func starter() (say func(word string)) {
	const told = 3
	var st unix.Stat_t
	if unix.Fstat(told, &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFIFO {
		CloseInherited(-1)
		return func(string) {}
	}
	CloseInherited(told)
	syscall.CloseOnExec(told)
	return func(word string) {
		_, _ = syscall.Write(told, []byte(word))
		_ = syscall.Close(told)
	}
}

func oneLine(s string) string { return strings.ReplaceAll(s, "\n", "; ") }

type failure struct{ Failure }

func (f *failure) Error() string { return f.Detail }

// errHeld: another holder has this run, or had it.
var errHeld = errors.New("this run is held already")

func begin(dir string) (h *holder, err error) {
	lock, err := lockRun(dir)
	if err != nil {
		return nil, err
	}
	h = &holder{
		dir: dir, lock: lock, reaped: make(chan struct{}, 1), dead: make(chan struct{}), acked: make(chan struct{}),
		state: state{conns: map[*conn]bool{}},
	}
	if err := ReadFile(dir, LaunchFile, &h.launch); err != nil {
		return nil, err
	}
	// Caught and dropped, not ignored: what is ignored stays so in the agent.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP, syscall.SIGPIPE, syscall.SIGINT, syscall.SIGTERM)
	if err := becomeSubreaper(); err != nil {
		return nil, err
	}
	h.log, err = openLog(dir, h.launch.LogCap)
	if err == nil {
		err = reserve(dir, ExitFile)
	}
	if err != nil {
		return nil, &failure{Failure{"noRoom", "cannot write the output: " + err.Error() + ": make room on the disk of the state folder"}}
	}
	ln, err := h.listen()
	if err != nil {
		return nil, &failure{Failure{"failed", "cannot listen on " + h.launch.Socket + ": " + err.Error()}}
	}
	if err := h.start(); err != nil {
		_ = ln.Close()
		h.removeSocket()
		return nil, err
	}
	go h.accept(ln)
	return h, nil
}

// lockRun makes this process the run's only holder, for its whole life.
func lockRun(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, lockFile), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, &failure{Failure{"noRoom", "cannot write to the folder of the run: " + err.Error()}}
	}
	if unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil || Exists(dir, HolderFile) {
		_ = f.Close()
		return nil, errHeld
	}
	return f, nil
}

// start records that a start is under way, starts the agent and records its
// identity. A holder that is killed in between leaves a run that was started,
// so that nobody starts it again.
func (h *holder) start() (err error) {
	h.rec = Record{
		Version: Version, Boot: BootID(), Holder: procOf(os.Getpid()), StartedAt: time.Now().UTC(), Socket: h.launch.Socket,
	}
	if err := writeQuick(h.dir, HolderFile, h.rec); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(filepath.Join(h.dir, HolderFile))
		}
	}()
	if err := h.spawn(); err != nil {
		return err
	}
	return WriteFile(h.dir, HolderFile, h.rec)
}

// spawn starts the agent on a new terminal. It inherits exactly 0, 1 and 2.
func (h *holder) spawn() error {
	master, slave, err := pty.Open()
	if err != nil {
		return &failure{Failure{"noRoom", "no terminal to be had: " + err.Error() + ": end some sessions, or raise the limits of files and terminals"}}
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
	h.rec.Agent, h.rec.StartedAt = procOf(pid), time.Now().UTC()
	h.input = newInput(h)
	h.resized(l.Cols, l.Rows)
	return nil
}

func execError(argv0, cwd string, err error) error {
	switch {
	case errors.Is(err, syscall.E2BIG):
		return &failure{Failure{"argvTooLong", "the command line is too long for this system: pass less, or a file"}}
	case errors.Is(err, syscall.EAGAIN), errors.Is(err, syscall.ENOMEM):
		return &failure{Failure{"noRoom", "no room for another process: " + err.Error() + ": end some, or raise the limit"}}
	case errors.Is(err, syscall.ENOEXEC):
		return &failure{Failure{"notExecutable", argv0 + " is no program for this machine: a script needs a first line like #!/bin/sh"}}
	}
	if st, serr := os.Stat(cwd); serr != nil || !st.IsDir() {
		return &failure{Failure{"badDirectory", "cannot use the directory " + cwd + ": choose another with --cwd"}}
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
	h.finishStops() // what the agent left behind is ended before we go
	h.farewell(farewellFor)
	h.removeSocket()
}
