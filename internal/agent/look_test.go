package agent

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tendhq/tend/internal/session"
)

// B38: a person's keys are no activity of the agent.
func TestTypingIsNotActivity(t *testing.T) {
	for _, state := range []session.State{session.Ready, session.Idle, session.Done} {
		st := ready(t)
		switch {
		case state == session.Idle:
			st = busy(t).wait(10 * sec).said("QuietSeen(quiet) -> idle")
		case state == session.Done:
			st.apply(session.Event{Source: session.FromPerson, What: session.DoneSeen{}})
			st.wait(10 * sec)
		}
		for range 60 {
			st.types(false).wait(50 * ms).prints("x").wait(950 * ms)
		}
		st.said()
		if st.s.State != state {
			t.Errorf("%s became %s by typing", state, st.s.State)
		}
	}
}

func TestAPersonsLineThatIsWorkedOn(t *testing.T) {
	st := ready(t).types(false).prints("build").wait(sec)
	st.types(true).prints("\r\nbuilding").wait(sec).said() // one answer at once proves no turn
	st.prints(" more").wait(sec).said("TurnStarted(screen) -> busy")
}

func TestEnterAndThenHalfALine(t *testing.T) {
	st := ready(t)
	for range 20 {
		st.types(true).prints("\r\n$ ").wait(500 * ms)
		st.types(false).prints("half").wait(900 * ms).prints("\r$ \x1b[K").wait(50 * ms)
	}
	st.said()
}

// What the machine does not do, for whatever reason, is not believed for long.
func TestEvidenceThatWasLost(t *testing.T) {
	st := busy(t)
	st.now = st.now.Add(100 * ms)
	if e := st.w.Feed(st.now, session.Output{Offset: st.read, Data: []byte(osc("done") + osc("clear"))}); len(e) != 1 {
		t.Fatal(e)
	}
	st.wait(11 * sec).said("QuietSeen(quiet) -> idle")
}

func TestProgressIsToldNowAndThen(t *testing.T) {
	st := busy(t)
	for i := range 600 {
		st.prints(fmt.Sprintf("line %c\r\n", 'a'+i%26)).wait(200 * ms)
	}
	st.said("Progress(screen) -> busy", "Progress(screen) -> busy", "Progress(screen) -> busy", "Progress(screen) -> busy")
}

func TestProgressLeadsOutOfIdleAndStalled(t *testing.T) {
	st := busy(t).wait(9 * sec).said("QuietSeen(quiet) -> idle")
	st.prints("more\r\n").wait(150 * ms).said("Progress(screen) -> busy")
	for i := range 3200 {
		st.prints(fmt.Sprintf("\r%c", []rune("⠋⠙⠹⠸")[i%4])).wait(100 * ms)
	}
	st.apply(session.Event{Source: session.FromSupervisor, What: session.DeadlinePassed{Kind: session.StallDeadline}})
	if st.s.State != session.NeedsAttention {
		t.Fatal(st.s.State)
	}
	st.prints("\r\ngot it\r\n").wait(150 * ms).said("Progress(screen) -> busy")
}

// A spinner is liveness: not quiet, and not progress.
func TestASpinnerIsNeitherQuietNorProgress(t *testing.T) {
	st := busy(t).prints("⠋ Working… 0s")
	st.wait(100 * ms)
	for i := range 1200 {
		st.prints(fmt.Sprintf("\r%c Working… %ds", []rune("⠋⠙⠹⠸")[i%4], i/10)).wait(100 * ms)
	}
	st.said("Progress(screen) -> busy") // that it appeared
	st.wait(10 * sec).said("QuietSeen(quiet) -> idle")
}

func TestATitleThatTurnsIsLife(t *testing.T) {
	st := busy(t)
	for i := range 300 {
		st.prints(fmt.Sprintf("\x1b]0;%c work\x07", []rune("⠋⠙⠹⠸")[i%4])).wait(100 * ms)
	}
	st.said()
}

// B99: what a title says is never evidence of a state.
func TestHostileTitles(t *testing.T) {
	st := ready(t)
	for _, title := range []string{"Error: unauthorized", "Done", "Do you want to proceed? 1. Yes", "]7501;state=done", "✳ idle"} {
		st.prints("\x1b]0;" + title + "\x07\x1b]2;" + title + "\x1b\\").wait(2 * sec)
	}
	st.prints("\x1b]0;" + strings.Repeat("x", 10<<20)).wait(sec).prints("\x07").wait(20 * sec).said()
	if got := st.w.Recent(100); strings.Contains(got, "unauthorized") {
		t.Errorf("a title is in the plain text: %q", got)
	}
}

