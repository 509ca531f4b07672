package agent

import (
	"slices"
	"strings"
	"testing"

	"github.com/tendhq/tend/internal/screen"
	"github.com/tendhq/tend/internal/session"
)

// restarts is a new daemon: the watch begins anew at the checkpoint and reads
// what came after it once more.
func (st *story) restarts(checkpoint []byte, offset int64, again string) *story {
	st.t.Helper()
	w, err := generic.NewWatch(st.s, session.Size{Cols: 80, Rows: 24}, checkpoint)
	if err != nil {
		st.t.Fatal(err)
	}
	st.w = w
	st.feed(session.Resized{Size: session.Size{Cols: 80, Rows: 24}}).feed(session.Viewers{})
	if again != "" {
		st.read = offset
		st.prints(again)
	}
	return st
}

func TestRestartKeepsTheAgentsWord(t *testing.T) {
	st := newStory(t, session.Interactive).prints(osc("working") + "thinking").wait(sec).said("BusySeen(title) -> busy")
	st.restarts(st.w.Checkpoint(), 100, "").wait(60 * sec).said() // working still outranks quiet
	st.prints(osc("idle")).said("QuietSeen(title) -> idle")
}

// What was read before the restart is no news, even where a person has decided
// meanwhile.
func TestRestartRepeatsNoEvidence(t *testing.T) {
	early := "$ \x1b]133;C\x07one\r\ntwo\r\n" + osc("working") + osc("blocked") + strings.Repeat(osc("done")+osc("working"), 50)
	for _, whole := range []bool{true, false} {
		st := newStory(t, session.Interactive)
		begin := st.w.Checkpoint()
		if whole {
			begin = nil
		}
		st.s.State, st.s.Process.ReadTo = session.Done, int64(len(early))
		st.restarts(begin, 0, early).wait(30 * sec).said()
		st.prints(osc("idle")).wait(sec).said("QuietSeen(title) -> done")
	}
}

// A half line that a person typed before the restart is not work after it.
func TestRestartWithAHalfLine(t *testing.T) {
	st := ready(t)
	begin := st.w.Checkpoint()
	st.s.State, st.s.Process.ReadTo = session.Idle, 2
	st.restarts(begin, 2, "half a li").wait(30 * sec).said()
	if text := st.w.Terminal().Text(); text[0] != "$ half a li" {
		t.Errorf("the screen is %q", text[0])
	}
	st.prints("output\r\n").wait(sec).said("Progress(screen) -> busy")
}

func TestRestartOfABusyAgent(t *testing.T) {
	st := busy(t)
	st.restarts(st.w.Checkpoint(), 30, "").wait(7 * sec).said().wait(2 * sec).said("QuietSeen(quiet) -> idle")
}

func TestCheckpoint(t *testing.T) {
	w := newWatch(t, 40, 10, "hello \x1b[1mworld\r\n"+osc("working")+"\x1b]0;ti")
	both := w.Checkpoint()
	term, err := screen.Restore(ScreenPart(both))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := term.Text(), w.Terminal().Text(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if plain := w.Terminal().Checkpoint(); string(ScreenPart(plain)) != string(plain) {
		t.Error("a checkpoint of the screen alone was cut")
	}
	for name, b := range map[string][]byte{
		"alone": w.Terminal().Checkpoint(), "both": both,
	} {
		again, err := generic.NewWatch(session.Session{}, session.Size{}, b)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got, want := again.Terminal().Text(), w.Terminal().Text(); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	broken := slices.Clone(both)
	broken[12] ^= 1
	for name, b := range map[string][]byte{
		"cut": both[:len(both)/2], "empty": {}, "changed": broken, "long": append(slices.Clone(both), both...),
		"only the end": []byte("\xff\xff\xff\xff" + checkpointMark),
	} {
		if _, err := generic.NewWatch(session.Session{}, session.Size{Cols: 80, Rows: 24}, b); err == nil {
			t.Errorf("%s: a broken checkpoint was read", name)
		}
	}
}

func TestRecentIsOfThisTurn(t *testing.T) {
	st := newStory(t, session.Interactive).prints("welcome\r\n401 unauthorized\r\n$ ").wait(sec)
	if got, want := st.w.Recent(20), "welcome\n401 unauthorized\n$"; got != want {
		t.Errorf("before any turn: %q, want %q", got, want)
	}
	st.sends("fix the 401", "fix the 401").prints("\r\n").wait(50 * ms)
	if got := st.w.Recent(20); got != "" && st.s.Turn.Open {
		t.Errorf("nothing was printed yet: %q", got)
	}
	st.prints("one\r\ntwo\r\nthree").wait(sec)
	if got, want := st.w.Recent(20), "one\ntwo\nthree"; got != want {
		t.Errorf("in the turn: %q, want %q", got, want)
	}
	if got, want := st.w.Recent(2), "two\nthree"; got != want {
		t.Errorf("the last two lines: %q, want %q", got, want)
	}
	st.restarts(st.w.Checkpoint(), 100, "").prints("\r\nfour\r\n\r\n").wait(sec)
	if got, want := st.w.Recent(20), "one\ntwo\nthree\nfour"; got != want {
		t.Errorf("after a restart: %q, want %q", got, want)
	}
	st.wait(20 * sec).prints("\x1b[?1049h\x1b[HFatal: no access").wait(sec)
	if got, want := st.w.Recent(1), "Fatal: no access"; got != want {
		t.Errorf("on the other screen: %q, want %q", got, want)
	}
}
