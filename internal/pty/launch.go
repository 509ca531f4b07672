package pty

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/tendhq/tend/internal/pty/holder"
	"github.com/tendhq/tend/internal/session"
)

// startFor bounds how long a holder that somebody else is starting is awaited.
const startFor = 5 * time.Second

// terminalEnv is env with what a terminal of ours is called, and a UTF-8 locale
// where the one that would be in force is none.
func terminalEnv(env []string) []string {
	out := make([]string, 0, len(env)+3)
	locale := map[string]string{}
	for _, kv := range env {
		switch name, value, _ := strings.Cut(kv, "="); name {
		case "TERM", "COLORTERM":
		case "LC_ALL", "LC_CTYPE", "LANG":
			locale[name] = value
		default:
			out = append(out, kv)
		}
	}
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} { // the first that is set is in force
		value := locale[name]
		if isUTF8(value) {
			break
		}
		if delete(locale, name); name == "LANG" {
			locale[name] = "C.UTF-8"
		}
	}
	for _, name := range []string{"LANG", "LC_ALL", "LC_CTYPE"} {
		if value, ok := locale[name]; ok {
			out = append(out, name+"="+value)
		}
	}
	return append(out, "TERM=xterm-256color", "COLORTERM=truecolor")
}

func isUTF8(locale string) bool {
	v := strings.ToLower(locale)
	return strings.Contains(v, "utf-8") || strings.Contains(v, "utf8")
}

// Launch starts a prepared run, once: the holder sees to it, so that neither a
// repetition nor another daemon starts a second agent.
func (h *Host) Launch(ctx context.Context, ref session.RunRef) (session.Sighting, error) {
	dir := h.Dir(ref)
	s, err := h.Inspect(ctx, ref)
	if err != nil && !errors.Is(err, session.ErrUnreachable) {
		return s, err
	}
	if s.Process.PID != 0 {
		return s, nil
	}
	if !s.Started {
		if err := os.Remove(filepath.Join(dir, holder.ErrorFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return s, err
		}
		if err := h.spawn(ctx, dir); err != nil && !errors.Is(err, errHeld) {
			return s, err
		}
	}
	return h.awaitStart(ctx, ref)
}

// awaitStart returns the agent of a holder that is starting it.
func (h *Host) awaitStart(ctx context.Context, ref session.RunRef) (session.Sighting, error) {
	ctx, cancel := context.WithTimeout(ctx, startFor)
	defer cancel()
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	for {
		s, err := h.Inspect(ctx, ref)
		if err != nil || s.Process.PID != 0 || s.Gone && s.Started {
			return s, err
		}
		if err := failureIn(h.Dir(ref)); err != nil {
			return s, err
		}
		select {
		case <-look.C:
		case <-ctx.Done():
			return s, fmt.Errorf("the holder did not start in time: %w", session.ErrUnreachable)
		}
	}
}

// failureIn is why a launch came to nothing, if it is on record.
func failureIn(dir string) error {
	var f holder.Failure
	if holder.ReadFile(dir, holder.ErrorFile, &f) != nil {
		return nil
	}
	return &session.LaunchError{Kind: f.Kind, Detail: f.Detail}
}

// errHeld: another holder has the run.
var errHeld = errors.New("another holder has this run")

// spawn starts a holder and waits until its agent runs, or it has said why not.
func (h *Host) spawn(ctx context.Context, dir string) error {
	argv := append(h.cfg.HoldArgv[:len(h.cfg.HoldArgv):len(h.cfg.HoldArgv)], dir)
	if scope := scopeFor(dir); scope != nil && !h.noScope.Load() {
		err := h.try(ctx, dir, append(scope, argv...))
		var failed *session.LaunchError
		if !errors.As(err, &failed) || failed.Kind != silent {
			return err
		}
		h.noScope.Store(true) // systemd would not
	}
	err := h.try(ctx, dir, argv)
	var failed *session.LaunchError
	if errors.As(err, &failed) && failed.Kind == silent {
		failed.Kind = "noHolder"
	}
	return err
}

// silent is the kind of a launch whose holder ended without a word.
const silent = "silent"

func (h *Host) try(ctx context.Context, dir string, argv []string) error {
	ready, told, err := os.Pipe()
	if err != nil {
		return noRoom("no file descriptors left", err)
	}
	defer ready.Close()
	logFile, err := os.OpenFile(filepath.Join(dir, "holder.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		_ = told.Close()
		return noRoom("the holder's log cannot be written below "+h.cfg.StateDir, err)
	}
	defer logFile.Close()
	c := exec.Command(argv[0], argv[1:]...)
	c.Dir, c.Stdout, c.Stderr, c.ExtraFiles = "/", logFile, logFile, []*os.File{told}
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err = c.Start()
	_ = told.Close()
	switch {
	case errors.Is(err, syscall.EAGAIN), errors.Is(err, syscall.ENOMEM), errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return noRoom("no room for another process", err)
	case err != nil:
		return &session.LaunchError{Kind: "noHolder", Detail: fmt.Sprintf("cannot start %s: %v: install tend-hold beside tend", argv[0], cause(err))}
	}
	go func() { _ = c.Wait() }()
	return awaitReady(ctx, ready, dir)
}

func noRoom(what string, err error) error {
	return &session.LaunchError{Kind: "noRoom", Detail: fmt.Sprintf("%s: %v: make room, or raise the limit", what, cause(err))}
}

func awaitReady(ctx context.Context, ready *os.File, dir string) error {
	stop := context.AfterFunc(ctx, func() { _ = ready.SetReadDeadline(time.Now()) })
	defer stop()
	buf := make([]byte, 16)
	n, err := ready.Read(buf)
	running, held := holder.Ready(buf[:n])
	switch {
	case running:
		return nil
	case held:
		return errHeld
	}
	if err := failureIn(dir); err != nil {
		return err
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return fmt.Errorf("the holder did not start in time: %w", session.ErrUnreachable)
	}
	return &session.LaunchError{Kind: silent, Detail: "the holder ended before its agent ran: see holder.log in " + dir}
}
