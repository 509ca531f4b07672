package agent

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tendhq/tend/internal/session"
)

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
	st.said().types(false) // a key may be an answer, or half of one
	for range 8 {
		st.prints("installing more\r\n").wait(500 * ms)
	}
	st.said("BusySeen(screen) -> busy")
}

func TestAQuestionWhoseProgramEnds(t *testing.T) {
	st := newStory(t, session.Interactive).prints("\x1b]133;A\x07$ ").types(true).prints("\x1b]133;C\x07Trust?" + osc("blocked")).wait(sec)
	st.said("ReadySeen(title) -> ready", "TurnStarted(title) -> busy", "Asked(title) -> waitingOnInput")
	st.prints("\r\n\x1b]133;D;1\x07\x1b]133;A\x07$ ").wait(sec).said("Interrupted(title) -> ready")
}

// A question that follows a prompt of ours is also its receipt.
func TestAQuestionAtOnce(t *testing.T) {
	st := newStory(t, session.Task).prints(osc("idle") + "> ").wait(sec).said("ReadySeen(title) -> ready")
	st.sends("rm it", "rm it").prints(osc("blocked")).wait(10 * ms).prints("\r\nMay I?").wait(sec)
	st.said("TurnStarted(screen) -> busy", "Asked(title) -> waitingOnInput")
	if len(st.s.Queue) != 1 || st.s.Queue[0].State != session.PromptConfirmed {
		t.Errorf("the prompt is not confirmed: %+v", st.s.Queue)
	}
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
