package agent

import "github.com/tendhq/tend/internal/agent/transcript"

// Transcript is a reader of this agent's own records, nil when they are not
// understood.
func (a *Agent) Transcript() *transcript.Reader {
	if a.transcript == nil {
		return nil
	}
	return a.transcript()
}

// RecordIn is the path of the agent's own record as one of its hooks names it, ""
// when it does not.
func RecordIn(payload []byte) string {
	var p struct {
		Path string `json:"transcript_path"`
	}
	if !decode(payload, &p) {
		return ""
	}
	return p.Path
}
