package session

import (
	"hash/fnv"
	"slices"
	"time"
)

// Backoff is the wait before the next automatic resume: the base doubled with
// every attempt, at most BackoffMax, spread by ± Jitter. The spread depends on
// the session and the attempt alone, so that the same history always waits as
// long and a reboot's many sessions do not all start at once.
func Backoff(s Session) time.Duration {
	p := s.Spec.Policy
	d := p.BackoffBase
	for range s.Resume.Attempts {
		if p.BackoffMax > 0 && d >= p.BackoffMax || d > time.Hour {
			break
		}
		d *= 2
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(string(s.ID) + itoa(s.Process.Run)))
	share := (float64(h.Sum32()%2001)/1000 - 1) * p.Jitter // -Jitter … +Jitter
	d += time.Duration(float64(d) * share)
	if p.BackoffMax > 0 {
		d = min(d, p.BackoffMax)
	}
	return d.Truncate(time.Millisecond) // what is stored has no finer steps
}

// scheduleResume: crashed or engineDeath. It is resumed if the agent can, an id
// is known, the directory exists and the budget allows; else a person is asked,
// with what is missing as the cause.
func (t *step) scheduleResume(how string, dirMissing bool) {
	t.noteCrash()
	c, why := t.obstacle(dirMissing)
	if c != "" {
		t.attention(c, how+"; "+why)
		return
	}
	t.waitToResume(how)
}

func (t *step) waitToResume(how string) {
	wait := Backoff(t.s)
	t.s.Resume.NextAt = t.e.At.Add(wait)
	t.s.Resume.ByPerson = false
	t.to(Resuming, how+"; resuming in "+wait.Round(100*time.Millisecond).String())
}

// noteCrash keeps the times of the crashes within the window.
func (t *step) noteCrash() {
	w := t.s.Spec.Policy.CrashWindow
	var keep []time.Time
	for _, at := range t.s.Resume.Crashes {
		if t.e.At.Sub(at) < w {
			keep = append(keep, at)
		}
	}
	t.s.Resume.Crashes = append(keep, t.e.At)
}

// obstacle is what forbids an automatic resume, "" when nothing does.
func (t *step) obstacle(dirMissing bool) (Cause, string) {
	p, r := t.s.Spec.Policy, t.s.Resume
	switch {
	case !t.s.Spec.Caps.Resume:
		return ResumeUnsupported, t.s.Spec.Agent + " cannot resume a conversation"
	case t.s.NativeID() == "":
		return NativeSessionMissing, "the agent never named its conversation"
	case dirMissing:
		return WorktreeMissing, "its directory is gone: " + t.s.Spec.Cwd
	case p.MaxCrashes > 0 && len(r.Crashes) > p.MaxCrashes:
		return CrashLoop, itoa(len(r.Crashes)) + " crashes within " + p.CrashWindow.String()
	case r.Attempts >= p.MaxResumes:
		return ResumeExhausted, itoa(r.Attempts) + " resumes came to nothing"
	}
	return "", ""
}

// failedAttempt counts an attempt that came to nothing: wait again, at the cap
// ask a person. It returns in Resuming or NeedsAttention.
func (t *step) failedAttempt(how string) {
	t.attemptFailed()
	t.s.Resume.Attempts++
	if t.s.Resume.Attempts >= t.s.Spec.Policy.MaxResumes {
		t.attention(ResumeExhausted, how+"; "+itoa(t.s.Resume.Attempts)+" resumes came to nothing")
		return
	}
	t.waitToResume(how)
}

// attemptFailed settles the present run: whatever it still says, it is not the
// resumed conversation, and its end is no news.
func (t *step) attemptFailed() {
	t.s.Resume.FailedRun = t.s.Process.Run
	t.s.Resume.ReadyAt, t.s.Resume.Unproven = time.Time{}, false
}

func (t *step) resumeFailed(w ResumeFailed) {
	running := !t.s.Ended()
	switch {
	case t.s.State != Resuming:
		t.ignore("no resume is in progress")
		return
	case running && t.s.Resume.FailedRun == t.s.Process.Run:
		t.ignore("this attempt is counted already")
		return
	}
	detail := w.Detail
	if detail == "" {
		detail = "the resume failed"
	}
	if w.Cause != "" && w.Cause != ResumeExhausted {
		t.attemptFailed()
		t.attention(w.Cause, detail)
	} else {
		t.failedAttempt(detail)
	}
	if running {
		t.do(StopProcess{Ref: t.s.Ref()})
	}
}

