package agent

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/tendhq/tend/internal/session"
)

// These are the ends that Claude Code 2.1.197 has no hook for, from streams
// written after what was measured in December 2026.

func title(s string) string { return "\x1b]0;" + s + "\x07" }

// claudeStory is a claude that has started.
func claudeStory(t *testing.T) *story {
	st := newStoryOf(t, claude, session.Interactive)
	st.prints(title("✳ Claude Code") + "\x1b[?2004h❯ ")
	st.hook("SessionStart", "source", "startup", "transcript_path", "/u/x.jsonl")
	return st.said("NativeSeen(hook) -> starting", "ReadySeen(hook) -> ready")
}

func (st *story) hook(event string, more ...string) *story {
	st.t.Helper()
	return st.hookAt(st.now, event, more...)
}

// hookAt is a hook that was called at a time before it is heard.
func (st *story) hookAt(at time.Time, event string, more ...string) *story {
	st.t.Helper()
	p := map[string]any{"hook_event_name": event, "session_id": "s-1"}
	for i := 0; i+1 < len(more); i += 2 {
		p[more[i]] = more[i+1]
	}
	b, err := json.Marshal(p)
	if err != nil {
		st.t.Fatal(err)
	}
	st.hooked += 100
	return st.feed(session.HookFired{Offset: st.hooked, At: at, Payload: b})
}

// looksAtRecord answers the wish for the end of the record.
func (st *story) looksAtRecord(tail string) *story {
	st.t.Helper()
	if st.w.Wants() != "/u/x.jsonl" {
		st.t.Error("the record is not wanted")
	}
	return st.feed(session.RecordTail{Path: "/u/x.jsonl", Data: []byte(tail)})
}

const (
	working       = `{"type":"user","message":{"content":"fix it"}}` + "\n" + `{"type":"assistant","message":{"content":[]}}` + "\n"
	escInStream   = working + `{"type":"user","message":{"content":[{"type":"text","text":"[Request interrupted by user]"}]}}` + "\n"
	escAtQuestion = working + `{"type":"user","message":{"content":[{"type":"text","text":"[Request interrupted by user for tool use]"}]}}` + "\n{\"type\":\"summary\"}\n{torn"
	afterwards    = escInStream + `{"type":"user","message":{"content":"another"}}` + "\n"
)

func TestClaudeEsc(t *testing.T) {
	st := claudeStory(t).hook("UserPromptSubmit", "prompt_id", "p1").prints(title("⠂ fix it"))
	st.said("TurnStarted(hook) -> busy")
	st.prints(title("✳ fix it")).wait(400 * time.Millisecond).looksAtRecord(escInStream)
	st.said("Interrupted(transcript) -> ready")
}

func TestClaudeDenies(t *testing.T) {
	st := claudeStory(t).hook("UserPromptSubmit", "prompt_id", "p1").prints(title("⠂ fix it")).hook("PreToolUse", "tool_name", "Bash")
	st.hook("PermissionRequest", "tool_name", "Bash").prints(title("✳ fix it") + "\r\n 1. Yes\r\n 2. No")
	st.wait(5*time.Second).said("TurnStarted(hook) -> busy", "ToolActivity(hook) -> busy", "Asked(hook) -> waitingOnInput")
	for st.w.Wants() != "" { // it was looked at while the dialog was drawn
	}
	st.types(false).prints("\x1b[2J❯ ").wait(time.Second).looksAtRecord(escAtQuestion)
	st.said("Interrupted(transcript) -> ready")
}

// Where the system does not tell of new hooks they are heard up to two seconds
// late, and the title has long told what came after them.
func TestClaudeDeniesWithLateHooks(t *testing.T) {
	st := claudeStory(t)
	called := st.now
	st.prints(title("⠂ fix it")).wait(100 * time.Millisecond).prints(title("✳ fix it") + "\r\n 1. Yes\r\n 2. No").wait(time.Second)
	for _, event := range []string{"UserPromptSubmit", "PreToolUse", "PermissionRequest"} {
		st.hookAt(called, event, "prompt_id", "p1", "tool_name", "Bash")
	}
	st.said("BusySeen(title) -> busy", "TurnStarted(hook) -> busy", "ToolActivity(hook) -> busy", "Asked(hook) -> waitingOnInput")
	st.types(false).prints("\x1b[2J❯ ").wait(2 * time.Second).looksAtRecord(escAtQuestion)
	st.said("Interrupted(transcript) -> ready")
}

// An answer that is given in the terminal itself shows in the title first.
func TestClaudeAllows(t *testing.T) {
	st := claudeStory(t).hook("UserPromptSubmit", "prompt_id", "p1").prints(title("⠂ x")).hook("PermissionRequest", "tool_name", "Bash").prints(title("✳ x"))
	st.said("TurnStarted(hook) -> busy", "Asked(hook) -> waitingOnInput")
	st.types(false).prints(title("⠐ x")).said("BusySeen(title) -> busy")
}

// An answer that nobody saw, because no daemon ran: its title shows the work.
func TestClaudeAnsweredUnseen(t *testing.T) {
	st := claudeStory(t).hook("UserPromptSubmit", "prompt_id", "p1").prints(title("⠂ x")).hook("PermissionRequest", "tool_name", "Bash")
	st.wait(2*time.Second).said("TurnStarted(hook) -> busy", "Asked(hook) -> waitingOnInput")
	st.wait(2 * time.Second).said("BusySeen(title) -> busy")
}