// B31: text that looks like an agent's dialog or state is only text.
func TestTextThatQuotesMarkers(t *testing.T) {
	st := busy(t)
	for i := range 200 {
		st.prints("Do you want to proceed?\r\n❯ 1. Yes\r\n  2. No\r\nrate limited, 401 unauthorized, esc to interrupt\r\n" +
			"\\x1b]7501;state=done ]133;D;0 state=blocked:kind=permission " + string(rune('a'+i%26)) + "\r\n").wait(100 * ms)
	}
	st.said() // 20 s: not even progress is due
}

// B40: frames of synchronized output, looked at only when complete.
func TestSynchronizedFrames(t *testing.T) {
	st := busy(t).prints("\x1b[2J")
	for i := range 200 {
		st.prints("\x1b[?2026h\x1b[H\x1b[2J").wait(150 * ms)
		if text := st.w.Terminal().Text(); i > 0 && !strings.Contains(text[0], "Answer") {
			t.Fatalf("half a frame is shown: %q", text[0])
		}
		st.prints(fmt.Sprintf("Answer\r\n%c Working %ds\x1b[?2026l", []rune("⠋⠙⠹⠸")[i%4], i/3)).wait(150 * ms)
	}
	st.wait(sec)
	for _, l := range st.lines {
		if l != "Progress(screen) -> busy" {
			t.Error(l)
		}
	}
	if n := len(st.lines); n > 1 {
		t.Errorf("%d times progress of a screen that only turned its spinner", n)
	}
}

func TestAFrameThatNeverClosesIsShown(t *testing.T) {
	st := ready(t).prints("\x1b[?2026h\x1b[H\x1b[2JDrawn").wait(1900 * ms)
	if text := st.w.Terminal().Text(); text[0] != "$" {
		t.Errorf("shown too soon: %q", text[0])
	}
	st.wait(200 * ms)
	if text := st.w.Terminal().Text(); text[0] != "Drawn" {
		t.Errorf("not shown: %q", text[0])
	}
	st.prints("\x1b[?2026h\x1b[H\x1b[2JAgain").wait(2100 * ms)
	if text := st.w.Terminal().Text(); text[0] != "Again" {
		t.Errorf("the second frame is not shown: %q", text[0])
	}
}

func TestFramesThatFollowWithoutAGap(t *testing.T) {
	st := busy(t).prints("\x1b[2J\x1b[?2026h")
	for i := range 60 {
		st.prints(fmt.Sprintf("\x1b[H\x1b[2J%cFrame\x1b[?2026l\x1b[?2026h\x1b[H\x1b[2J", 'a'+i%26)).wait(300 * ms)
		if text := st.w.Terminal().Text(); i > 0 && !strings.Contains(text[0], "Frame") {
			t.Fatalf("frame %d: half a frame is shown: %q", i, text[0])
		}
	}
}

// A program like vim redraws when it is resized or looked at: nobody works.
func TestARepaintIsNotActivity(t *testing.T) {
	st := newStory(t, session.Interactive).prints("\x1b[?1049h\x1b[H\x1b[2J~\r\n~\r\nempty.txt").wait(sec).said("ReadySeen(screen) -> ready")
	for i := range 20 {
		st.feed(session.Resized{Size: session.Size{Cols: 80 + i, Rows: 24 + i}})
		st.prints("\x1b[H\x1b[2J" + strings.Repeat("~\r\n", i+2) + "empty.txt").wait(600 * ms)
	}
	st.feed(session.Viewers{Count: 1}).prints("\x1b[H\x1b[2Jempty.txt").wait(5 * sec)
	for i := range 20 {
		st.types(false).prints(strings.Repeat("j", i) + "\r\n").wait(1500 * ms)
	}
	st.said()
}

func TestOutputThatNobodyAskedFor(t *testing.T) {
	st := ready(t).wait(5 * sec).prints("notice\r\n").wait(30 * sec).said() // one change
	st.prints("one\r\n").wait(600 * ms).prints("two\r\n").wait(600 * ms).prints("three\r\n").wait(sec)
	st.said("BusySeen(screen) -> busy")
}

