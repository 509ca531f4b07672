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
	lockFile   = "lock"
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
	// Name and Spec are the session's, for who finds the run without it. The
	// holder does not look at them.
	Name string          `json:"name,omitempty"`
	Spec json.RawMessage `json:"spec,omitempty"`
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
	Unwritten  int64     `json:"unwritten,omitempty"` // bytes of output that a full disk had no room for
}

// Failure is a launch that came to nothing.
type Failure struct {
	Kind   string `json:"kind"`
	Detail string `json:"detail"`
}

func temporary(dir, name string) string { return filepath.Join(dir, "."+name+".tmp") }

// WriteFile writes v durably: a temporary file, fsync, rename, fsync of the
// folder. It appears whole or not at all.
func WriteFile(dir, name string, v any) error { return write(dir, name, v, os.O_TRUNC, true) }

// writeQuick appears whole or not at all too, and may be lost with the machine.
func writeQuick(dir, name string, v any) error { return write(dir, name, v, os.O_TRUNC, false) }

// reserved is the room that reserve takes, in bytes.
const reserved = 4096

// reserve takes room for a later writeReserved, which then works on a full disk.
func reserve(dir, name string) error {
	return os.WriteFile(temporary(dir, name), make([]byte, reserved), 0o600)
}

// writeReserved is WriteFile in the room that was reserved.
func writeReserved(dir, name string, v any) error { return write(dir, name, v, 0, true) }

func write(dir, name string, v any, flags int, durable bool) (err error) {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	tmp := temporary(dir, name)
	f, err := os.OpenFile(tmp, os.O_CREATE|os.O_WRONLY|flags, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	err = errors.Join(err, f.Truncate(int64(len(b))))
	if durable {
		err = errors.Join(err, f.Sync())
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(tmp))
	}
	if err := os.Rename(tmp, filepath.Join(dir, name)); err != nil || !durable {
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
