package server

import (
	"encoding/json"
	"net/http"
	"reflect"
	"sync"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/tendhq/tend/api"
	"github.com/tendhq/tend/internal/session"
)

var schemas = sync.OnceValue(func() huma.Registry {
	return humago.New(http.NewServeMux(), New(Config{Log: quiet}).apiConfig()).OpenAPI().Components.Schemas
})

// fits checks a value, as it goes over the wire, against the document's schema.
func fits[T any](t *testing.T, v T) {
	t.Helper()
	schemas := schemas()
	schema := schemas.Schema(reflect.TypeFor[T](), true, "")
	var parsed any
	if err := json.Unmarshal([]byte(compact(t, v)), &parsed); err != nil {
		t.Fatal(err)
	}
	res := &huma.ValidateResult{}
	huma.Validate(schemas, schema, huma.NewPathBuffer([]byte{}, 0), huma.ModeReadFromServer, parsed, res)
	for _, err := range res.Errors {
		t.Errorf("%s: %v", compact(t, v), err)
	}
}

// What the machine can say, the document allows.
func TestAnswersFitTheirSchemas(t *testing.T) {
	fits(t, wireSession(bare()))
	closed := full()
	closed.Life.Closed = &session.Closed{At: t0, Reason: "r"}
	fits(t, wireSession(closed))
	for _, st := range session.States {
		for _, kind := range []session.Kind{session.Interactive, session.Task, session.Job} {
			s := full()
			s.State, s.Spec.Kind = st, kind
			fits(t, wireSession(s))
		}
	}
	for _, phase := range []session.Phase{session.NoProcess, session.Launching, session.Running, session.Exited, session.Lost} {
		s := full()
		s.Process.Phase = phase
		fits(t, wireSession(s))
	}
	s := full()
	for _, st := range []session.PromptState{
		session.PromptQueued, session.PromptTyping, session.PromptTyped, session.PromptSubmitted, session.PromptConfirmed, session.PromptFailed,
	} {
		s.Queue = append(s.Queue, session.Prompt{ID: "p", State: st, At: t0})
	}
	fits(t, wireSession(s))
	fits(t, wireEntry(session.Entry{Seq: 1, At: t0}))
	fits(t, *stopping().wireError)
	fits(t, api.Screen{Size: api.Size{Cols: 1, Rows: 1}, Lines: []string{}, Repaint: []byte("x")})
	fits(t, New(Config{Service: newFake(), Log: quiet}).status())
}
