package session

import (
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// EndInfo is what is known of how a process ended.
type EndInfo struct {
	FoundDead    bool // proven gone after a restart, with no exit record
	Cancelled    bool // a person or the machine had decided to stop it
	Exit         *Exit
	RecentOutput string
	HadDone      bool // a positive completion was seen for the turn
}

// Classify says why a process ended, in this order (DESIGN 4.4): found dead,
// stop intent, credential failure in the recent output, positive done, signal,
// status 0, anything else.
func Classify(i EndInfo) Reason {
	switch {
	case i.FoundDead:
		return EngineDeath
	case i.Cancelled:
		return Killed
	case LooksLikeAuthFailure(i.RecentOutput):
		return AuthFailed
	case i.HadDone:
		return Completed
	case i.Exit != nil && i.Exit.Signal != nil && *i.Exit.Signal != 0:
		return Crashed
	case i.Exit != nil && i.Exit.Code != nil && *i.Exit.Code == 0:
		return UserExited
	}
	return Crashed
}

// ResumeEligible reports whether an end for this reason may be resumed by the
// machine itself.
func ResumeEligible(r Reason) bool { return r == Crashed || r == EngineDeath }

// authFailure is over plain text; \b is an ASCII word boundary.
var authFailure = regexp.MustCompile(`(?i)\b(authentication failed|invalid api key|unauthorized|not authenticated|` +
	`please (re-?)?(log ?in|authenticate)|credentials? (rejected|invalid|expired)|your session has expired|token (expired|invalid|revoked))\b`)

// LooksLikeAuthFailure reports whether text says that credentials were refused.
func LooksLikeAuthFailure(text string) bool { return authFailure.MatchString(text) }

// processEnded takes the end of a run, once.
func (t *step) processEnded(w ProcessEnded) {
	p, seen := &t.s.Process, t.e.At
	switch {
	case seeksTruth(t.s):
		seen = p.EndedAt // it was gone by then, whenever the truth arrives
		if w.Exit.Unknown() && !w.FoundDead {
			t.ignore("still not known how it ended")
			return
		}
	case p.Phase == Lost && p.Exit.Unknown() && !w.Exit.Unknown():
		p.Exit = w.Exit // a late fact; the decision was a person's by then
		return
	case t.s.Ended():
		t.ignore("the end of this run is on record already")
		return
	}
	p.EndedAt, p.Exit, p.Stopped = seen, w.Exit, false
	if w.Exit != nil && !w.Exit.At.IsZero() {
		p.EndedAt = w.Exit.At
	}
	p.Phase, p.Seeking = Exited, false
	if w.Exit != nil {
		p.OutputLost += w.Exit.Unwritten
	}
	if w.Exit.Unknown() {
		p.Phase = Lost
	}
	t.do(ReleaseRun{Ref: t.s.Ref()})
	t.requeuePrompts()
	t.s.Sweep = Sweep{Reads: 1, FirstSeen: t.e.At}
	t.classify(w)
}

func (t *step) classify(w ProcessEnded) {
	switch t.s.Life.Intent {
	case IntentStop, IntentClose:
		t.endKilled()
		return
	case IntentRestart:
		t.startAfresh("started afresh, as a person asked")
		return
	case NoIntent:
	}
	if w.Exit.Unknown() && !w.FoundDead && t.s.Spec.Policy.ExitTruth > 0 {
		t.s.Process.Seeking = true
		t.s.Why = "the process is gone; how it ended is not known yet"
		t.do(SeekTruth{Ref: t.s.Ref()})
		return
	}
	done := t.s.Turn.DoneSeen && t.s.Spec.Kind != Job
	dead := w.FoundDead && !(done && w.Exit.Unknown()) // what is done survives a restart, and is never run again
	r := Classify(EndInfo{FoundDead: dead, Exit: w.Exit, RecentOutput: w.RecentOutput, HadDone: done})
	if t.s.Spec.Kind == Job && w.Exit.Clean() {
		r = Completed // and nothing else completes a job
	}
	t.s.Reason = r
	t.afterEnd(r, w)
}

// truthMissing: nobody could say how the process ended. What was done before
// that stays done; anything else is a person's to judge.
func (t *step) truthMissing() {
	t.s.Process.Seeking = false
	if t.s.Turn.DoneSeen && t.s.Spec.Kind != Job {
		t.s.Reason = Completed
		t.afterEnd(Completed, ProcessEnded{})
		return
	}
	t.attention(ExitUnknown, "the process is gone and nobody could say how it ended")
}

// endKilled is the end that was asked for: final.
func (t *step) endKilled() {
	t.s.Reason = Killed
	t.s.Turn.Open = false
	t.s.Process.Seeking = false
	closing := t.s.Life.Intent == IntentClose
	t.s.Life.Intent = NoIntent
	t.to(Dead, "stopped by a person")
	if closing {
		t.s.Life.Closed = &Closed{At: t.e.At, Reason: "closed by a person"}
	}
}

// afterEnd is the table of DESIGN 4.4.
func (t *step) afterEnd(r Reason, w ProcessEnded) {
	how := DescribeExit(w.Exit)
	task := t.s.Spec.Kind == Task
	switch {
	case r == Completed:
		t.s.Turn.Open = false
		t.to(Done, "complete, and the process has ended: "+how)
	case t.s.Spec.Kind == Job:
		t.attention(CrashedCause, "the job failed: "+how+lastWords(w.RecentOutput))
	case t.s.Resume.FailedRun == t.s.Process.Run:
		t.s.Why = "the agent of the failed attempt has ended: " + how
	case r == AuthFailed && t.s.Spec.Policy.AutoEscalate:
		t.attention(AuthFailedCause, "its output says that credentials were refused; "+how)
	case r == AuthFailed:
		t.to(Dead, "credentials were refused; "+how)
	case unproven(t.s):
		t.failedAttempt("the resumed agent ended: " + how)
	case t.startupFailed(r):
		t.attention(StartupFailed, "ended "+t.age()+", "+t.tooSoon()+": "+how+lastWords(w.RecentOutput))
	case r == UserExited && task && t.s.Turn.Open && t.s.Spec.Policy.AutoEscalate:
		t.attention(UserExitedTurn, "ended in the middle of the task: "+how)
	case r == UserExited:
		t.s.Turn.Open = false
		t.to(Dead, "ended by itself: "+how)
	default:
		t.scheduleResume(how, w.DirMissing)
	}
}

// maxWords bounds the last words of an agent in bytes.
const maxWords = 200

// lastWords is the last line an agent printed, to stand behind how it ended; ""
// when it printed none.
func lastWords(recent string) string {
	lines := strings.Split(recent, "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		l := strings.TrimSpace(strings.Map(func(r rune) rune {
			if !unicode.IsPrint(r) {
				return ' '
			}
			return r
		}, lines[i]))
		if !strings.ContainsFunc(l, unicode.IsLetter) {
			continue
		}
		if len(l) > maxWords {
			l = strings.ToValidUTF8(l[:maxWords], "") + "…"
		}
		return "; its last words: " + l
	}
	return ""
}

