package session

import "time"

// Spec is how to launch a session, now and again: recorded before the first
// start, read by every resume.
type Spec struct {
	Agent    string   `json:"agent"`           // the agent's name, such as generic
	Model    string   `json:"model,omitempty"` //
	Argv     []string `json:"argv"`
	Cwd      string   `json:"cwd"`                // where the conversation began
	EnvNames []string `json:"envNames,omitempty"` // values are in the launch record only
	Settings string   `json:"settings,omitempty"` // the agent's per-launch settings file
	Host     string   `json:"host"`
	Kind     Kind     `json:"kind"`
	Prompt   string   `json:"prompt,omitempty"` // what a task is to do; typed again on retry
	// Continue is typed to a resumed task.
	Continue string `json:"continue,omitempty"`
	// Posture is by what the agent acts without asking, empty when it asks;
	// Elevated is a person's word that it may.
	Posture  []string `json:"posture,omitempty"`
	Elevated bool     `json:"elevated,omitempty"`
	Port     int      `json:"port,omitempty"` // of loopback, for agents that serve what they do
	Size     Size     `json:"size"`
	Caps     Caps     `json:"caps"`
	Policy   Policy   `json:"policy"`
}

// Caps is what an agent is able to tell and do, honestly.
type Caps struct {
	NativeReady   bool `json:"nativeReady,omitempty"`   // it says when it is ready
	NativeDone    bool `json:"nativeDone,omitempty"`    // it says when a turn is complete
	NativeWaiting bool `json:"nativeWaiting,omitempty"` // it says when it asks
	Confirms      bool `json:"confirms,omitempty"`      // it says when it has taken a prompt
	Resume        bool `json:"resume,omitempty"`        // it can resume a conversation
	StopSignal    int  `json:"stopSignal,omitempty"`    // first signal of the stop policy; 0 = SIGTERM
}

// Policy is the numbers of DESIGN 4.3 and 4.4. A zero duration switches that
// rule off; DefaultPolicy has them all on.
type Policy struct {
	AutoEscalate   bool          `json:"autoEscalate"`   // a login refused, or a task's exit mid-turn, needs a person; off: dead
	MinLifetime    time.Duration `json:"minLifetime"`    // an exit sooner after the launch is startupFailed
	StartupTimeout time.Duration `json:"startupTimeout"` // starting to ready
	Stall          time.Duration `json:"stall"`          // busy without progress
	ToolStall      time.Duration `json:"toolStall"`      // busy without progress while a tool runs
	PromptAccepted time.Duration `json:"promptAccepted"` // submitted to confirmed
	ResumeProof    time.Duration `json:"resumeProof"`    // relaunched to proven
	ResumeSettle   time.Duration `json:"resumeSettle"`   // readiness must last this long to prove a resume
	ExitTruth      time.Duration `json:"exitTruth"`      // how long to look for the truth about an end
	MaxResumes     int           `json:"maxResumes"`     // attempts before a person is asked
	BackoffBase    time.Duration `json:"backoffBase"`    // doubles with each attempt
	BackoffMax     time.Duration `json:"backoffMax"`
	Jitter         float64       `json:"jitter"`      // ± share of the backoff
	Healthy        time.Duration `json:"healthy"`     // running this long resets the attempts
	CrashWindow    time.Duration `json:"crashWindow"` // at most MaxCrashes within it
	MaxCrashes     int           `json:"maxCrashes"`  //
	SweepAge       time.Duration `json:"sweepAge"`    // an exit sooner after a start is never swept
	SweepSettle    time.Duration `json:"sweepSettle"` // not before this long after first sight
	SweepReads     int           `json:"sweepReads"`  // authoritative reads that must agree
	NoSweep        bool          `json:"noSweep"`     // ended sessions stay until a person closes them
}