// relaunch begins the next run of a session that waits to be resumed.
func (t *step) relaunch() {
	byPerson := t.s.Resume.ByPerson
	t.s.Turn.DoneSeen = false // of an earlier run; it says nothing about this one
	t.launch(Resuming, "resuming the conversation")
	t.s.Resume.ByPerson = byPerson
}

// startAfresh begins the next run with a new conversation. The old native ids
// stay on record; none is in force until the agent names the new one.
func (t *step) startAfresh(why string) {
	if t.s.NativeID() != "" {
		t.s.Native = append(t.s.Native[:len(t.s.Native):len(t.s.Native)], NativeID{At: t.e.At, Run: t.s.Process.Run + 1})
	}
	t.s.Resume = Resume{}
	t.s.Turn.Open, t.s.Turn.DoneSeen = false, false
	t.s.Reason = ""
	if text := t.s.Spec.Prompt; text != "" && !slices.ContainsFunc(t.s.Queue, func(p Prompt) bool { return p.State == PromptQueued && p.Text == text }) {
		t.enqueueFirst(Prompt{ID: "retry-" + itoa(t.s.Process.Run+1), Text: text})
	}
	t.launch(Starting, why)
}

// readyAgain: the relaunched agent looks ready. That is proof once it lasted.
func (t *step) readyAgain() {
	if !t.s.Resume.ReadyAt.IsZero() {
		t.ignore("its readiness is on record; it has to last")
		return
	}
	t.s.Resume.ReadyAt = t.e.At
	t.s.Why = "the resumed agent looks ready; proven if it stays so for " + t.s.Spec.Policy.ResumeSettle.String()
}

// unproven reports whether the present run is a relaunch that has not shown yet
// that it goes on with the conversation.
func unproven(s Session) bool { return s.State == Resuming || s.Resume.Unproven }

// resumed takes a sign of life as proof of a resume, if one is to be proven, and
// reports whether the sign counts. A screen that moves may be an error or a
// dialog: it proves nothing, and does not lead out of resuming.
func (t *step) resumed() bool {
	switch {
	case !unproven(t.s):
	case t.s.Process.Phase == Running && trust(t.e.Source) >= trust(FromTitle):
		t.proven()
	case t.s.State == Resuming:
		t.ignore("the resume is not proven yet, and a screen does not prove it")
		return false
	}
	return true
}

// proven notes a resume that worked. Attempts stay counted until the agent has
// been healthy for a while or has completed a turn.
func (t *step) proven() {
	t.s.Resume.ProvenAt, t.s.Resume.NextAt, t.s.Resume.ReadyAt = t.e.At, time.Time{}, time.Time{}
	t.s.Resume.ByPerson, t.s.Resume.Unproven = false, false
	t.s.Reason = ""
}

func (t *step) resumeProven(w ResumeProven) {
	switch {
	case t.s.State == Resuming:
	case t.s.Resume.Unproven && t.s.Interrupts == Resuming && (t.cause() == StartupTimeout || t.cause() == Stalled):
		// the sign that was missed has come
	case t.s.Resume.Unproven:
		t.proven() // a fact; the state rests on something else by now
		return
	default:
		t.ignore("no resume is in progress")
		return
	}
	t.proven()
	t.goOn(w)
}

// goOn leads out of a resume that is proven: a task is told to continue.
func (t *step) goOn(w ResumeProven) {
	task := t.s.Spec.Kind == Task && t.s.Turn.Open
	switch {
	case w.Continuing:
		t.openTurn("")
		t.to(Busy, "resumed, and working on")
	case task:
		t.continueTask()
		t.to(Ready, "resumed; it is told to continue")
	default:
		t.to(Ready, "resumed")
	}
}

// enqueueFirst puts a prompt before everything that is queued.
func (t *step) enqueueFirst(p Prompt) {
	p.State, p.At, p.StepAt = PromptQueued, t.e.At, t.e.At
	t.s.Queue = append([]Prompt{p}, t.s.Queue...)
}

func (t *step) continueTask() {
	text := t.s.Spec.Continue
	if text == "" {
		text = DefaultContinue
	}
	t.enqueueFirst(Prompt{ID: "continue-" + itoa(t.s.Process.Run), Text: text})
}

// DefaultContinue is what a resumed task is told.
const DefaultContinue = "Continue where you left off."
