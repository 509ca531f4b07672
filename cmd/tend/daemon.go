package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/tendhq/tend/api"
	"github.com/tendhq/tend/internal/agent"
	"github.com/tendhq/tend/internal/pty"
	"github.com/tendhq/tend/internal/pty/holder"
	"github.com/tendhq/tend/internal/server"
	"github.com/tendhq/tend/internal/session"
	"github.com/tendhq/tend/internal/sqlite"
	"github.com/tendhq/tend/internal/supervisor"
)

// shutdownLimit bounds an orderly end; agents that are to be stopped need two
// graces of their stop policy.
const shutdownLimit = 40 * time.Second

// serve is the daemon: it returns when ctx is done or a client asks for the end.
// ready is called once it answers.
func (p *program) serve(ctx context.Context, log *slog.Logger, ready func()) (err error) {
	if err := p.dirs.make(); err != nil {
		return err
	}
	_ = os.Chdir("/") // no folder of anybody's is held
	lock, err := sqlite.Lock(p.dirs.lock())
	if err != nil {
		return lockError(err)
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	store, err := sqlite.Open(ctx, p.dirs.database(), sqlite.Options{})
	if err != nil {
		return failure{exitFailed, oneLine(err.Error())}
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	sup := supervisor.New(p.supervisorConfig(store, log))
	if err := sup.Start(ctx); err != nil {
		return failure{exitFailed, oneLine(err.Error())}
	}
	return p.answer(ctx, sup, log, ready)
}

// lockedError: another daemon serves this state folder.
type lockedError struct{ failure }

func (e *lockedError) Unwrap() error { return e.failure }

func lockError(err error) error {
	var locked *sqlite.LockedError
	if errors.As(err, &locked) {
		return &lockedError{failure{exitFailed, fmt.Sprintf("a daemon runs already (pid %d): tend shutdown ends it and leaves the agents running", locked.PID)}}
	}
	return failure{exitFailed, oneLine(err.Error())}
}

// answer serves the API until the end, then lets the supervisor finish.
func (p *program) answer(ctx context.Context, sup *supervisor.Supervisor, log *slog.Logger, ready func()) error {
	serving, end := context.WithCancel(ctx)
	defer end()
	listener, err := server.ListenUnix(p.dirs.socket(), log)
	if err != nil {
		return errors.Join(failure{exitFailed, oneLine(err.Error())}, sup.Shutdown(ctx, false))
	}
	stopAgents := make(chan bool, 1)
	handler := server.New(server.Config{
		Service: sup, Version: version, Log: log, Doctor: p.checkup,
		Shutdown: func(stop bool) { stopAgents <- stop; end() },
	})
	served := make(chan error, 1)
	go func() { served <- server.Serve(serving, listener, handler) }()
	if err := p.dirs.point(); err != nil {
		log.Warn("who has another XDG_RUNTIME_DIR will not find the socket", "error", err)
	}
	go p.keepSocket(serving, handler, log)
	ready()
	log.Info("serving", "socket", p.dirs.socket(), "version", version)
	err = <-served
	stop := false
	select {
	case stop = <-stopAgents:
	default:
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownLimit)
	defer cancel()
	return errors.Join(err, sup.Shutdown(last, stop))
}

// socketEvery is how soon a removed socket is made again.
const socketEvery = 5 * time.Second

// keepSocket listens again when somebody has removed the daemon's socket.
func (p *program) keepSocket(ctx context.Context, handler *server.Handler, log *slog.Logger) {
	look := time.NewTicker(socketEvery)
	defer look.Stop()
	said := ""
	for {
		select {
		case <-look.C:
		case <-ctx.Done():
			return
		}
		if _, err := os.Lstat(p.dirs.socket()); err == nil {
			said = ""
			continue
		}
		if err := p.listenAgain(ctx, handler, log); err == nil {
			log.Warn("the socket had been removed; listening again")
		} else if said != err.Error() {
			said = err.Error() // once, not every few seconds
			log.Error("the socket is gone and cannot be made again", "error", err)
		}
	}
}

func (p *program) listenAgain(ctx context.Context, handler *server.Handler, log *slog.Logger) error {
	if err := p.dirs.make(); err != nil {
		return err
	}
	again, err := server.ListenUnix(p.dirs.socket(), log)
	if err != nil {
		return err
	}
	go func() { _ = server.Serve(ctx, again, handler) }() // its end is the daemon's
	return nil
}

func (p *program) supervisorConfig(store *sqlite.Store, log *slog.Logger) supervisor.Config {
	node, err := os.Hostname()
	if err != nil || node == "" {
		node = "local"
	}
	agents := map[string]supervisor.Agent{}
	for _, a := range agent.All() {
		agents[a.Name] = supervised(a)
	}
	return supervisor.Config{
		Node: node, Store: store, Agents: agents, Log: log,
		Hosts: map[string]supervisor.Host{"pty": p.host()},
		Env:   []string{"TEND_SOCKET=" + p.dirs.socket()},
		Hook:  pty.HookArgv(), Listen: listen,
		Defaults: supervisor.Defaults{
			Host: p.cfg.host, Policy: p.cfg.policy, Size: session.Size{Cols: 100, Rows: 30},
			Agent: func(argv []string) string { return agent.ByCommand(argv).Name },
		},
	}
}

func (p *program) host() *pty.Host {
	return pty.New(pty.Config{StateDir: p.dirs.state, RuntimeDir: p.dirs.runtime, LogCap: p.cfg.logCap})
}

// supervised is an agent as the supervisor wants it.
func supervised(a *agent.Agent) supervisor.Agent {
	return supervisor.Agent{
		Name: a.Name, Caps: a.Caps, Install: a.Install, Launch: a.Launch, Kind: a.Kind, Posture: posture(a), Streams: a.Streams(), Stream: a.Stream,
		Watch: func(s session.Session, size session.Size, checkpoint []byte) (supervisor.Watch, error) {
			w, err := a.NewWatch(s, size, checkpoint)
			if err != nil {
				return supervisor.Watch{}, err
			}
			return supervisor.Watch{Reader: w, Composer: w, Screen: looker{w}}, nil
		},
	}
}

// settingsLimit bounds what is read of an agent's settings file, in bytes.
const settingsLimit = 1 << 20

// posture asks an agent how it would act, with its users' settings.
func posture(a *agent.Agent) func(argv []string, cwd string, env []string) []string {
	return func(argv []string, cwd string, env []string) []string {
		home := os.Getenv("HOME")
		for _, kv := range env {
			if v, ok := strings.CutPrefix(kv, "HOME="); ok {
				home = v
			}
		}
		var settings []string
		for _, f := range a.SettingsFiles(home, cwd) {
			settings = append(settings, readSome(f))
		}
		return a.Posture(argv, settings)
	}
}

// readSome is the start of a file, "" when it cannot be read.
func readSome(name string) string {
	f, err := os.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, settingsLimit))
	if err != nil {
		return ""
	}
	return string(b)
}