// startupFailed: any exit within 10 s of the launch, or before ever ready.
// A machine that went down says nothing about the agent's start.
func (t *step) startupFailed(r Reason) bool {
	p := t.s.Process
	if t.s.Spec.Policy.MinLifetime == 0 || r == EngineDeath {
		return false
	}
	return !p.WasReady || p.EndedAt.Sub(p.AgeFrom) < t.s.Spec.Policy.MinLifetime
}

func (t *step) tooSoon() string {
	if !t.s.Process.WasReady {
		return "before it was ready"
	}
	return "too soon to have been of use (min_lifetime " + t.s.Spec.Policy.MinLifetime.String() + ")"
}

func (t *step) age() string {
	if t.s.Process.AgeFrom.IsZero() {
		return "at once"
	}
	return max(t.s.Process.EndedAt.Sub(t.s.Process.AgeFrom), 0).Round(100*time.Millisecond).String() + " after its start"
}

// seeksTruth reports whether the end of the present run is still looked into.
func seeksTruth(s Session) bool {
	return s.Process.Phase == Lost && s.Process.Seeking && s.Life.Closed == nil
}

// DescribeExit is an exit in words. A status of 128+n is shown with the signal
// it probably stands for and stays a status.
func DescribeExit(e *Exit) string {
	var b strings.Builder
	switch {
	case e.Unknown():
		return "exit status unknown"
	case e.Signal != nil && *e.Signal != 0:
		b.WriteString("killed by " + SignalName(*e.Signal))
	case e.Code != nil:
		b.WriteString("exit status " + itoa(*e.Code))
		if n := e.ProbableSignal(); n != 0 {
			b.WriteString(" (probably " + SignalName(n) + ")")
		}
	default:
		b.WriteString("signal 0 reported")
	}
	if e.Unwritten > 0 {
		b.WriteString("; the disk was full: its last " + strconv.FormatInt(e.Unwritten, 10) + " bytes of output are lost")
	}
	if len(e.LeftBehind) > 0 {
		b.WriteString("; left behind:")
		for _, p := range e.LeftBehind {
			b.WriteString(" " + itoa(p))
		}
	}
	return b.String()
}
