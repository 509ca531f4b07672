package api

// Prefix is where every route begins.
const Prefix = "/api/v1"

// The headers of GET /sessions/{id}/output.
const (
	HeaderRun    = "X-Tend-Run"    // the run that was read
	HeaderFirst  = "X-Tend-First"  // the oldest offset there is
	HeaderEnd    = "X-Tend-End"    // the offset after the newest byte
	HeaderOffset = "X-Tend-Offset" // the offset of the first byte of the body
)

// Verb is the last part of POST /sessions/{id}/{verb}.
type Verb string

// The verbs.
const (
	VerbSend      Verb = "send"
	VerbAnswer    Verb = "answer"
	VerbInterrupt Verb = "interrupt"
	VerbStop      Verb = "stop"
	VerbResume    Verb = "resume"
	VerbRetry     Verb = "retry"
	VerbConfirm   Verb = "confirm"
	VerbDismiss   Verb = "dismiss"
	VerbDone      Verb = "done"
	VerbClose     Verb = "close"
	VerbReopen    Verb = "reopen"
	VerbKeep      Verb = "keep"
	VerbUnkeep    Verb = "unkeep"
	VerbRename    Verb = "rename"
)
