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