// looker shows an agent's screen to the supervisor.
type looker struct{ *agent.Watch }

func (l looker) Look() supervisor.ScreenView {
	t := l.Terminal()
	cols, rows := t.Size()
	c := t.Cursor()
	return supervisor.ScreenView{
		Size: session.Size{Cols: cols, Rows: rows}, Lines: t.Text(), Title: t.Title(),
		CursorAt: [2]int{c.Col, c.Row}, Repaint: t.Snapshot(0),
	}
}

// checkup is what the daemon finds about its own files.
func (p *program) checkup(ctx context.Context) []api.Check {
	if _, err := os.Stat(p.dirs.state); errors.Is(err, fs.ErrNotExist) {
		return []api.Check{{Name: "database", OK: true, Detail: "not there yet; the daemon makes it"}}
	}
	var out []api.Check
	for _, f := range sqlite.Check(ctx, p.dirs.database()) {
		out = append(out, api.Check{Name: "database " + f.Name, OK: f.Level != sqlite.Broken, Detail: f.Detail, Remedy: f.Remedy})
	}
	return out
}

// runDaemon is `tend serve`.
func (p *program) runDaemon(ctx context.Context, readyFD int) error {
	holder.CloseInherited(readyFD)
	var tell io.Writer = io.Discard
	if readyFD > 2 {
		f := os.NewFile(uintptr(readyFD), "ready")
		defer f.Close()
		tell = f
	}
	log := slog.New(slog.NewTextHandler(p.stderr, nil))
	err := p.serve(ctx, log, func() {
		fmt.Fprintln(tell, "ready")
		if f, ok := tell.(*os.File); ok {
			_ = f.Close()
		}
	})
	var locked *lockedError
	if errors.As(err, &locked) {
		fmt.Fprintln(tell, "running")
	} else if err != nil {
		_, line := exitOf(err)
		fmt.Fprintln(tell, oneLine(line))
	}
	return err
}
