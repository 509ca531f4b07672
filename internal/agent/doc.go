// Package agent is what differs between the agents that tend supervises, one
// file per agent: how to start one, what its terminal proves about it, and how
// to put text into its input line.
//
// It refuses to decide: a Watch turns what a terminal shows into session
// events, each with its source and one sentence of evidence, and
// session.Apply alone says what follows. It refuses to guess: what a screen
// cannot prove is not said, and quiet is never called done. It has no clock,
// does no I/O, starts no goroutines and takes no locks: times arrive with the
// events, and Wake asks for the next call.
package agent
