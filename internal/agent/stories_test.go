package agent

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tendhq/tend/internal/session"
)

const (
	ms  = time.Millisecond
	sec = time.Second
)

// ready is a story whose agent has shown a prompt and is ready.
func ready(t *testing.T) *story {
	t.Helper()
	return newStory(t, session.Interactive).prints("$ ").wait(2 * sec).said("ReadySeen(screen) -> ready")
}

// busy is a story whose agent works on a prompt of ours.
func busy(t *testing.T) *story {
	t.Helper()
	return ready(t).sends("make", "make").prints("\r\ncompiling\r\n").wait(sec).said("TurnStarted(screen) -> busy")
}

func TestReadyAfterOutputAndAPause(t *testing.T) {
	st := newStory(t, session.Interactive)
	st.wait(30 * sec).said() // no output proves nothing
	for range 5 {
		st.prints("loading\r\n").wait(500 * ms)
	}
	st.said().wait(500 * ms).said("ReadySeen(screen) -> ready")
	st.wait(time.Hour).said()
}

func TestReadyNeedsSomethingToSee(t *testing.T) {
	newStory(t, session.Interactive).prints("\x1b[?1049h\x1b[?25l\x1b]0;loading\x07").wait(30 * sec).said()
}

func TestASpinnerHoldsReadinessBack(t *testing.T) {
	st := newStory(t, session.Interactive).prints("Loading\r\n")
	for i := range 150 {
		st.prints(fmt.Sprintf("\r%c %ds", []rune("⠋⠙⠹⠸")[i%4], i/10)).wait(100 * ms)
	}
	st.said()
	for i := range 60 {
		st.prints(fmt.Sprintf("\r%c %ds", []rune("⠋⠙⠹⠸")[i%4], i/10)).wait(100 * ms)
	}
	st.said("ReadySeen(screen) -> ready")
}

func TestPrintingWithoutAPauseFromTheStartIsWork(t *testing.T) {
	st := newStory(t, session.Interactive)
	for i := range 110 {
		st.prints(fmt.Sprintf("compiling file %c\r\n", 'a'+i%26)).wait(100 * ms)
	}
	st.said("BusySeen(screen) -> busy").wait(20 * sec).said("QuietSeen(quiet) -> idle")
}

func TestReadyAtAPromptMark(t *testing.T) {
	newStory(t, session.Interactive).prints("\x1b]133;A\x07$ \x1b]133;B\x07").said("ReadySeen(title) -> ready")
}

func TestReadyWithBracketedPaste(t *testing.T) {
	st := newStory(t, session.Interactive).prints("\x1b[?2004h>>> ").wait(300 * ms).said()
	st.wait(110 * ms).said("ReadySeen(screen) -> ready")
}

func TestAJobHasNoReadiness(t *testing.T) {
	st := newStory(t, session.Job).prints("working\r\n").wait(time.Minute)
	st.said("Progress(screen) -> busy")
	st.wait(time.Hour).said()
}

func TestALateStart(t *testing.T) {
	st := newStory(t, session.Interactive).wait(61 * sec)
	st.apply(session.Event{Source: session.FromSupervisor, What: session.DeadlinePassed{Kind: session.StartupDeadline}})
	if st.s.State != session.NeedsAttention {
		t.Fatal(st.s.State)
	}
	st.prints("$ ").wait(2 * sec).said("ReadySeen(screen) -> ready")
}

func TestBashWithoutMarks(t *testing.T) {
	st := newStory(t, session.Interactive).prints("\x1b[?2004huser@host:~$ ").wait(2 * sec).said("ReadySeen(screen) -> ready")
	st.sends("make all", "make all").prints("\r\n\x1b[?2004l\r").wait(50 * ms).said()
	st.prints("cc -c one.c\r\n").wait(200 * ms).said("TurnStarted(screen) -> busy")
	for i := range 20 {
		st.prints(fmt.Sprintf("cc -c %s.c\r\n", strings.Repeat("x", i+1))).wait(2 * sec)
	}
	st.said("Progress(screen) -> busy")
	st.prints("\x1b[?2004huser@host:~$ ").wait(8 * sec).said().wait(sec).said("QuietSeen(quiet) -> idle")
	st.wait(time.Hour).said()
}

func TestACommandThatPrintsNothing(t *testing.T) {
	st := ready(t).sends("sleep 20", "sleep 20").prints("\r\n").wait(2 * sec)
	st.said("TurnStarted(screen) -> busy")
}

func TestCat(t *testing.T) {
	st := newStory(t, session.Interactive).prints("ready\r\n").wait(2 * sec).said("ReadySeen(screen) -> ready")
	st.sends("hello", "hello").prints("\r\nhello\r\n").wait(sec).said("TurnStarted(screen) -> busy")
	if st.w.Holds("hello") {
		t.Error("what cat printed is taken for an input line")
	}
	st.wait(10 * sec).said("QuietSeen(quiet) -> idle")
}

func TestPythonPrompt(t *testing.T) {
	st := newStory(t, session.Interactive).prints("Python 3.13.0\r\n>>> ").wait(sec).said("ReadySeen(screen) -> ready")
	st.sends("x = 1", "x = 1").prints("\r\n>>> ").wait(sec).said("TurnStarted(screen) -> busy")
	if st.w.Holds("x = 1") {
		t.Error("a line that was taken is taken for input")
	}
}

