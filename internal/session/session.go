package session

import "time"

// ID names a session for ever: a ULID, so that ids sort by creation.
type ID string

// State is the one answer to "what is this agent doing". The spellings are the
// wire format.
type State string

// The nine states.
const (
	Starting       State = "starting"
	Ready          State = "ready"
	Busy           State = "busy"
	WaitingOnInput State = "waitingOnInput"
	Idle           State = "idle" // the screen looks finished; no positive signal came
	Done           State = "done" // a positive completion of the turn, from the agent or a person
	Dead           State = "dead"
	Resuming       State = "resuming" // a relaunch is scheduled or in progress
	NeedsAttention State = "needsAttention"
)

// States lists every state in the order in which tables print them.
var States = []State{Starting, Ready, Busy, WaitingOnInput, Idle, Done, Resuming, NeedsAttention, Dead}

// Kind says who drives a session.
type Kind string

// The kinds.
const (
	Interactive Kind = "interactive" // a person drives
	Task        Kind = "task"        // owns a prompt that is to be finished
	Job         Kind = "job"         // runs to its end by itself, its terminal is read-only
)

// Cause says why a session needs a person.
type Cause string

// The causes of needsAttention.
const (
	Stalled              Cause = "stalled"
	StartupTimeout       Cause = "startupTimeout"
	StartupFailed        Cause = "startupFailed"
	UserExitedTurn       Cause = "userExited" // status 0 in the middle of a task's turn
	AuthFailedCause      Cause = "authFailed"
	RateLimited          Cause = "rateLimited"
	TurnFailed           Cause = "turnFailed"
	CrashedCause         Cause = "crashed" // a job, or an agent whose resume is unsupported, ended badly
	ExitUnknown          Cause = "exitUnknown"
	ResumeExhausted      Cause = "resumeExhausted"
	CrashLoop            Cause = "crashLoop"
	ResumeUnsupported    Cause = "resumeUnsupported"
	NativeSessionMissing Cause = "nativeSessionMissing"
	WorktreeMissing      Cause = "worktreeMissing"
	PromptUndelivered    Cause = "promptUndelivered"
	HostLost             Cause = "hostLost"
)

// Reason says how the last turn or process ended.
type Reason string

// The reasons.
const (
	Completed   Reason = "completed"
	UserExited  Reason = "userExited"
	Killed      Reason = "killed"
	Crashed     Reason = "crashed"
	AuthFailed  Reason = "authFailed"
	EngineDeath Reason = "engineDeath"
)

// Intent is what a person or the machine has decided and is not yet true.
// It is durable before anything is done about it.
type Intent string

// The intents.
const (
	NoIntent      Intent = ""
	IntentStop    Intent = "stop"
	IntentClose   Intent = "close"
	IntentRestart Intent = "restart"
)

// Session is everything that is known of one session: the state, and beside it
// the facts that are not the state. It is a value: Apply returns a changed copy.
type Session struct {
	ID         ID         `json:"id"`
	Node       string     `json:"node"`                 // the machine that owns it
	Name       string     `json:"name"`                 // unique among open sessions; shown verbatim
	Rev        int64      `json:"rev"`                  // grows by one with every journal row of this session
	Spec       Spec       `json:"spec"`                 // how to launch it, again if need be
	State      State      `json:"state"`                //
	Why        string     `json:"why,omitempty"`        // one sentence for people: the evidence of the last change of state
	Interrupts State      `json:"interrupts,omitempty"` // the state that needsAttention interrupted
	Reason     Reason     `json:"reason,omitempty"`
	Process    Process    `json:"process"`
	Turn       Turn       `json:"turn"`
	Waiting    *Waiting   `json:"waiting,omitempty"`
	Attention  *Attention `json:"attention,omitempty"`
	Resume     Resume     `json:"resume"`
	Queue      []Prompt   `json:"queue,omitempty"`  // prompts not yet confirmed or failed, oldest first
	Native     []NativeID `json:"native,omitempty"` // append-only; the last is in force
	Sweep      Sweep      `json:"sweep"`
	Evidence   Evidence   `json:"evidence"` // what the present state rests on
	Life       Life       `json:"life"`
}

// Evidence is what the present state rests on.
type Evidence struct {
	Source Source    `json:"source,omitempty"`
	At     time.Time `json:"at,omitzero"`
}

// Life holds the times of a session and the wishes about its end.
type Life struct {
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
	StateAt   time.Time `json:"stateAt"` // when the present state began, for people
	// ArmedAt is when the window of the present state's deadline began: the
	// launch, the last progress, the question. A jump of the clock shifts it.
	ArmedAt time.Time `json:"armedAt"`
	// FreeAt is when the agent's input line was last known to be empty: it took a
	// prompt, or what it had asked was settled.
	FreeAt time.Time `json:"freeAt,omitzero"`
	Intent Intent    `json:"intent,omitempty"`
	Kept   bool      `json:"kept,omitempty"`   // never swept
	Closed *Closed   `json:"closed,omitempty"` // archived; can be reopened
}

// Closed says when and why a session was archived.
type Closed struct {
	At     time.Time `json:"at"`
	Reason string    `json:"reason"`
}

// Turn counts prompts and says whether the last one is still being worked on.
type Turn struct {
	Number     int    `json:"number"`
	Open       bool   `json:"open"`
	By         Source `json:"by,omitempty"`         // who opened it
	DoneSeen   bool   `json:"doneSeen,omitempty"`   // a positive completion arrived for it
	Failed     bool   `json:"failed,omitempty"`     // the agent says that an error ended it; it is open as far as its task goes
	Native     string `json:"native,omitempty"`     // the agent's own name of the turn, where it has one
	Tool       bool   `json:"tool,omitempty"`       // a tool is known to be running
	Background int    `json:"background,omitempty"` // tasks the agent left running when it said done
}

// Waiting is the question the agent asks.
type Waiting struct {
	Kind  string    `json:"kind"` // permission, question, trust, login
	Text  string    `json:"text,omitempty"`
	Since time.Time `json:"since"`
	// Reminded counts the reminders sent so far (after 1, 10 and 60 min).
	Reminded int `json:"reminded,omitempty"`
}

// Attention is the reason why a person is needed.
type Attention struct {
	Cause        Cause     `json:"cause"`
	Detail       string    `json:"detail,omitempty"`
	Since        time.Time `json:"since"`
	Acknowledged bool      `json:"acknowledged,omitempty"`
	// Helped is true once a person has sent a prompt since: only then are
	// prompts typed in this state, oldest first.
	Helped bool `json:"helped,omitempty"`
}

// NativeID is a name that the agent itself gave to its conversation.
type NativeID struct {
	ID  string    `json:"id"`
	At  time.Time `json:"at"`
	Run int       `json:"run"`
}

// NativeID is the agent's own conversation id in force, "" when unknown.
func (s Session) NativeID() string {
	if len(s.Native) == 0 {
		return ""
	}
	return s.Native[len(s.Native)-1].ID
}

// Ref names the session's present run.
func (s Session) Ref() RunRef { return RunRef{ID: s.ID, Run: s.Process.Run} }

// Ended reports whether no process of this session is known to run or to be on
// its way.
func (s Session) Ended() bool {
	return s.Process.Phase == NoProcess || s.Process.Phase == Exited || s.Process.Phase == Lost
}