// DefaultPolicy is DESIGN 4.3 to 4.5.
func DefaultPolicy() Policy {
	return Policy{
		AutoEscalate:   true,
		MinLifetime:    10 * time.Second,
		StartupTimeout: 60 * time.Second,
		Stall:          5 * time.Minute,
		ToolStall:      30 * time.Minute,
		PromptAccepted: 15 * time.Second,
		ResumeProof:    60 * time.Second,
		ResumeSettle:   10 * time.Second,
		ExitTruth:      30 * time.Second,
		MaxResumes:     2,
		BackoffBase:    time.Second,
		BackoffMax:     60 * time.Second,
		Jitter:         0.2,
		Healthy:        10 * time.Minute,
		CrashWindow:    10 * time.Minute,
		MaxCrashes:     3,
		SweepAge:       10 * time.Second,
		SweepSettle:    2 * time.Second,
		SweepReads:     2,
	}
}

// Reminders is when a person is reminded of a question, counted from its start.
var Reminders = []time.Duration{time.Minute, 10 * time.Minute, 60 * time.Minute}

// MaxPrompt is the longest prompt in bytes; a longer one is refused whole.
const MaxPrompt = 1 << 20

// PromptState is how far a prompt has come.
type PromptState string

// The prompt states.
const (
	PromptQueued    PromptState = "queued"
	PromptTyping    PromptState = "typing" // handed to the terminal; durable before the first byte
	PromptTyped     PromptState = "typed"  // the whole text was written
	PromptSubmitted PromptState = "submitted"
	PromptConfirmed PromptState = "confirmed"
	PromptFailed    PromptState = "failed"
)

// Prompt is text on its way to the agent. At most one is in flight.
type Prompt struct {
	ID        string      `json:"id"`
	Text      string      `json:"text"`
	State     PromptState `json:"state"`
	At        time.Time   `json:"at"`                  // when it was queued
	StepAt    time.Time   `json:"stepAt"`              // when its state last changed
	Sanitised bool        `json:"sanitised,omitempty"` // control bytes were removed
	Failure   string      `json:"failure,omitempty"`
}

// InFlight reports whether the prompt is somewhere between queue and receipt.
func (p Prompt) InFlight() bool {
	return p.State == PromptTyping || p.State == PromptTyped || p.State == PromptSubmitted
}

// Resume is the budget of automatic resumes.
type Resume struct {
	Attempts int         `json:"attempts"`           // since the last healthy time
	NextAt   time.Time   `json:"nextAt,omitzero"`    // when the next relaunch is due
	Crashes  []time.Time `json:"crashes,omitempty"`  // within the crash window
	ByPerson bool        `json:"byPerson,omitempty"` // the relaunch in progress was asked for by a person
	ReadyAt  time.Time   `json:"readyAt,omitzero"`   // readiness of the relaunched agent, not yet proof
	ProvenAt time.Time   `json:"provenAt,omitzero"`  // when the last resume was proven
	// Unproven is true while the present run is a relaunch that has not shown
	// yet that it goes on with the conversation, in whatever state.
	Unproven bool `json:"unproven,omitempty"`
	// FailedRun is the relaunched run already counted as a failed attempt.
	FailedRun int `json:"failedRun,omitempty"`
}

// DeadlineKind names what is waited for.
type DeadlineKind string

// The deadlines.
const (
	StartupDeadline  DeadlineKind = "startup"
	StallDeadline    DeadlineKind = "stall"
	PromptDeadline   DeadlineKind = "promptAccepted"
	RelaunchDeadline DeadlineKind = "relaunch"     // the backoff is over
	ProofDeadline    DeadlineKind = "resumeProof"  // the relaunched agent has not proven itself
	SettleDeadline   DeadlineKind = "resumeSettle" // readiness has lasted long enough
	ReminderDeadline DeadlineKind = "reminder"
	TruthDeadline    DeadlineKind = "exitTruth"
	HealthyDeadline  DeadlineKind = "healthy"
	SweepDeadline    DeadlineKind = "sweep"
)

// Deadline is a time at which something that did not happen becomes evidence.
type Deadline struct {
	Kind DeadlineKind `json:"kind"`
	At   time.Time    `json:"at"`
}

// Sweep is what the sweep knows of the present exit.
type Sweep struct {
	Reads     int       `json:"reads,omitempty"`    // authoritative reads in a row that agree
	FirstSeen time.Time `json:"firstSeen,omitzero"` // of this exit
	AskedAt   time.Time `json:"askedAt,omitzero"`   // when the exit was last read again
	Tried     bool      `json:"tried,omitempty"`    // one attempt per exit
}
