// Package realagents runs real agent programs in tests: in a network namespace
// that has loopback and nothing else, with a home that was written a moment
// ago, an environment made from nothing, false keys, and the model servers of
// fakemodel. make agents installs the programs at pinned versions.
//
// A test is written as usual and handed to Run, which runs the test binary
// again inside new namespaces, for this one test. Whatever the agent and what
// it starts try to reach, there is no way out. What is shared with the machine
// is its files: a test gives its agents folders of the Sandbox to work in.
//
// It refuses to start an agent outside of the namespace, and it refuses to let
// a test pass where nothing was tested: in CI (CI=true), what is missing is a
// failure and not a skip.
package realagents
