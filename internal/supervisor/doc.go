// Package supervisor is the shell around the machine: it acts.
//
// Every session has one actor, a goroutine that takes one event at a time, lets
// session.Apply decide, commits the change, publishes it, and only then starts
// the effects that the change asks for. Effects run off the loop and come back
// as events. A second goroutine a session watches the terminal and turns what
// it sees into evidence.
//
// It refuses to decide: there is no condition on a state here that changes what
// a session becomes. Where one seems to be needed, an event or an effect is
// missing in package session.
package supervisor
