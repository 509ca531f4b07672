package session

import (
	"fmt"
	"time"
)

// RunRef names one run of a session. Runs are counted from 1 and never reused,
// so news of an old run cannot touch a newer one.
type RunRef struct {
	ID  ID  `json:"id"`
	Run int `json:"run"`
}

func (r RunRef) String() string { return fmt.Sprintf("%s/run-%d", r.ID, r.Run) }

// Phase says how far a process is known to have come.
type Phase string

// The phases.
const (
	NoProcess Phase = "none"
	Launching Phase = "launching" // recorded before the spawn; it may or may not have happened
	Running   Phase = "running"
	Exited    Phase = "exited"
	Lost      Phase = "lost" // proven gone, and nobody saw how
)

// Process is the agent's process in the present run.
type Process struct {
	Phase     Phase     `json:"phase"`
	Run       int       `json:"run"`
	Proof     ProcessID `json:"proof,omitzero"`
	StartedAt time.Time `json:"startedAt,omitzero"` // when the last launch finished
	EndedAt   time.Time `json:"endedAt,omitzero"`
	// AgeFrom is StartedAt on a clock without jumps: what the process's age is
	// counted from.
	AgeFrom time.Time `json:"ageFrom,omitzero"`
	Exit    *Exit     `json:"exit,omitempty"`
	// Seeking is true while nobody knows how the process ended and the truth
	// about it is still looked for.
	Seeking bool `json:"seeking,omitempty"`
	// LeftBehind lists processes of the tree that survived the stop policy.
	LeftBehind []int `json:"leftBehind,omitempty"`
	// OutputLost is how many bytes of output a full disk had no room for.
	OutputLost int64 `json:"outputLost,omitempty"`
	// ReadTo is the output offset up to which evidence has been taken.
	ReadTo int64 `json:"readTo,omitempty"`
	// HooksTo is the offset in the hook spool up to which hooks have been taken,
	// stored in the same transaction as what they led to.
	HooksTo int64 `json:"hooksTo,omitempty"`
	// HooksSilent is true once the agent's hooks have not been heard in time:
	// what it does not say itself is then taken from its screen.
	HooksSilent bool `json:"hooksSilent,omitempty"`
	// WasReady is true once the agent was ready, or beyond, in this run.
	WasReady bool `json:"wasReady,omitempty"`
	// Stopped is true while the process is suspended (state T): it neither
	// works nor waits for an answer.
	Stopped bool `json:"stopped,omitempty"`
}

// ProcessID proves the identity of a process: the number alone is reused, the
// number with its start time within one boot is not.
type ProcessID struct {
	PID   int    `json:"pid,omitempty"`
	Start uint64 `json:"start,omitempty"` // clock ticks after boot, field 22 of /proc/PID/stat
	Boot  string `json:"boot,omitempty"`  // /proc/sys/kernel/random/boot_id
}

// Exit is how a process ended, as its parent was told. Absent is not zero: a
// status or signal that was not reported is nil.
type Exit struct {
	Code   *int      `json:"code,omitempty"`
	Signal *int      `json:"signal,omitempty"` // 0 is a reported signal, so such an exit is not clean
	At     time.Time `json:"at"`
	Source string    `json:"source"` // the witness: holder, pane
	// LeftBehind lists processes of the tree that outlived the stop policy.
	LeftBehind []int `json:"leftBehind,omitempty"`
	// Unwritten is how many of the last bytes a full disk had no room for.
	Unwritten int64 `json:"unwritten,omitempty"`
}

// Unknown reports whether neither status nor signal was reported.
func (e *Exit) Unknown() bool { return e == nil || (e.Code == nil && e.Signal == nil) }

// Clean reports an explicit status 0 with no signal reported.
func (e *Exit) Clean() bool { return e != nil && e.Code != nil && *e.Code == 0 && e.Signal == nil }

// ProbableSignal is the signal that a shell-like status 128+n stands for, as a
// hint for people; 0 when there is none. It is never treated as a signal.
func (e *Exit) ProbableSignal() int {
	if e == nil || e.Code == nil || e.Signal != nil || *e.Code <= 128 || *e.Code > 128+64 {
		return 0
	}
	return *e.Code - 128
}

// Launch is all a host needs to start a run. Environment values live here and
// in the run's launch record (0600) only; never in the journal.
type Launch struct {
	Argv []string
	Cwd  string
	Env  []string // K=V, complete: nothing else is inherited
	// EnvFromRun, when not 0, takes Env from the launch record of that earlier
	// run of the same session instead, so that secrets need no second copy.
	EnvFromRun int
	Size       Size
	StopSignal int // the first signal of the stop policy: SIGINT or SIGTERM
	ReadOnly   bool
	// Files are written into the run's folder, 0600, before the start. In Argv,
	// Env and their Data, RunFolder stands for the folder's absolute path.
	Files []LaunchFile
	// Name and Spec are the session's. They are kept with the run, so that it can
	// be taken back when the session is lost.
	Name string
	Spec Spec
}