// During its Stop hook the spinner still turns: that is no new turn.
func TestClaudeSpinnerAfterDone(t *testing.T) {
	st := claudeStory(t).hook("UserPromptSubmit", "prompt_id", "p1").prints(title("⠂ x")).hook("Stop", "prompt_id", "p1")
	st.prints(title("⠐ x")).wait(time.Second).prints(title("⠂ x")).prints(title("✳ x")).wait(time.Minute)
	st.said("TurnStarted(hook) -> busy", "DoneSeen(hook) -> done")
}

// A Stop of the first turn that comes late never ends the second.
func TestClaudeLateStop(t *testing.T) {
	st := claudeStory(t).hook("UserPromptSubmit", "prompt_id", "p1").hook("UserPromptSubmit", "prompt_id", "p2").hook("Stop", "prompt_id", "p1")
	st.said("TurnStarted(hook) -> busy", "TurnStarted(hook) -> busy", "DoneSeen(hook) -> busy")
	st.hook("Stop", "prompt_id", "p2").said("DoneSeen(hook) -> done")
}

// What is in the record before the present prompt says nothing about it, and a
// title at rest without any word is no completion.
func TestClaudeMissedEnd(t *testing.T) {
	st := claudeStory(t).hook("UserPromptSubmit", "prompt_id", "p1").prints(title("⠂ x")).said("TurnStarted(hook) -> busy")
	st.prints(title("✳ x")).wait(400 * time.Millisecond).looksAtRecord(afterwards).wait(time.Minute)
	st.said("QuietSeen(title) -> idle")
	st.hook("Stop", "prompt_id", "p1").said("DoneSeen(hook) -> done") // it was only late
}

// Esc before the first byte of an answer puts the prompt back: nothing else tells.
func TestClaudePromptPutBack(t *testing.T) {
	st := claudeStory(t).sends("please hang", "please hang").hook("UserPromptSubmit", "prompt_id", "p1")
	st.prints("\r❯ \x1b[K" + title("⠂ x")).wait(time.Second)
	st.prints(title("✳ x") + "please hang").wait(time.Second)
	st.said("TurnStarted(hook) -> busy", "Interrupted(title) -> ready")
	if got := string(st.w.Clear()); got != "\x03" {
		t.Errorf("what stands there is cleared by %q", got)
	}
	st.prints("\r❯ \x1b[K")
	if got := st.w.Clear(); got != nil {
		t.Errorf("an empty input line is cleared by %q", got)
	}
}

func TestClaudeAnotherConversation(t *testing.T) {
	st := claudeStory(t).hook("UserPromptSubmit", "session_id", "nested", "prompt_id", "n1")
	st.said("ForeignSeen(hook) -> ready")
	st.hook("SessionStart", "session_id", "s-2", "source", "clear").said("NativeSeen(hook) -> ready", "ReadySeen(hook) -> ready")
	st.hook("UserPromptSubmit", "session_id", "s-2", "prompt_id", "p1").said("TurnStarted(hook) -> busy")
	if st.s.NativeID() != "s-2" || len(st.s.Native) != 2 {
		t.Errorf("conversations: %+v", st.s.Native)
	}
}

func TestClaudeBackground(t *testing.T) {
	st := claudeStory(t).hook("UserPromptSubmit", "prompt_id", "p1")
	st.feed(session.HookFired{Offset: 1000, At: st.now, Payload: []byte(`{"hook_event_name":"Stop","session_id":"s-1","prompt_id":"p1","background_tasks":[{"id":"b1"}]}`)})
	st.said("TurnStarted(hook) -> busy", "DoneSeen(hook) -> busy")
	if st.s.Turn.Background != 1 {
		t.Errorf("%+v", st.s.Turn)
	}
}

// Hooks that are not heard are no hooks: the screen is read instead, and it is
// said; when they are heard after all they count again.
func TestClaudeHooksSilent(t *testing.T) {
	st := newStoryOf(t, claude, session.Interactive)
	st.prints("\x1b[?2004h❯ ").wait(15 * time.Second).said()
	st.wait(10*time.Second).said("HooksSilent(supervisor) -> starting", "ReadySeen(screen) -> ready")
	if !st.s.Process.HooksSilent {
		t.Error("it is not on record")
	}
	st.hook("UserPromptSubmit", "prompt_id", "p1").said("HooksSilent(hook) -> ready", "NativeSeen(hook) -> ready", "TurnStarted(hook) -> busy")
}

func TestClaudeTrustDialog(t *testing.T) {
	st := newStoryOf(t, claude, session.Interactive)
	st.prints(claudeTrust).wait(time.Minute).said("Asked(screen) -> waitingOnInput")
	if st.s.Waiting.Kind != "trust" {
		t.Errorf("%+v", st.s.Waiting)
	}
	st.types(false).prints("\x1b[2J\x1b[H❯ ").wait(time.Second).hook("SessionStart", "source", "startup")
	st.said("NativeSeen(hook) -> waitingOnInput", "Interrupted(hook) -> ready")
}

// What was taken before a restart of the daemon is only remembered.
func TestClaudeHooksAfterRestart(t *testing.T) {
	st := claudeStory(t).hook("UserPromptSubmit", "prompt_id", "p1").prints(title("⠂ x")).said("TurnStarted(hook) -> busy")
	again, err := claude.NewWatch(st.s, st.s.Spec.Size, st.w.Checkpoint())
	if err != nil {
		t.Fatal(err)
	}
	st.w, st.hooked = again, 0
	st.hook("SessionStart", "source", "startup", "transcript_path", "/u/x.jsonl").hook("UserPromptSubmit", "prompt_id", "p1").said()
	st.prints(title("✳ x")).wait(400 * time.Millisecond).looksAtRecord(escInStream).said("Interrupted(transcript) -> ready")
}
