// Package fakemodel is the model at the other end of a real agent's network
// connection, for tests: it speaks the wire formats of the model APIs that
// agents use, and does what the prompt tells it to.
//
// A prompt says what is to happen in a line that begins with a directive:
//
//	SAY text        answer text
//	TOOL command    ask to run a shell command in the way that needs a
//	                person's permission; once its result is there, answer "done"
//	SUBAGENT text   ask to run a subagent with text as its prompt, which may be
//	                a directive too; once its result is there, answer "done"
//	ERR429          answer with that status, 400 to 599, in the API's own words
//	HANG            accept the request and send no byte until the client goes
//	SLOW n          stream n words, a tenth of a second apart
//	DROP            close the socket in the middle of the answer
//
// Any other prompt is answered "ok: " and its first words. Only the newest
// useful text of a person counts: what comes before the last answer of the
// model, and what an agent wraps in tags (<system-reminder>,
// <environment_context>), is passed over. A request without tools is the agent
// talking to itself, mostly to find a title: it is answered plainly, so a
// directive strikes once and not twice.
//
// The shapes of requests and answers are those that Claude Code 2.1.197, Codex
// 0.171.0, opencode 1.18.33, pi 0.74.2 and Gemini CLI 0.61.0 were seen to send
// and to accept. What no agent was seen to need is not there: no keys are
// checked, no tokens are counted, nothing is remembered of a conversation but
// which prompts were dropped already.
//
// It refuses to listen: a test gives the handlers a listener, on loopback.
package fakemodel