// LaunchFile is one file of a run, such as an agent's per-launch settings.
type LaunchFile struct {
	Name string // no path
	Data string
}

// LaunchOrder is what an agent may need to know to say how it is started.
type LaunchOrder struct {
	NativeID string   // the conversation to resume, "" = a new one
	FreshID  string   // a new UUID, for agents that let their conversation be named
	Hook     []string // the hook command, without the run's folder
}

// LaunchPlan is how an agent is started: what a Launch holds of it.
type LaunchPlan struct {
	Argv  []string
	Env   []string // K=V, beside what the caller gave
	Files []LaunchFile
	// NativeID is the conversation's name, where it is known before the start.
	NativeID string
}

// Stream is where an agent tells what it does, as server-sent events.
type Stream struct {
	Events string
	First  []string // pages that say how things stand, to be read before
}

// RunFolder stands for the run's folder in a Launch. It holds a NUL, which no
// argument or variable of anybody's can.
const RunFolder = "\x00run\x00"

// Size is a terminal's size in cells.
type Size struct {
	Cols int `json:"cols"`
	Rows int `json:"rows"`
}

// Life of a run as a host can prove it.
type Sighting struct {
	// Alive is true only when the holder answered and its agent runs.
	Alive bool
	// Gone is true only when agent and holder are proven dead (pid and start
	// time, or another boot). Neither Alive nor Gone: not known now, ask again.
	Gone bool
	// Started is false when the run was prepared and never spawned.
	Started bool
	Process ProcessID
	// StartedAt is when the agent was spawned, zero if unknown.
	StartedAt time.Time
	Exit      *Exit // the exit record, if there is one
	Rebooted  bool  // the run belongs to another boot
}

// Source says where a piece of evidence came from, and with it how far it is
// trusted: person > hook > transcript > title > screen > quiet.
type Source string

// The sources, most trusted first.
const (
	FromPerson     Source = "person"
	FromHolder     Source = "holder" // process facts
	FromHook       Source = "hook"   // the agent itself says so
	FromTranscript Source = "transcript"
	FromTitle      Source = "title" // title, OSC 7501, OSC 133
	FromScreen     Source = "screen"
	FromQuiet      Source = "quiet"
	FromSupervisor Source = "supervisor" // deadlines, reconciling
	FromTerminal   Source = "terminal"   // the terminal's answer to a device query; no evidence
)

// TerminalEvent is what a host tells about a run's terminal, in order.
type TerminalEvent interface{ terminalEvent() }

// Output is bytes the agent wrote, at its absolute offset in the run.
type Output struct {
	Offset int64
	Data   []byte
}

// OutputGap says that the bytes in [From, To) were dropped by the log's cap or,
// if Full, lost to a full disk.
type OutputGap struct {
	From, To int64
	Full     bool
}

// Resized is a new size of the terminal, in force from Offset on.
type Resized struct {
	Offset int64
	Size   Size
}

// Typed tells that somebody wrote to the terminal.
type Typed struct {
	At         time.Time
	By         Source // FromPerson or FromSupervisor
	Submitted  bool   // the input held a carriage return
	Unfinished bool   // an unfinished line may be in the composer
}

// Viewers is the number of attached terminals, previews not counted.
type Viewers struct{ Count int }

// ProcessExited is the end of the agent, told after the last Output.
type ProcessExited struct{ Exit Exit }

// Suspended tells that the agent's process was stopped (state T) or continued.
type Suspended struct{ Stopped bool }

// HookFired is one line of the run's hook spool. It is delivered in the order of
// the spool, not in step with the output.
type HookFired struct {
	Offset  int64 // after the line
	At      time.Time
	Via     string // hook or notify
	Payload []byte // the agent's own JSON object; nil when it sent none
	Torn    bool   // no line of ours: a writer was killed in the middle of it
}

// RecordTail is the end of the agent's own record of the conversation, as the
// reader had asked for it.
type RecordTail struct {
	Path string
	Data []byte // the first line may be cut
}

func (Output) terminalEvent()        {}
func (OutputGap) terminalEvent()     {}
func (Resized) terminalEvent()       {}
func (Typed) terminalEvent()         {}
func (Viewers) terminalEvent()       {}
func (ProcessExited) terminalEvent() {}
func (Suspended) terminalEvent()     {}
func (HookFired) terminalEvent()     {}
func (RecordTail) terminalEvent()    {}

// Input is bytes for an agent's terminal. They are written whole, or refused
// whole at the instant of writing when a condition does not hold.
type Input struct {
	By   Source
	Data []byte
	// IfQuietFor refuses the input when a person typed less than this long ago.
	IfQuietFor time.Duration
	// IfNoUnfinished refuses it when a person's unfinished line may be in the
	// composer.
	IfNoUnfinished bool
	// FreeAt is when the input line was known to be empty: what a person typed
	// before is no unfinished line. Zero: not known.
	FreeAt time.Time
}

// StopOrder is the stop policy: Signal, after Grace SIGHUP, after Grace
// SIGKILL, each to the whole tree.
type StopOrder struct {
	Signal int
	Grace  time.Duration // 5 s by default
}
