// Package server serves the supervisor's Service over HTTP: requests become
// commands, sessions and journal entries become the types of package api, and
// the journal is followed as an event stream.
//
// It refuses to decide: it derives no status, it keeps no state of a session,
// and every stream is read from the journal, so that a slow reader lags and
// slows nobody.
package server
