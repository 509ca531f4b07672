package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/tendhq/tend/api"
)

// The exit codes.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitNoSession   = 3
	exitRefused     = 4
	exitTimeout     = 5
	exitUnreachable = 6
)

// failure is an error with its exit code. Its message is one line for people
// that names the remedy.
type failure struct {
	code int
	text string
}

func (f failure) Error() string { return f.text }

func usagef(format string, a ...any) error { return failure{exitUsage, fmt.Sprintf(format, a...)} }

// exitOf is the exit code and the line that an error stands for.
func exitOf(err error) (code int, line string) {
	var f failure
	var e *api.Error
	switch {
	case err == nil:
		return exitDone, ""
	case errors.As(err, &f):
		return f.code, f.text
	case errors.As(err, &e):
		return codeOf(e.Code), e.Error()
	case errors.Is(err, api.ErrUnreachable):
		return exitUnreachable, "the daemon cannot be reached: tend doctor says more"
	case errors.Is(err, context.DeadlineExceeded):
		return exitTimeout, "the time is over"
	case errors.Is(err, context.Canceled):
		return exitFailed, "interrupted"
	}
	return exitFailed, err.Error()
}

func codeOf(c api.Code) int {
	switch c {
	case api.CodeUsage, api.CodeAmbiguous:
		return exitUsage
	case api.CodeNotFound:
		return exitNoSession
	case api.CodeRefused, api.CodeInputRefused, api.CodeNameTaken:
		return exitRefused
	case api.CodeTimeout:
		return exitTimeout
	case api.CodeStopping:
		return exitUnreachable
	case api.CodeLaunchFailed, api.CodeHostUnreachable, api.CodeStoreUnavailable, api.CodeInternal:
	}
	return exitFailed
}

// reason is an error without the path that the message around it names.
func reason(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// oneLine keeps an error on the one line that it has.
func oneLine(s string) string { return clean(strings.ReplaceAll(strings.TrimSpace(s), "\n", "; ")) }

func shortHash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:6])
}
