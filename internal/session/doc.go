// Package session is the part of tend that decides.
//
// It holds the nouns (a session, its process, its turn, its prompts), every
// event that can happen to a session, and Apply, the one function that may
// change a session's state. The classifier of exits, the sweep rule and the
// View that every surface prints live here too.
//
// It refuses to act: no clock, no I/O, no locks, no context, no goroutines.
// Time, like everything else, arrives inside an event, so that the same events
// always lead to the same session. What must be done in the world comes out as
// Effects, small values that package supervisor performs after the change that
// asked for them is durable.
package session
