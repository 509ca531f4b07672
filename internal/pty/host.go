// Package pty runs agents in terminals of their own, each held by a small
// process that outlives the daemon. This is the daemon's side of the holder's
// socket and files. It decides nothing and logs nothing.
package pty

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/tendhq/tend/internal/pty/holder"
	"github.com/tendhq/tend/internal/session"
)

// DefaultLogCap is how much output of a run is kept, in bytes.
const DefaultLogCap = 64 << 20

// maxSocketPath is what sockaddr_un has room for everywhere.
const maxSocketPath = 103

// Config says where a Host keeps things.
type Config struct {
	StateDir   string   // sessions/<id>/run-<n> are below
	RuntimeDir string   // sockets
	HoldArgv   []string // the holder's command; empty: tend-hold beside the program, in PATH, or the program itself
	LogCap     int64    // 0 = DefaultLogCap
}

// Host implements the supervisor's Host with pseudo-terminals.
type Host struct{ cfg Config }

// New returns a host. Nothing is started.
func New(cfg Config) *Host {
	if cfg.LogCap == 0 {
		cfg.LogCap = DefaultLogCap
	}
	if len(cfg.HoldArgv) == 0 {
		cfg.HoldArgv = findHolder()
	}
	return &Host{cfg: cfg}
}

func findHolder() []string {
	self, err := os.Executable()
	if err != nil {
		self = os.Args[0]
	}
	beside := filepath.Join(filepath.Dir(self), "tend-hold")
	if _, err := os.Stat(beside); err == nil {
		return []string{beside, "run"}
	}
	if p, err := exec.LookPath("tend-hold"); err == nil {
		return []string{p, "run"}
	}
	return []string{self, "hold", "run"}
}

// Dir is the folder of a run.
func (h *Host) Dir(ref session.RunRef) string {
	return filepath.Join(h.cfg.StateDir, "sessions", string(ref.ID), "run-"+strconv.Itoa(ref.Run))
}

// socket is a short path that no other run has.
func (h *Host) socket(ref session.RunRef) (string, error) {
	sum := sha256.Sum256([]byte(h.cfg.StateDir + "\x00" + ref.String()))
	name := strings.ToLower(base32.StdEncoding.EncodeToString(sum[:10])) + ".hold"
	path := filepath.Join(h.cfg.RuntimeDir, name)
	if len(path) > maxSocketPath {
		return "", fmt.Errorf("the socket path %s has %d bytes and the system allows %d: set XDG_RUNTIME_DIR to a shorter folder", path, len(path), maxSocketPath)
	}
	return path, nil
}

// Prepare writes the launch record of a run.
func (h *Host) Prepare(_ context.Context, ref session.RunRef, l session.Launch) error {
	sock, err := h.socket(ref)
	if err != nil {
		return &session.LaunchError{Kind: "failed", Detail: err.Error()}
	}
	rec := holder.Launch{
		Version: holder.Version, Argv: l.Argv, Cwd: l.Cwd, Env: l.Env, Cols: l.Size.Cols, Rows: l.Size.Rows,
		StopSignal: l.StopSignal, ReadOnly: l.ReadOnly, Socket: sock, LogCap: h.cfg.LogCap, Run: ref.Run,
	}
	if l.EnvFromRun != 0 {
		var old holder.Launch
		if err := holder.ReadFile(h.Dir(session.RunRef{ID: ref.ID, Run: l.EnvFromRun}), holder.LaunchFile, &old); err != nil {
			return &session.LaunchError{Kind: "failed", Detail: fmt.Sprintf("the environment of run %d cannot be read: %v", l.EnvFromRun, err)}
		}
		rec.Env = old.Env
	}
	rec.Env = terminalEnv(rec.Env)
	if rec.Cols == 0 || rec.Rows == 0 {
		rec.Cols, rec.Rows = 80, 24
	}
	dir := h.Dir(ref)
	err = os.MkdirAll(dir, 0o700)
	if err == nil {
		err = holder.WriteFile(dir, holder.LaunchFile, rec)
	}
	if err != nil {
		return &session.LaunchError{Kind: "noRoom", Detail: fmt.Sprintf("the launch record cannot be written below %s: %v: make room, or make it writable", h.cfg.StateDir, cause(err))}
	}
	return nil
}

// cause is the system's word within an error.
func cause(err error) error {
	var no syscall.Errno
	if errors.As(err, &no) {
		return no
	}
	return err
}

// terminalEnv is env with what a terminal of ours is called.
func terminalEnv(env []string) []string {
	out := make([]string, 0, len(env)+3)
	utf8 := false
	for _, kv := range env {
		name, value, _ := strings.Cut(kv, "=")
		switch name {
		case "TERM", "COLORTERM":
			continue
		case "LANG", "LC_ALL", "LC_CTYPE":
			v := strings.ToLower(value)
			utf8 = utf8 || strings.Contains(v, "utf-8") || strings.Contains(v, "utf8")
		}
		out = append(out, kv)
	}
	out = append(out, "TERM=xterm-256color", "COLORTERM=truecolor")
	if !utf8 {
		out = append(out, "LC_CTYPE=C.UTF-8")
	}
	return out
}

