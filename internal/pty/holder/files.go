package holder

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Version is the version of the files and frames.
const Version = 1

// The files of a run's folder.
const (
	LaunchFile = "launch.json"
	HolderFile = "holder.json"
	ExitFile   = "exit.json"
	SizesFile  = "sizes.jsonl"
	ErrorFile  = "error.json"
)

// Launch is what a run is started from.
type Launch struct {
	Version    int      `json:"version"`
	Argv       []string `json:"argv"`
	Cwd        string   `json:"cwd"`
	Env        []string `json:"env"`
	Cols       int      `json:"cols"`
	Rows       int      `json:"rows"`
	StopSignal int      `json:"stopSignal,omitempty"`
	ReadOnly   bool     `json:"readOnly,omitempty"`
	Socket     string   `json:"socket"`
	LogCap     int64    `json:"logCap"`
	Run        int      `json:"run"`
}

// Proc proves the identity of a process within a boot.
type Proc struct {
	PID   int    `json:"pid"`
	Start uint64 `json:"start"`
}

// Record says who holds the run.
type Record struct {
	Version   int       `json:"version"`
	Boot      string    `json:"boot"`
	Holder    Proc      `json:"holder"`
	Agent     Proc      `json:"agent"`
	StartedAt time.Time `json:"startedAt"`
	Socket    string    `json:"socket"`
}

// Exit is how the agent ended.
type Exit struct {
	Version    int       `json:"version"`
	Code       *int      `json:"code,omitempty"`
	Signal     *int      `json:"signal,omitempty"`
	At         time.Time `json:"at"`
	LeftBehind []Proc    `json:"leftBehind,omitempty"`
}

// Failure is a launch that came to nothing.
type Failure struct {
	Kind   string `json:"kind"`
	Detail string `json:"detail"`
}

// WriteFile writes v durably: a temporary file, fsync, rename, fsync of the
// folder. It appears whole or not at all.
func WriteFile(dir, name string, v any) (err error) {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	tmp := filepath.Join(dir, "."+name+".tmp")
	f, err := os.OpenFile(tmp, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	err = errors.Join(err, f.Sync(), f.Close())
	if err != nil {
		return errors.Join(err, os.Remove(tmp))
	}
	if err := os.Rename(tmp, filepath.Join(dir, name)); err != nil {
		return err
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// ReadFile reads what WriteFile wrote; fs.ErrNotExist when there is none.
func ReadFile(dir, name string, v any) error {
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, v); err != nil {
		return fmt.Errorf("%s in %s: %w", name, dir, err)
	}
	return nil
}

// Exists reports whether a file is in a run's folder.
func Exists(dir, name string) bool {
	_, err := os.Stat(filepath.Join(dir, name))
	return !errors.Is(err, fs.ErrNotExist)
}
