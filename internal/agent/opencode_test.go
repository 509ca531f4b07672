package agent

import (
	"testing"

	"github.com/tendhq/tend/internal/session"
)

// stream is events of opencode 1.18.33 as its port tells them (December 2026).
func (st *story) stream(events ...string) *story {
	st.t.Helper()
	for _, e := range events {
		st.feed(session.HookFired{At: st.now, Via: "stream", Payload: []byte(e)})
	}
	return st
}

const (
	opencodeBegins = `{"type":"session.created","properties":{"sessionID":"ses_1","info":{"id":"ses_1"}}}`
	opencodePrompt = `{"type":"message.updated","properties":{"sessionID":"ses_1","info":{"id":"msg_1","role":"user"}}}`
	opencodeAsks   = `{"type":"permission.asked","properties":{"sessionID":"ses_1","permission":"bash","patterns":["touch x"]}}`
	opencodeDenied = `{"type":"permission.replied","properties":{"sessionID":"ses_1","reply":"reject"}}`
	opencodeSpeaks = `{"type":"message.updated","properties":{"sessionID":"ses_1","info":{"id":"msg_2","role":"assistant"}}}`
	opencodeMore   = `{"type":"message.updated","properties":{"sessionID":"ses_1","info":{"id":"msg_3","role":"assistant"}}}`
	opencodeIdle   = `{"type":"session.idle","properties":{"sessionID":"ses_1"}}`
)

// A turn that ends with a denied tool is no finished one, unless the model has
// spoken once more.
func TestOpencodeDenied(t *testing.T) {
	begin := func() *story {
		st := newStoryOf(t, opencode, session.Interactive)
		st.stream(opencodeBegins, opencodePrompt, opencodeSpeaks, opencodeAsks, opencodeDenied, opencodeSpeaks)
		return st.said("NativeSeen(hook) -> starting", "TurnStarted(hook) -> busy", "Asked(hook) -> waitingOnInput", "BusySeen(hook) -> busy")
	}
	begin().stream(opencodeIdle).said("Interrupted(hook) -> ready")
	begin().stream(opencodeMore, opencodeIdle).said("DoneSeen(hook) -> done")
}
