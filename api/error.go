package api

import "errors"

// Code is the stable name of a kind of error.
type Code string

// The codes.
const (
	CodeUsage            Code = "usage"            // the request makes no sense
	CodeNotFound         Code = "notFound"         // no such session, run or route
	CodeAmbiguous        Code = "ambiguous"        // several sessions fit
	CodeRefused          Code = "refused"          // not in this state: see From and Intent
	CodeNameTaken        Code = "nameTaken"        // another open session has the name
	CodeLaunchFailed     Code = "launchFailed"     // the command could not be started
	CodeInputRefused     Code = "inputRefused"     // the terminal did not take the input now
	CodeHostUnreachable  Code = "hostUnreachable"  // the terminal's holder does not answer
	CodeStoreUnavailable Code = "storeUnavailable" // nothing can be saved now
	CodeStopping         Code = "stopping"         // the daemon is going down
	CodeTimeout          Code = "timeout"          // the request came too slowly
	CodeInternal         Code = "internal"         // a fault of ours; the daemon's log has more
)

// Error is an answer that is no success: a problem (RFC 9457) with a code that
// programs can rely on and a remedy for people.
type Error struct {
	Type    string `json:"type" doc:"tend:error: and the code."`
	Title   string `json:"title"`
	Status  int    `json:"status" doc:"The HTTP status."`
	Message string `json:"detail" doc:"One line for people."`
	Code    Code   `json:"code"`
	Remedy  string `json:"remedy,omitempty" doc:"What to do about it."`
	From    string `json:"from,omitempty" doc:"The state that refused a command."`
	Intent  string `json:"intent,omitempty" doc:"The verb that was refused."`
}

// Error is the message and the remedy in one line.
func (e *Error) Error() string {
	if e.Remedy == "" {
		return e.Message
	}
	return e.Message + ": " + e.Remedy
}

// ErrUnreachable means that no daemon answered on the socket, or that it went
// away before its answer was complete.
var ErrUnreachable = errors.New("the daemon is not reachable")

// CodeOf is the code of an error of this package, "" when it is none.
func CodeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}