// Launch starts a prepared run, once.
func (h *Host) Launch(ctx context.Context, ref session.RunRef) (session.Sighting, error) {
	dir := h.Dir(ref)
	s, err := h.Inspect(ctx, ref)
	if err != nil && !errors.Is(err, session.ErrUnreachable) {
		return s, err
	}
	if s.Started {
		return s, nil
	}
	if err := os.Remove(filepath.Join(dir, holder.ErrorFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return s, err
	}
	if err := h.spawn(ctx, dir); err != nil {
		return s, err
	}
	return h.Inspect(ctx, ref)
}

// spawn starts a holder and waits until its agent runs, or it has said why not.
func (h *Host) spawn(ctx context.Context, dir string) error {
	ready, told, err := os.Pipe()
	if err != nil {
		return &session.LaunchError{Kind: "noRoom", Detail: "no file descriptors left: " + err.Error()}
	}
	defer ready.Close()
	logFile, err := os.OpenFile(filepath.Join(dir, "holder.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		_ = told.Close()
		return &session.LaunchError{Kind: "noRoom", Detail: fmt.Sprintf("the holder's log cannot be written below %s: %v", h.cfg.StateDir, cause(err))}
	}
	defer logFile.Close()
	c := exec.Command(h.cfg.HoldArgv[0], append(h.cfg.HoldArgv[1:len(h.cfg.HoldArgv):len(h.cfg.HoldArgv)], dir)...)
	c.Dir, c.Stdout, c.Stderr, c.ExtraFiles = "/", logFile, logFile, []*os.File{told}
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err = c.Start()
	_ = told.Close()
	if err != nil {
		return &session.LaunchError{Kind: "noHolder", Detail: fmt.Sprintf("cannot start %s: %v", h.cfg.HoldArgv[0], err)}
	}
	go func() { _ = c.Wait() }()
	return awaitReady(ctx, ready, dir)
}

func awaitReady(ctx context.Context, ready *os.File, dir string) error {
	if d, ok := ctx.Deadline(); ok {
		_ = ready.SetReadDeadline(d)
	}
	buf := make([]byte, 8)
	n, err := ready.Read(buf)
	if n > 0 {
		return nil
	}
	var f holder.Failure
	if holder.ReadFile(dir, holder.ErrorFile, &f) == nil {
		return &session.LaunchError{Kind: f.Kind, Detail: f.Detail}
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return fmt.Errorf("the holder did not start in time: %w", session.ErrUnreachable)
	}
	return &session.LaunchError{Kind: "noHolder", Detail: "the holder ended before its agent ran: see holder.log in " + dir}
}

// Inspect says what can be proven of a run.
func (h *Host) Inspect(_ context.Context, ref session.RunRef) (session.Sighting, error) {
	dir := h.Dir(ref)
	if !holder.Exists(dir, holder.LaunchFile) {
		return session.Sighting{}, session.ErrNoRun
	}
	var rec holder.Record
	err := holder.ReadFile(dir, holder.HolderFile, &rec)
	if errors.Is(err, fs.ErrNotExist) {
		return session.Sighting{Gone: true}, nil
	}
	if err != nil {
		return session.Sighting{Started: true}, fmt.Errorf("%w: %w", session.ErrUnreachable, err)
	}
	s := session.Sighting{
		Started: true, StartedAt: rec.StartedAt, Rebooted: rec.Boot != holder.BootID(),
		Process: session.ProcessID{PID: rec.Agent.PID, Start: rec.Agent.Start, Boot: rec.Boot},
	}
	var x holder.Exit
	switch err := holder.ReadFile(dir, holder.ExitFile, &x); {
	case err == nil:
		e := exitOf(x)
		s.Exit = &e
	case !errors.Is(err, fs.ErrNotExist):
		return s, fmt.Errorf("%w: %w", session.ErrUnreachable, err)
	}
	agent, hold := !s.Rebooted && rec.Agent.Alive(), !s.Rebooted && rec.Holder.Alive()
	s.Alive = agent && hold && s.Exit == nil
	s.Gone = !agent && (!hold || s.Exit != nil)
	return s, nil
}

func exitOf(x holder.Exit) session.Exit {
	e := session.Exit{Code: x.Code, Signal: x.Signal, At: x.At.Truncate(time.Millisecond), Source: "holder"}
	for _, p := range x.LeftBehind {
		e.LeftBehind = append(e.LeftBehind, p.PID)
	}
	return e
}

// Known lists every run on record.
func (h *Host) Known(context.Context) ([]session.RunRef, error) {
	dirs, err := filepath.Glob(filepath.Join(h.cfg.StateDir, "sessions", "*", "run-*"))
	var out []session.RunRef
	for _, d := range dirs {
		n, err := strconv.Atoi(strings.TrimPrefix(filepath.Base(d), "run-"))
		if err == nil {
			out = append(out, session.RunRef{ID: session.ID(filepath.Base(filepath.Dir(d))), Run: n})
		}
	}
	return out, err
}
