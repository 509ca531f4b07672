// Package holder is the process that owns an agent's terminal: it starts the
// agent, appends its output to the log, serves a socket, and writes down how the
// agent ended. It refuses everything else: it knows no agent, no state and no
// prompt, and it blocks an agent's output for nobody.
//
// Its files and frames are version 1 and frozen: a newer daemon takes over
// holders that an older binary started.
package holder
