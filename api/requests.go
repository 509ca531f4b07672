package api

// SessionList is the answer to GET /sessions.
type SessionList struct {
	Sessions []Session `json:"sessions" nullable:"false" doc:"Oldest first."`
}

// CreateRequest is a wish for a session.
type CreateRequest struct {
	Argv []string `json:"argv" minItems:"1" maxItems:"4096" nullable:"false" doc:"The command, no shell in between."`
	Cwd  string   `json:"cwd" minLength:"1" maxLength:"4096" doc:"An absolute directory."`
	// Name is made from the command when empty.
	Name string `json:"name,omitempty" maxLength:"1000" doc:"Unique among open sessions; made from the command when absent."`
	// Kind is task when there is a prompt, else interactive.
	Kind   string `json:"kind,omitempty" enum:"interactive,task,job" doc:"task when a prompt is given, else interactive."`
	Agent  string `json:"agent,omitempty" maxLength:"64" doc:"Found from the command when absent."`
	Model  string `json:"model,omitempty" maxLength:"256"`
	Host   string `json:"host,omitempty" maxLength:"64"`
	Prompt string `json:"prompt,omitempty" maxLength:"1048576"`
	// Continue is typed to a task that was resumed.
	Continue string `json:"continue,omitempty" maxLength:"65536" doc:"Typed to a task that was resumed."`
	// Env is the complete environment offered to the agent.
	Env  map[string]string `json:"env,omitempty" doc:"The environment for the agent; kept in a file of mode 0600, never shown."`
	Keep bool              `json:"keep,omitempty" doc:"Never close it by itself."`
	Size *Size             `json:"size,omitempty" doc:"The terminal's first size."`
	// AllowElevated lets an agent start that would act without asking.
	AllowElevated bool `json:"allowElevated,omitempty" doc:"Start it even if it would act without asking."`
}

// Size is a terminal's size in cells.
type Size struct {
	Cols int `json:"cols" minimum:"1" maximum:"2000"`
	Rows int `json:"rows" minimum:"1" maximum:"2000"`
}

// SendRequest queues a prompt.
type SendRequest struct {
	Text string `json:"text" minLength:"1" maxLength:"1048576"`
}

// Sent is a queued prompt: durable, not yet typed.
type Sent struct {
	PromptID string  `json:"promptId" doc:"Finds the prompt in the session's queue."`
	Session  Session `json:"session"`
}

// AnswerRequest replies to the question the agent asks: exactly one of the two.
type AnswerRequest struct {
	Text string `json:"text,omitempty" maxLength:"65536"`
	Key  string `json:"key,omitempty" maxLength:"32" doc:"A key by name: enter, esc, up, down, ctrl-c."`
}

// SummaryRequest is a word that the turn is complete.
type SummaryRequest struct {
	Summary string `json:"summary,omitempty" maxLength:"4096"`
}

// CloseRequest archives a session.
type CloseRequest struct {
	Reason string `json:"reason,omitempty" maxLength:"1024"`
}

// RenameRequest changes the display name.
type RenameRequest struct {
	Name string `json:"name" minLength:"1" maxLength:"1000"`
}

// Screen is a terminal as it looks at an output offset.
type Screen struct {
	Run     int      `json:"run"`
	Offset  int64    `json:"offset" doc:"The output before this offset is on the screen."`
	Size    Size     `json:"size"`
	Lines   []string `json:"lines" nullable:"false" doc:"Plain text, one entry a row."`
	Title   string   `json:"title,omitempty"`
	Cursor  Cursor   `json:"cursor"`
	Repaint []byte   `json:"repaint,omitempty" doc:"Base64: bytes that bring any terminal to this screen."`
}

// Cursor is a position on the screen, counted from 0.
type Cursor struct {
	Col int `json:"col"`
	Row int `json:"row"`
}

// OutputRange says which output of a run to read.
type OutputRange struct {
	Run    int   // 0 = the newest
	Offset int64 // negative counts from the end
	Limit  int   // 0 = DefaultOutput; at most MaxOutput
}

// The bounds of one read of output, in bytes.
const (
	DefaultOutput = 1 << 20
	MaxOutput     = 4 << 20
)

// Output is recorded output of a run. Offsets are absolute for the run.
type Output struct {
	Run    int
	First  int64 // the oldest byte there is
	End    int64 // after the newest byte
	Offset int64 // of Data
	Data   []byte
}

// Status describes the daemon.
type Status struct {
	Version   string         `json:"version"`
	Node      string         `json:"node,omitempty"`
	PID       int            `json:"pid"`
	StartedAt Time           `json:"startedAt"`
	Seq       int64          `json:"seq" doc:"The newest journal entry."`
	Sessions  map[string]int `json:"sessions" doc:"Open sessions by state."`
	Store     StoreStatus    `json:"store"`
	Stopping  bool           `json:"stopping"`
}

// StoreStatus says whether changes are being saved.
type StoreStatus struct {
	Error   string `json:"error,omitempty" doc:"Why the store cannot write; absent when it can."`
	Unsaved int    `json:"unsaved" doc:"Changes that wait for the store."`
}

// ShutdownRequest ends the daemon.
type ShutdownRequest struct {
	StopAgents bool `json:"stopAgents,omitempty" doc:"Stop every agent first; the daemon goes on when one cannot be stopped. Without it agents go on."`
	Force      bool `json:"force,omitempty" doc:"End although changes wait that could not be saved yet: they are lost."`
}

// Check is one finding of the doctor.
type Check struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail,omitempty"`
	Remedy string `json:"remedy,omitempty"`
}

// Checkup is the answer to GET /doctor.
type Checkup struct {
	Checks []Check `json:"checks" nullable:"false"`
}
