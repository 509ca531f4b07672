//go:build race

package session

// walkDepth is how long the histories of TestEveryShortHistory are.
const walkDepth = 3
