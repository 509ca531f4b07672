// Package pty runs agents in terminals of their own, each held by a small
// process that outlives the daemon. This is the daemon's side of the holder's
// socket and files. It decides nothing and logs nothing.
package pty

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/tendhq/tend/internal/pty/holder"
	"github.com/tendhq/tend/internal/session"
	"github.com/tendhq/tend/internal/spool/bell"
)

// DefaultLogCap is how much output of a run is kept, in bytes.
const DefaultLogCap = 64 << 20

// Config says where a Host keeps things.
type Config struct {
	StateDir   string   // sessions/<id>/run-<n> are below
	RuntimeDir string   // sockets
	HoldArgv   []string // the holder's command; empty: tend-hold beside the program, in PATH, or the program itself
	LogCap     int64    // 0 = DefaultLogCap
}

// Host implements the supervisor's Host with pseudo-terminals.
type Host struct {
	cfg     Config
	noScope atomic.Bool // systemd has refused one
	bell    bell.Bell
}

// New returns a host. Nothing is started.
func New(cfg Config) *Host {
	if cfg.LogCap == 0 {
		cfg.LogCap = DefaultLogCap
	}
	if len(cfg.HoldArgv) == 0 {
		cfg.HoldArgv = append(small("hold"), "run")
	}
	return &Host{cfg: cfg}
}

// HookArgv is the command that agents run as a hook; it finds the run's folder in
// TEND_RUN.
func HookArgv() []string { return append(small(""), "hook") }

// HoldProgram is where the small binary is that belongs to a tend at self: beside
// it, or in PATH.
func HoldProgram(self string) (path string, ok bool) {
	beside := filepath.Join(filepath.Dir(self), "tend-hold")
	if _, err := os.Stat(beside); err == nil {
		return beside, true
	}
	path, err := exec.LookPath("tend-hold")
	return path, err == nil
}

// small is the small binary, or this program with the verb that does the same.
func small(verb string) []string {
	self, err := os.Executable()
	if err != nil {
		self = os.Args[0]
	}
	if hold, ok := HoldProgram(self); ok {
		return []string{hold}
	}
	if verb == "" {
		return []string{self}
	}
	return []string{self, verb}
}

// Dir is the folder of a run.
func (h *Host) Dir(ref session.RunRef) string {
	return filepath.Join(h.cfg.StateDir, "sessions", string(ref.ID), "run-"+strconv.Itoa(ref.Run))
}

// Prepare writes the launch record of a run. A run that was launched keeps the
// record it was launched from.
func (h *Host) Prepare(_ context.Context, ref session.RunRef, l session.Launch) error {
	dir := h.Dir(ref)
	if holder.Exists(dir, holder.HolderFile) {
		return nil
	}
	sock, err := h.socket(ref)
	if err != nil {
		return &session.LaunchError{Kind: "failed", Detail: err.Error()}
	}
	rec := holder.Launch{
		Version: holder.Version, Argv: l.Argv, Cwd: l.Cwd, Env: l.Env, Cols: l.Size.Cols, Rows: l.Size.Rows,
		StopSignal: l.StopSignal, ReadOnly: l.ReadOnly, Socket: sock, LogCap: h.cfg.LogCap, Run: ref.Run, Name: l.Name,
	}
	if rec.Spec, err = json.Marshal(l.Spec); err != nil {
		return &session.LaunchError{Kind: "failed", Detail: err.Error()}
	}
	if l.EnvFromRun != 0 {
		var old holder.Launch
		if err := holder.ReadFile(h.Dir(session.RunRef{ID: ref.ID, Run: l.EnvFromRun}), holder.LaunchFile, &old); err != nil {
			return &session.LaunchError{Kind: "failed", Detail: fmt.Sprintf("the environment of run %d cannot be read: %v", l.EnvFromRun, err)}
		}
		rec.Env = append(old.Env, l.Env...)
	}
	fill := strings.NewReplacer(session.RunFolder, dir)
	rec.Argv, rec.Env = each(rec.Argv, fill.Replace), lastOfEach(each(rec.Env, fill.Replace))
	rec.Env = terminalEnv(rec.Env)
	if rec.Cols == 0 || rec.Rows == 0 {
		rec.Cols, rec.Rows = 80, 24
	}
	err = os.MkdirAll(dir, 0o700)
	for _, f := range l.Files {
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, filepath.Base(f.Name)), []byte(fill.Replace(f.Data)), 0o600)
		}
	}
	if err == nil {
		err = holder.WriteFile(dir, holder.LaunchFile, rec)
	}
	if err != nil {
		return &session.LaunchError{Kind: "noRoom", Detail: fmt.Sprintf("the launch record cannot be written below %s: %v: make room, or make it writable", h.cfg.StateDir, cause(err))}
	}
	return nil
}

// Recorded returns what a run was prepared from.
func (h *Host) Recorded(_ context.Context, ref session.RunRef) (session.Launch, error) {
	var rec holder.Launch
	err := holder.ReadFile(h.Dir(ref), holder.LaunchFile, &rec)
	if errors.Is(err, fs.ErrNotExist) {
		return session.Launch{}, session.ErrNoRun
	}
	if err != nil {
		return session.Launch{}, fmt.Errorf("read the launch record: %w", err)
	}
	l := session.Launch{
		Argv: rec.Argv, Cwd: rec.Cwd, Size: session.Size{Cols: rec.Cols, Rows: rec.Rows}, StopSignal: rec.StopSignal, ReadOnly: rec.ReadOnly, Name: rec.Name,
	}
	if len(rec.Spec) > 0 {
		err = json.Unmarshal(rec.Spec, &l.Spec)
	}
	return l, err
}

// cause is the system's word within an error.
func cause(err error) error {
	var no syscall.Errno
	if errors.As(err, &no) {
		return no
	}
	return err
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
		Started: true, StartedAt: rec.StartedAt.Truncate(time.Millisecond), Rebooted: rec.Boot != holder.BootID(),
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
	e := session.Exit{Code: x.Code, Signal: x.Signal, At: x.At.Truncate(time.Millisecond), Source: "holder", Unwritten: x.Unwritten}
	for _, p := range x.LeftBehind {
		e.LeftBehind = append(e.LeftBehind, p.PID)
	}
	return e
}

// Known lists every run on record.
func (h *Host) Known(context.Context) ([]session.RunRef, error) {
	root := filepath.Join(h.cfg.StateDir, "sessions")
	ids, err := os.ReadDir(root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []session.RunRef
	for _, id := range ids {
		runs, err := os.ReadDir(filepath.Join(root, id.Name()))
		if err != nil {
			continue // one broken record hides no other
		}
		for _, r := range runs {
			number, ok := strings.CutPrefix(r.Name(), "run-")
			if n, err := strconv.Atoi(number); ok && err == nil {
				out = append(out, session.RunRef{ID: session.ID(id.Name()), Run: n})
			}
		}
	}
	return out, nil
}
