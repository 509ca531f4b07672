package supervisor

import (
	"context"
	"testing"

	"github.com/tendhq/tend/internal/session"
)

// TestRunsWithoutASessionAreTakenBack: the store is lost, the agents are not.
func TestRunsWithoutASessionAreTakenBack(t *testing.T) {
	onStage(t, func(st *stage) {
		lives := st.create(session.Task, "")
		st.agentSays(lives.ID, "ready")
		st.agentSays(lives.ID, "busy")
		ended := st.create(session.Interactive, "")
		zero := 0
		st.host.end(ref(ended, 1), session.Exit{Code: &zero})
		never := session.RunRef{ID: newID(), Run: 1}
		st.ok(st.host.Prepare(t.Context(), never, session.Launch{Argv: []string{"line"}}))
		st.down()
		st.store = newMemStore()
		taken, err := New(Config{Node: "test", Store: st.store, Hosts: map[string]Host{"pty": st.host}, Agents: map[string]Agent{"line": st.agent}}).TakeBack(context.Background())
		st.ok(err)
		if len(taken) != 2 {
			t.Fatalf("%+v", taken)
		}
		st.up()
		s := st.want(lives.ID, session.Busy)
		if s.Name != lives.Name || s.Spec.Kind != session.Task || s.Process.Run != 1 || s.Spec.Argv[0] != "line" {
			t.Errorf("%+v", s)
		}
		if n := st.host.runs[ref(lives, 1)].launches; n != 1 {
			t.Errorf("launched %d times", n)
		}
		if s := st.now(ended.ID); s.Life.Closed == nil || s.Process.Exit == nil {
			t.Errorf("%+v", s)
		}
		if again, err := st.sup.TakeBack(context.Background()); err != nil || len(again) != 0 {
			t.Errorf("%+v, %v", again, err)
		}
		_, err = st.sup.Command(context.Background(), lives.ID, session.Stop{})
		st.ok(err)
	})
}