func TestBashWithMarks(t *testing.T) {
	st := newStory(t, session.Interactive).prints("\x1b]133;A\x07$ \x1b]133;B\x07").wait(sec).said("ReadySeen(title) -> ready")
	st.sends("sleep 100", "sleep 100").prints("\r\n\x1b]133;C\x07").said("TurnStarted(title) -> busy")
	st.wait(100 * sec).said() // it says that the command runs: silence proves nothing
	st.prints("\x1b]133;D;1\x07\x1b]133;A\x07$ \x1b]133;B\x07").wait(200 * ms).said("QuietSeen(title) -> idle")
	st.prints("[1]+ Done").wait(20 * sec).said() // a background job's notice at the prompt
	st.types(true).prints("\r\n\x1b]133;C\x07ok\r\n\x1b]133;D;0\x07\x1b]133;A\x07$ \x1b]133;B\x07").wait(sec)
	st.said("TurnStarted(title) -> busy", "QuietSeen(title) -> idle")
}

func TestAPersonsEmptyEnterAtAMarkedPrompt(t *testing.T) {
	st := newStory(t, session.Interactive).prints("\x1b]133;A\x07$ \x1b]133;B\x07").wait(sec).said("ReadySeen(title) -> ready")
	for range 20 {
		st.types(true).prints("\r\n\x1b]133;D\x07\x1b]133;A\x07$ \x1b]133;B\x07").wait(sec)
	}
	st.said()
}

func TestAgentInsideAMarkedShell(t *testing.T) {
	st := newStory(t, session.Interactive).prints("\x1b]133;A\x07$ \x1b]133;B\x07").wait(sec)
	st.types(true).prints("\r\n\x1b]133;C\x07\x1b[?2004h> ").wait(12 * sec)
	st.said("ReadySeen(title) -> ready", "TurnStarted(title) -> busy", "QuietSeen(quiet) -> idle")
}

func TestNativeStates(t *testing.T) {
	st := newStory(t, session.Task).prints(osc("idle")).said("ReadySeen(title) -> ready")
	st.sends("do it", "> do it").prints(osc("working")).said("BusySeen(title) -> busy")
	st.wait(4 * time.Minute).said() // it says that it works: silence proves nothing
	st.prints(osc("done") + osc("idle")).said("DoneSeen(title) -> done")
	st.prints(osc("working")).said("BusySeen(title) -> busy")
	st.prints(osc("error") + osc("idle")).said("Escalate(title) -> needsAttention")
	st.prints(osc("working")).said("BusySeen(title) -> busy")
	st.prints(osc("idle")).wait(sec).said("QuietSeen(title) -> idle")
	st.prints("tidying\r\n").wait(20 * sec).said() // its word outranks a repaint
	st.prints(osc("working")+osc("clear")).wait(10*sec).said("BusySeen(title) -> busy", "QuietSeen(quiet) -> idle")
}

func osc(state string) string { return "\x1b]7501;state=" + state + ":app=fake\x07" }

func TestNativeQuestion(t *testing.T) {
	st := newStory(t, session.Interactive).prints(osc("idle") + osc("working"))
	st.said("ReadySeen(title) -> ready", "BusySeen(title) -> busy")
	st.prints("\x1b]7501;state=blocked:app=fake:kind=permission\x07").wait(50 * ms)
	st.prints("\r\n╭──────────────────╮\r\n│ Run rm -rf build?│\r\n│ ❯ 1. Yes         │\r\n│   2. No          │\r\n╰──────────────────╯\r\n").wait(sec)
	st.said("Asked(title) -> waitingOnInput")
	want := "Run rm -rf build?\n❯ 1. Yes\n2. No"
	if q := st.s.Waiting; q == nil || q.Kind != "permission" || q.Text != want {
		t.Errorf("got %+v, want the text %q", q, want)
	}
	st.types(true).prints("\x1b[H\x1b[2Jrunning\r\n" + osc("working")).wait(sec).said("BusySeen(title) -> busy")
}

func TestAQuestionIsRefused(t *testing.T) {
	st := newStory(t, session.Interactive).prints("Trust this folder?" + osc("blocked")).wait(sec)
	st.said("Asked(title) -> waitingOnInput").types(false)
	st.prints(osc("idle")).said("Interrupted(title) -> ready")
}

func TestAnAnswerThatIsFollowedByWork(t *testing.T) {
	st := newStory(t, session.Interactive).prints("Name?" + osc("blocked")).wait(sec).said("Asked(title) -> waitingOnInput")
	for i := range 20 { // a question whose clock ticks, or that is redrawn, still stands
		st.prints(fmt.Sprintf("\r\n\x1b[K%s", strings.Repeat("x", i))).wait(sec)
	}
	st.said().types(true)
	for range 5 {
		st.prints("installing more\r\n").wait(500 * ms)
	}
	st.said("BusySeen(screen) -> busy")
}

func TestInterruptTakesEffect(t *testing.T) {
	st := newStory(t, session.Interactive).prints(osc("idle") + osc("working"))
	st.said("ReadySeen(title) -> ready", "BusySeen(title) -> busy")
	if got := string(st.w.Interrupt()); got != "\x03" {
		t.Errorf("the interrupt key is %q", got)
	}
	st.types(false).wait(200 * ms).prints(osc("idle")).said("Interrupted(title) -> ready")
}

func TestInterruptInAMarkedShell(t *testing.T) {
	st := newStory(t, session.Interactive).prints("\x1b]133;A\x07$ ").types(true).prints("\x1b]133;C\x07").wait(sec)
	st.said("ReadySeen(title) -> ready", "TurnStarted(title) -> busy")
	st.w.Interrupt()
	st.types(false).prints("^C\r\n\x1b]133;D;130\x07\x1b]133;A\x07$ ").wait(sec).said("Interrupted(title) -> ready")
}

// B38: a person's keys are no activity of the agent.
func TestTypingIsNotActivity(t *testing.T) {
	for _, state := range []session.State{session.Ready, session.Idle, session.Done} {
		st := ready(t)
		switch state {
		case session.Idle:
			st = busy(t).wait(10 * sec).said("QuietSeen(quiet) -> idle")
		case session.Done:
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
