//go:build !race

package session

// walkDepth is how long the histories of TestEveryShortHistory are: about 20 s
// on two cores.
const walkDepth = 5
