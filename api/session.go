package api

// Session is one session as every surface shows it. Optional parts are nil or
// zero when they are unknown or do not apply.
type Session struct {
	Identity
	Launch
	// State is one of starting, ready, busy, waitingOnInput, idle, done,
	// resuming, needsAttention, dead.
	State string `json:"state" doc:"What the agent is doing." enum:"starting,ready,busy,waitingOnInput,idle,done,resuming,needsAttention,dead"`
	// AgentState is State for clients that know seven states only.
	AgentState string     `json:"agentState" doc:"The coarse state: idle reads as busy, resuming as dead." enum:"starting,ready,busy,waitingOnInput,done,needsAttention,dead"`
	StateAt    Time       `json:"stateAt" doc:"When the present state began."`
	Reason     string     `json:"reason,omitempty" doc:"How the last turn or process ended: completed, userExited, killed, crashed, authFailed, engineDeath."`
	Rev        int64      `json:"rev" doc:"Grows with every change."`
	Process    Process    `json:"process"`
	Turn       Turn       `json:"turn"`
	Waiting    *Waiting   `json:"waiting,omitempty" doc:"The question the agent asks."`
	Attention  *Attention `json:"attention,omitempty" doc:"Why a person is needed."`
	Resume     Resume     `json:"resume"`
	Queue      []Prompt   `json:"queue,omitempty" nullable:"false" doc:"Prompts not yet taken, and the last finished ones, oldest first."`
	NativeID   string     `json:"nativeId,omitempty" doc:"The agent's own name of the conversation."`
	Kept       bool       `json:"kept" doc:"Never closed by itself."`
	Closed     *Closed    `json:"closed,omitempty" doc:"Present when archived."`
	CreatedAt  Time       `json:"createdAt"`
	UpdatedAt  Time       `json:"updatedAt"`
	View       View       `json:"view"`
}

// Identity says which session it is.
type Identity struct {
	ID   string `json:"id" doc:"A ULID: ids sort by creation."`
	Name string `json:"name" doc:"Unique among open sessions."`
	Node string `json:"node,omitempty" doc:"The machine that owns the session."`
}

// Launch says what the session runs. Values of environment variables are never
// shown.
type Launch struct {
	Agent string   `json:"agent" doc:"The kind of agent, such as generic."`
	Model string   `json:"model,omitempty"`
	Kind  string   `json:"kind" enum:"interactive,task,job"`
	Host  string   `json:"host" doc:"Where it runs, such as pty."`
	Cwd   string   `json:"cwd"`
	Argv  []string `json:"argv,omitempty" nullable:"false"`
	// Posture is by what the agent acts without asking; absent when it asks.
	Posture []string `json:"posture,omitempty" nullable:"false" doc:"By what it acts without asking; absent when it asks."`
}

// Process is the agent's process in the present run.
type Process struct {
	Phase string `json:"phase" enum:"none,launching,running,exited,lost"`
	// HooksSilent: the agent's own word is not heard; its screen is read instead.
	HooksSilent bool  `json:"hooksSilent,omitempty" doc:"The agent's own word is not heard; its screen is read instead."`
	Run         int   `json:"run" doc:"Counts launches, from 1."`
	PID         int   `json:"pid,omitempty"`
	StartedAt   Time  `json:"startedAt,omitzero"`
	EndedAt     Time  `json:"endedAt,omitzero"`
	Suspended   bool  `json:"suspended,omitempty" doc:"Stopped by a signal (state T)."`
	OutputLost  int64 `json:"outputLost,omitempty" doc:"Bytes of output that a full disk had no room for."`
	Exit        *Exit `json:"exit,omitempty" doc:"Present once the process has ended."`
}

// Exit is how a process ended. A status or signal that nobody reported is nil:
// absent is not zero.
type Exit struct {
	Code       *int   `json:"code,omitempty"`
	Signal     *int   `json:"signal,omitempty"`
	SignalName string `json:"signalName,omitempty"`
	Unknown    bool   `json:"unknown" doc:"Neither status nor signal was reported."`
	// ProbableSignal is what a status 128+n stands for in a shell; a hint.
	ProbableSignal int    `json:"probableSignal,omitempty" doc:"A hint from a status 128+n."`
	Source         string `json:"source,omitempty" doc:"The witness, such as holder."`
	LeftBehind     []int  `json:"leftBehind,omitempty" nullable:"false" doc:"Processes of the tree that outlived the stop."`
}

// Turn is the present or last turn.
type Turn struct {
	N    int    `json:"n" doc:"Counts prompts taken; 0 before the first."`
	Open bool   `json:"open"`
	By   string `json:"by,omitempty" doc:"Who opened it."`
}

// Waiting is the question the agent asks.
type Waiting struct {
	Kind  string `json:"kind" doc:"permission, question, trust, login."`
	Text  string `json:"text,omitempty"`
	Since Time   `json:"since"`
}

// Attention is the reason why a person is needed.
type Attention struct {
	Cause        string `json:"cause"`
	Detail       string `json:"detail,omitempty"`
	Since        Time   `json:"since"`
	Acknowledged bool   `json:"acknowledged"`
}

// Resume is the budget of automatic resumes.
type Resume struct {
	Attempts int  `json:"attempts"`
	Max      int  `json:"max"`
	NextAt   Time `json:"nextAt,omitzero"`
}

// Prompt is text on its way to the agent.
type Prompt struct {
	ID        string `json:"id"`
	State     string `json:"state" enum:"queued,typing,typed,submitted,confirmed,failed"`
	At        Time   `json:"at" doc:"When it was queued."`
	Text      string `json:"text,omitempty" doc:"Forgotten once the prompt is confirmed or failed."`
	Sanitised bool   `json:"sanitised,omitempty" doc:"Control bytes were removed."`
	Failure   string `json:"failure,omitempty"`
}

// Closed says when and why a session was archived.
type Closed struct {
	At     Time   `json:"at"`
	Reason string `json:"reason"`
}

// View is the session in words, the same on every surface.
type View struct {
	Label string `json:"label"`
	Group string `json:"group" enum:"needsYou,working,ready,ended"`
	Why   string `json:"why,omitempty"`
}
