package supervisor

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tendhq/tend/internal/session"
)

func TestALiveSessionIsTakenBackInItsState(t *testing.T) {
	onStage(t, func(st *stage) {
		s := st.create(session.Interactive, "")
		st.agentSays(s.ID, "ready")
		st.agentSays(s.ID, "busy")
		st.down()
		st.up()
		st.want(s.ID, session.Busy)
		if n := strings.Count(st.story(s.ID), "BusySeen"); n != 1 {
			t.Fatalf("old output was taken as news:\n%s", st.story(s.ID))
		}
		if n := st.host.runs[ref(s, 1)].launches; n != 1 {
			t.Fatalf("launched %d times", n)
		}
		st.agentSays(s.ID, "done")
		st.want(s.ID, session.Done)
	})
}

func TestWhatHappenedMeanwhileIsSeen(t *testing.T) {
	onStage(t, func(st *stage) {
		s := st.create(session.Interactive, "")
		st.agentSays(s.ID, "ready")
		st.after(20 * time.Second)
		st.down()
		st.host.print(ref(s, 1), "busy\ndone\n")
		zero := 0
		st.host.end(ref(s, 1), session.Exit{Code: &zero})
		st.up()
		if s := st.want(s.ID, session.Done); s.Process.Phase != session.Exited || s.Reason != session.Completed {
			t.Fatalf("%+v %s\n%s", s.Process, s.Reason, st.story(s.ID))
		}
	})
}

func TestGoneWithoutARecordIsEngineDeath(t *testing.T) { // B65, B93
	onStage(t, func(st *stage) {
		s := st.create(session.Interactive, "")
		st.agentSays(s.ID, "id abc")
		st.agentSays(s.ID, "ready")
		st.after(20 * time.Second)
		st.down()
		st.host.vanish(ref(s, 1))
		st.up()
		if s := st.want(s.ID, session.Resuming); s.Reason != session.EngineDeath {
			t.Fatalf("%s", s.Reason)
		}
		st.after(3 * time.Second)
		if r := st.host.runs[ref(s, 2)]; r == nil || r.launches != 1 {
			t.Fatalf("not relaunched:\n%s", st.story(s.ID))
		}
	})
}

func TestAHolderThatDiesUnderUsIsNotGuessedAt(t *testing.T) {
	onStage(t, func(st *stage) {
		s := st.create(session.Interactive, "")
		st.agentSays(s.ID, "id abc")
		st.agentSays(s.ID, "ready")
		st.after(20 * time.Second)
		st.host.vanish(ref(s, 1))
		st.after(40 * time.Second)
		if s := st.want(s.ID, session.NeedsAttention); s.Attention.Cause != session.ExitUnknown || s.Process.Exit != nil {
			t.Fatalf("%+v %+v\n%s", s.Attention, s.Process.Exit, st.story(s.ID))
		}
	})
}

func TestAnUnreachableHolderProvesNothing(t *testing.T) { // B12
	onStage(t, func(st *stage) {
		s := st.create(session.Interactive, "")
		st.agentSays(s.ID, "ready")
		st.down()
		st.host.broken = session.ErrUnreachable
		st.up()
		st.after(10 * time.Second)
		st.want(s.ID, session.Ready)
		st.host.mu.Lock()
		st.host.broken = nil
		st.host.mu.Unlock()
		st.after(2 * time.Second)
		st.agentSays(s.ID, "busy")
		st.want(s.ID, session.Busy)
	})
}

func TestAStopIsHonouredAfterARestart(t *testing.T) {
	onStage(t, func(st *stage) {
		s := st.create(session.Interactive, "")
		st.agentSays(s.ID, "ready")
		st.down()
		// A daemon died between the commit of a stop and its signal.
		row, _, err := session.Apply(st.store.rows[s.ID], session.Event{At: now(), Source: session.FromPerson, What: session.Stop{}})
		st.ok(err)
		st.store.rows[s.ID] = row
		st.up()
		st.after(time.Second)
		if s := st.want(s.ID, session.Dead); s.Reason != session.Killed || st.host.runs[ref(s, 1)].stops != 1 {
			t.Fatalf("%s, stopped %d times", s.Reason, st.host.runs[ref(s, 1)].stops)
		}
	})
}

func TestALaunchIsFinishedAfterARestart(t *testing.T) {
	onStage(t, func(st *stage) {
		s := st.create(session.Interactive, "")
		st.down()
		row := st.store.rows[s.ID]
		row.Process = session.Process{Phase: session.Launching, Run: 1}
		st.store.rows[s.ID] = row
		st.up()
		if s := st.want(s.ID, session.Starting); s.Process.Phase != session.Running || st.host.runs[ref(s, 1)].launches != 1 {
			t.Fatalf("%+v", s.Process)
		}
	})
}

func TestDeadlinesGoOnFromStoredTimes(t *testing.T) {
	onStage(t, func(st *stage) {
		s := st.create(session.Interactive, "")
		st.agentSays(s.ID, "busy")
		st.after(3 * time.Minute)
		st.down()
		<-time.After(time.Minute)
		st.up()
		st.after(59 * time.Second)
		st.want(s.ID, session.Busy)
		st.after(2 * time.Second)
		if s := st.want(s.ID, session.NeedsAttention); s.Attention.Cause != session.Stalled {
			t.Fatalf("%+v", s.Attention)
		}
	})
}

func TestAFullDiskLosesNothing(t *testing.T) { // B62
	onStage(t, func(st *stage) {
		s := st.create(session.Interactive, "")
		st.agentSays(s.ID, "ready")
		st.store.setFull(true)
		st.agentSays(s.ID, "busy")
		st.agentSays(s.ID, "done")
		st.want(s.ID, session.Done) // memory is right
		if err := st.command(s.ID, session.Stop{}); !errors.Is(err, session.ErrStoreUnavailable) {
			t.Fatalf("a stop that cannot be recorded: %v", err)
		}
		var left *RunningError
		if err := st.sup.StopAll(context.Background()); !errors.As(err, &left) || !errors.Is(err, session.ErrStoreUnavailable) {
			t.Fatalf("all stopped, though no stop can be recorded: %v", err)
		}
		if h := st.sup.Health(); h.StoreError == "" || h.Unsaved != 2 {
			t.Fatalf("%+v", h)
		}
		st.store.setFull(false)
		st.after(2 * time.Second)
		story := st.story(s.ID)
		if b, d := strings.Index(story, "BusySeen"), strings.Index(story, "DoneSeen"); b < 0 || d < b {
			t.Fatalf("not written in order:\n%s", story)
		}
		st.ok(st.command(s.ID, session.Stop{}))
		st.want(s.ID, session.Dead)
	})
}

func TestShutdownCanStopTheAgents(t *testing.T) {
	onStage(t, func(st *stage) {
		s := st.create(session.Interactive, "")
		st.agentSays(s.ID, "ready")
		st.ok(st.sup.Shutdown(context.Background(), true))
		synctest.Wait()
		row := st.store.rows[s.ID]
		if row.State != session.Dead || row.Reason != session.Killed {
			t.Fatalf("%s %s", row.State, row.Reason)
		}
		st.up()
	})
}
