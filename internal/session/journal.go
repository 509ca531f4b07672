package session

import (
	"encoding/json"
	"time"
)

// Entry is one row of the journal: one event, what it led to, or why it was
// ignored. Seq is one increasing sequence over all sessions of the store.
type Entry struct {
	Seq     int64           `json:"seq"`
	Node    string          `json:"node"`
	Session ID              `json:"session"`
	Rev     int64           `json:"rev"` // the session's revision after this event
	Run     int             `json:"run"`
	Turn    int             `json:"turn"`
	At      time.Time       `json:"at"`
	Source  Source          `json:"source"`
	Event   string          `json:"event"`            // the event's name, such as TurnStarted
	Detail  json.RawMessage `json:"detail,omitempty"` // the event's own fields
	From    State           `json:"from"`
	To      State           `json:"to"`
	Ignored string          `json:"ignored,omitempty"` // why the event changed nothing
	Why     string          `json:"why,omitempty"`     // what it proves, for people
	Effects []string        `json:"effects,omitempty"` // what was started because of it
}

// Change is one step of one session: the new row and its journal entry belong
// to one transaction.
type Change struct {
	Session Session
	// PrevRev is the revision the change was made from, 0 for a new session.
	PrevRev int64
	Entry   Entry // its Seq is set by the store
}
