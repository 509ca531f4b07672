package agent

import (
	"testing"
	"time"

	"github.com/tendhq/tend/internal/session"
)

// Streams of Codex 0.171.0, written after what was measured in December 2026.

func says7501(state string) string { return "\x1b]7501;state=" + state + ":app=codex\x1b\\" }

func codexStory(t *testing.T) *story {
	st := newStoryOf(t, codex, session.Interactive)
	st.prints("\x1b[?1049h\x1b[?2004h› Ask Codex to do anything").wait(3 * time.Second).said() // no readiness by its looks
	return st.prints(says7501("idle")).said("ReadySeen(title) -> ready")
}

func TestCodexTurn(t *testing.T) {
	st := codexStory(t).types(true).prints(says7501("working")).hook("SessionStart", "source", "startup")
	st.hook("UserPromptSubmit", "turn_id", "t1").hook("Stop", "turn_id", "t1", "last_assistant_message", "all good").prints(says7501("done") + says7501("idle"))
	st.said("BusySeen(title) -> busy", "NativeSeen(hook) -> busy", "ReadySeen(hook) -> busy", "TurnStarted(hook) -> busy", "DoneSeen(hook) -> done",
		"DoneSeen(title) -> done")
	if st.s.Turn.Number != 1 || st.s.NativeID() != "s-1" {
		t.Errorf("%+v, conversation %s", st.s.Turn, st.s.NativeID())
	}
}

// Without hooks its byte stream alone tells.
func TestCodexWithoutHooks(t *testing.T) {
	st := codexStory(t).types(true).prints(says7501("working")).wait(time.Second).prints(says7501("done") + says7501("idle")).wait(time.Minute)
	st.said("BusySeen(title) -> busy", "DoneSeen(title) -> done")
	st.types(true).prints(says7501("working")).wait(time.Second).prints(says7501("idle")).wait(time.Second).said("BusySeen(title) -> busy", "QuietSeen(title) -> idle")
}

func TestCodexDenies(t *testing.T) {
	st := codexStory(t).types(true).prints(says7501("working")).hook("SessionStart", "source", "startup").hook("UserPromptSubmit", "turn_id", "t1")
	st.hook("PermissionRequest", "turn_id", "t1", "tool_name", "Bash")
	st.prints(says7501("blocked:kind=permission") + "\r\n" + codexRun).wait(time.Second)
	if st.s.State != session.WaitingOnInput || st.s.Waiting.Text != "Bash:" {
		t.Errorf("%s: %+v: a screen overrode what the hook said", st.s.State, st.s.Waiting)
	}
	st.lines = nil
	st.types(false).prints(says7501("working")).hook("Interrupt", "turn_id", "t1").prints(says7501("idle")).wait(time.Second)
	st.said("BusySeen(title) -> busy", "Interrupted(hook) -> ready")
}

// While it starts it may say that it works, and nothing was asked of it.
func TestCodexStarting(t *testing.T) {
	st := codexStory(t).prints(says7501("working")).wait(20 * time.Millisecond).prints(says7501("idle")).wait(time.Second)
	st.said()
	st = newStoryOf(t, codex, session.Interactive)
	st.prints(says7501("working")).wait(time.Second).prints(says7501("idle")).wait(time.Second).said("ReadySeen(title) -> ready")
	st = newStoryOf(t, codex, session.Interactive) // a prompt on its command line
	st.prints(says7501("working")).wait(10*time.Second).prints(says7501("done")).said("BusySeen(title) -> busy", "DoneSeen(title) -> done")
}

func TestCodexErrors(t *testing.T) {
	for info, want := range map[string]session.Cause{
		`{"message":"unexpected status 401 Unauthorized"}`:                               session.AuthFailedCause,
		`{"message":"exceeded retry limit, last status: 429 Too Many Requests"}`:         session.RateLimited,
		`{"message":"limit reached","codex_error_info":"usage_limit_exceeded"}`:          session.RateLimited,
		`{"message":"stream disconnected before completion","codex_error_info":"other"}`: session.TurnFailed,
	} {
		st := codexStory(t).types(true).prints(says7501("working")).hook("SessionStart", "source", "startup", "transcript_path", "/u/x.jsonl")
		st.hook("UserPromptSubmit", "turn_id", "t1", "transcript_path", "/u/x.jsonl").prints(says7501("error"))
		if st.s.Attention == nil || st.s.Attention.Cause != session.TurnFailed {
			t.Fatalf("%+v", st.s.Attention)
		}
		st.wait(time.Second).looksAtRecord(`{"type":"event_msg","payload":{"type":"task_started"}}` + "\n") // not written yet
		st.wait(3 * time.Second).looksAtRecord(`{"type":"event_msg","payload":{"type":"task_complete","turn_id":"t1","error":` + info + `}}` + "\n{\"type\":\"other\"}\n")
		if st.s.Attention.Cause != want {
			t.Errorf("%s: %+v", info, st.s.Attention)
		}
		st.prints(says7501("idle")).types(true).prints(says7501("working")).hook("UserPromptSubmit", "turn_id", "t2")
		if st.s.State != session.Busy || st.s.Turn.Number != 2 {
			t.Errorf("after the error: %s, turn %d", st.s.State, st.s.Turn.Number)
		}
	}
}

// At a submit it may say working, idle, working at once: that is one turn.
func TestCodexFlickers(t *testing.T) {
	st := codexStory(t).types(true).prints(says7501("working") + says7501("idle")).wait(20 * time.Millisecond).prints(says7501("working")).wait(time.Minute)
	st.said("BusySeen(title) -> busy", "BusySeen(title) -> busy")
}

// Where its hooks wait for trust, or a login, no prompt must be typed.
func TestCodexDialogs(t *testing.T) {
	for _, c := range []struct{ screen, kind string }{
		{codexHooksDialog, "trust"},
		{"  Choose how you want to use Codex.\r\n> 1. Sign in with ChatGPT\r\n  2. Sign in with Device Code\r\n", "login"},
	} {
		st := newStoryOf(t, codex, session.Interactive)
		st.prints("\x1b[?1049h" + c.screen).wait(time.Minute)
		if st.s.State != session.WaitingOnInput || st.s.Waiting.Kind != c.kind {
			t.Errorf("%q: %s %+v", c.screen, st.s.State, st.s.Waiting)
		}
		st.types(false).prints("\x1b[2J" + says7501("idle")).wait(time.Second)
		if st.s.State != session.Ready {
			t.Errorf("after it: %s", st.s.State)
		}
	}
}

func TestCodexResumeMissing(t *testing.T) {
	st := codexStory(t)
	st.s.State = session.Resuming
	st.w.Know(st.s)
	st.lines = nil
	st.take(st.w.Feed(st.now, session.Output{Offset: st.read, Data: []byte("\r\nNo saved session found with ID x\r\n")}))
	st.take(st.w.Feed(st.now, session.ProcessExited{}))
	st.said("ResumeFailed(screen) -> needsAttention")
	if st.s.Attention.Cause != session.NativeSessionMissing {
		t.Errorf("%+v", st.s.Attention)
	}
}