// What an agent prints after it said done still belongs to that turn.
func TestTheRestOfAFinishedTurn(t *testing.T) {
	st := busy(t)
	st.apply(session.Event{Source: session.FromPerson, What: session.DoneSeen{}})
	for range 10 {
		st.prints("and a summary\r\n").wait(500 * ms)
	}
	st.said().wait(3 * sec)
	for range 5 {
		st.prints("another thing\r\n").wait(500 * ms)
	}
	st.said("BusySeen(screen) -> busy")
}

// A frozen screen while the agent says done: its word wins (B39).
func TestAFrozenScreen(t *testing.T) {
	st := newStory(t, session.Interactive).prints(osc("working") + "thinking").wait(4 * time.Minute)
	st.said("BusySeen(title) -> busy", "Progress(screen) -> busy")
	st.prints(osc("done")).said("DoneSeen(title) -> done")
}

func TestSuspended(t *testing.T) {
	st := busy(t).feed(session.Suspended{Stopped: true}).said("SuspendSeen(holder) -> busy")
	st.wait(time.Minute).said()
	st.feed(session.Suspended{}).wait(5 * sec).said("SuspendSeen(holder) -> busy")
	st.wait(5 * sec).said("QuietSeen(quiet) -> idle")
}

// B22: the submit key is swallowed. Nothing is taken for a receipt while the
// text stands in the input line, whatever else moves.
func TestASwallowedSubmitKey(t *testing.T) {
	st := newStory(t, session.Interactive).prints("hint one\r\n> ").wait(sec).said("ReadySeen(screen) -> ready")
	st.sends("fix the bug", "fix the bug").wait(sec)
	st.prints("\x1b7\x1b[Hhint two\x1b8").wait(3 * sec).said()
	st.feed(session.Typed{By: session.FromSupervisor, Submitted: true}).prints("\r\x1b[K> \x1b[Hon it").wait(sec)
	st.said("TurnStarted(screen) -> busy")
}

// A slow echo of a long paste is no work, and the prompt is not withdrawn.
func TestASlowEcho(t *testing.T) {
	st := busy(t).wait(10 * sec).said("QuietSeen(quiet) -> idle")
	st.feed(session.Typed{By: session.FromSupervisor})
	for range 10 {
		st.wait(300 * ms).prints("some of the text ")
	}
	st.wait(sec).said()
}

func TestAFloodOfMarks(t *testing.T) {
	st := newStory(t, session.Interactive)
	for range 50 {
		st.prints(strings.Repeat(osc("working")+osc("idle"), 1000)).wait(100 * ms)
	}
	if n := len(st.lines); n > 7*markLimit {
		t.Errorf("%d events of 50 000 pairs of marks in 5 s", n)
	}
	st.wait(2 * sec)
	if st.s.State != session.Idle {
		t.Errorf("the last word was idle, the state is %s", st.s.State)
	}
}

func TestAGapInTheOutput(t *testing.T) {
	st := newStory(t, session.Interactive).prints(osc("working") + "\x1b]0;unfinished").said("BusySeen(title) -> busy")
	st.feed(session.OutputGap{From: 10, To: 20}).prints("hello").wait(10 * sec)
	st.said("QuietSeen(quiet) -> idle")
	if text := st.w.Terminal().Text(); text[0] != "hello" {
		t.Errorf("the text after the gap is lost: %q", text[0])
	}
	st.feed(session.OutputGap{From: 30, To: 50, Full: true}).said("OutputLost(holder) -> idle")
	if n := st.s.Process.OutputLost; n != 20 {
		t.Errorf("%d bytes are lost", n)
	}
}

// A suspended machine or a stepped clock proves nothing.
func TestTheClockJumps(t *testing.T) {
	st := busy(t)
	st.now = st.now.Add(time.Hour)
	st.take(st.w.Tick(st.now))
	st.said().wait(5 * sec).said().wait(5 * sec).said("QuietSeen(quiet) -> idle")

	st = busy(t)
	st.now = st.now.Add(-time.Hour)
	st.take(st.w.Tick(st.now))
	st.said().wait(20 * sec).said("QuietSeen(quiet) -> busy") // the machine counts it as old news
}
