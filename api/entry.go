package api

import "encoding/json"

// Entry is one row of the journal: one event, what it led to, or why it was
// ignored.
type Entry struct {
	Seq     int64           `json:"seq" doc:"One increasing sequence over all sessions."`
	Node    string          `json:"node,omitempty"`
	Session string          `json:"session"`
	Rev     int64           `json:"rev" doc:"The session's revision after this event."`
	Run     int             `json:"run,omitempty" doc:"Absent when the event is not about a run."`
	Turn    int             `json:"turn,omitempty" doc:"Absent when the event is not about a turn."`
	At      Time            `json:"at"`
	Source  string          `json:"source" doc:"Who says so: person, holder, hook, transcript, title, screen, quiet, supervisor."`
	Event   string          `json:"event" doc:"The event's name, such as TurnStarted."`
	Detail  json.RawMessage `json:"detail,omitempty" doc:"The event's own fields."`
	From    string          `json:"from,omitempty" doc:"The state before."`
	To      string          `json:"to,omitempty" doc:"The state after."`
	Ignored string          `json:"ignored,omitempty" doc:"Why the event changed nothing."`
	Why     string          `json:"why,omitempty" doc:"What it proves, for people."`
	Effects []string        `json:"effects,omitempty" nullable:"false" doc:"What was started because of it."`
}

// Explanation is the evidence that led to a session's present state.
type Explanation struct {
	Session Session `json:"session"`
	Entries []Entry `json:"entries" nullable:"false" doc:"Newest last."`
	Earlier int     `json:"earlier" doc:"How many older entries were left out."`
}
