package session

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
	"time"
)

type coarse struct {
	State    State  `json:"state,omitempty"`
	Coarse   State  `json:"agentState,omitempty"`
	Reason   Reason `json:"terminationReason"`
	Attempts int    `json:"resumeAttempts"`
	At       string `json:"at,omitempty"`
}

type trace struct {
	ID      string `json:"id"`
	Options struct {
		Stall    int64 `json:"stallThresholdMs"`
		Max      *int  `json:"maxResumeAttempts"`
		Base     int64 `json:"resumeBackoffBaseMs"`
		Throttle int64 `json:"stateChangeThrottleMs"`
	} `json:"options"`
	Posture struct {
		Max *int `json:"maxResumeAttempts"`
	} `json:"posture"`
	Initial *coarse     `json:"initial"`
	Start   coarse      `json:"start"`
	Steps   []traceStep `json:"steps"`
}

type traceStep struct {
	Op       string          `json:"op"`
	MS       int64           `json:"ms"`
	Info     endInfo         `json:"info"`
	Success  bool            `json:"success"`
	Error    json.RawMessage `json:"error"`
	Returns  Reason          `json:"returns"`
	State    State           `json:"state"`
	Reason   Reason          `json:"terminationReason"`
	Attempts int             `json:"resumeAttempts"`
	Backoff  int64           `json:"nextResumeBackoffMs"`
	Stored   []coarse        `json:"stored"`
	Emitted  []coarse        `json:"emitted"`
}

func TestConformanceTraces(t *testing.T) {
	eachLine(t, "traces.jsonl.gz", func(_ int, line []byte) {
		var tr trace
		must(t, json.Unmarshal(line, &tr))
		r := newReplay(t, tr)
		for i, st := range tr.Steps {
			r.stored, r.emitted = nil, nil
			before := r.s
			r.apply(st)
			r.compare(fmt.Sprintf("%s step %d (%s in %s)", tr.ID, i, st.Op, before.State), st, before)
		}
	})
}

// replay drives Apply with the calls of the reference machine.
type replay struct {
	t               *testing.T
	s               Session
	now             time.Time
	refused         bool
	last            coarse
	lastStored      coarse
	throttle        Throttle[coarse]
	stored, emitted []coarse
	// everything since the start of the trace
	gotStored, wantStored, gotEmitted, wantEmitted []coarse
}

func newReplay(t *testing.T, tr trace) *replay {
	now := time.UnixMilli(0).UTC()
	p := Policy{
		Stall: time.Duration(tr.Options.Stall) * time.Millisecond, ToolStall: time.Hour, MaxResumes: 2,
		BackoffBase: time.Second, Healthy: 1,
	}
	if tr.Options.Base != 0 {
		p.BackoffBase = time.Duration(tr.Options.Base) * time.Millisecond
	}
	for _, m := range []*int{tr.Posture.Max, tr.Options.Max} {
		if m != nil {
			p.MaxResumes = *m
		}
	}
	s := Session{
		ID: "conformance", State: tr.Start.State, Reason: tr.Start.Reason, Resume: Resume{Attempts: tr.Start.Attempts},
		Spec:    Spec{Agent: "reference", Kind: Task, Caps: Caps{Resume: true}, Policy: p},
		Process: Process{Phase: Running, Run: 1}, Native: []NativeID{{ID: "native"}},
		Life: Life{ArmedAt: now},
	}
	switch s.State {
	case Dead:
		s.Process.Phase = Exited
	case NeedsAttention:
		s.Process.Phase = Exited
		s.Attention = &Attention{Cause: ResumeExhausted}
	case Busy, WaitingOnInput:
		s.Turn.Open = true
	case Starting, Ready, Idle, Done, Resuming:
	}
	r := &replay{t: t, s: s, now: now, throttle: Throttle[coarse]{Window: time.Duration(tr.Options.Throttle) * time.Millisecond}}
	r.last, r.lastStored = r.coarse(), r.record()
	r.gotStored, r.wantStored = []coarse{r.lastStored}, []coarse{r.lastStored}
	return r
}

func (r *replay) coarse() coarse {
	return coarse{State: r.s.State, Reason: r.s.Reason, Attempts: r.s.Resume.Attempts}
}

func (r *replay) record() coarse {
	return coarse{Coarse: Coarse(r.s.State), Reason: r.s.Reason, Attempts: r.s.Resume.Attempts}
}

func (r *replay) event(w What) { r.eventAt(r.now, w) }

func (r *replay) eventAt(at time.Time, w What) {
	s, _, err := Apply(r.s, Event{At: at, Source: FromHook, What: w})
	if err != nil {
		r.refused = true
	}
	r.s = s
}

// note records what a subscriber and the store see of a finished call.
func (r *replay) note() {
	if c := r.record(); c != r.lastStored {
		r.stored, r.lastStored = append(r.stored, c), c
	}
	if c := r.coarse(); c != r.last {
		r.last = c
		c.At = r.now.Format("2006-01-02T15:04:05.000Z")
		if c, ok := r.throttle.Offer(r.now, c); ok {
			r.emitted = append(r.emitted, c)
		}
	}
}

func (r *replay) apply(st traceStep) {
	r.refused = false
	switch st.Op {
	case "advance":
		r.advance(time.Duration(st.MS) * time.Millisecond)
	case "signalOutputProgress":
		r.event(Progress{})
	case "escalateToNeedsAttention":
		r.event(Escalate{Cause: Stalled})
	case "injectPrompt":
		r.event(TurnStarted{})
	case "followUp":
		if r.refused = r.s.State != Done; !r.refused {
			r.event(TurnStarted{})
		}
	case "processEnded":
		r.end(st.Info)
	case "recordResumeResult":
		r.resumeResult(st.Success)
	case "markReady":
		r.event(ReadySeen{})
	case "signalBusy":
		r.event(BusySeen{})
	case "signalDone":
		r.event(DoneSeen{})
	case "signalIdle":
		r.event(QuietSeen{})
	case "signalWaitingOnInput":
		r.event(Asked{Kind: "question"})
	default:
		r.t.Fatalf("unknown call %s", st.Op)
	}
	r.note()
}

// advance moves the clock from one due time to the next.
func (r *replay) advance(d time.Duration) {
	end := r.now.Add(d)
	for {
		at, stall := end, false
		for _, dl := range Deadlines(r.s) {
			if dl.Kind == StallDeadline && !dl.At.After(at) {
				at, stall = dl.At, true
			}
		}
		if due, ok := r.throttle.Due(); ok && !due.After(at) && (!stall || due.Before(at)) {
			r.now = due
			if c, ok := r.throttle.Flush(due); ok {
				r.emitted = append(r.emitted, c)
			}
			continue
		}
		r.now = at
		if !stall {
			return
		}
		r.event(DeadlinePassed{Kind: StallDeadline})
		r.note()
	}
}

func (r *replay) end(i endInfo) {
	if r.s.Ended() {
		r.event(ProcessEnded{})
		return
	}
	if i.HadDone != nil {
		r.s.Turn.DoneSeen = *i.HadDone
	}
	if i.Cancelled && !i.FoundDead {
		r.event(Stop{})
	}
	r.event(ProcessEnded{Exit: i.exit(r.t), FoundDead: i.FoundDead, RecentOutput: i.Output})
}

func (r *replay) resumeResult(success bool) {
	if r.s.State != Resuming {
		r.event(ResumeFailed{})
		return
	}
	if !success {
		r.event(ResumeFailed{})
		return
	}
	due := r.s.Resume.NextAt
	if due.Before(r.now) {
		due = r.now
	}
	r.eventAt(due.Add(1), DeadlinePassed{Kind: RelaunchDeadline})
	r.event(Launched{StartedAt: r.now})
	r.event(ResumeProven{Continuing: true})
	if r.s.Resume.Attempts > 0 {
		r.eventAt(r.now.Add(1), DeadlinePassed{Kind: HealthyDeadline})
	}
}

func (r *replay) compare(where string, st traceStep, before Session) {
	r.t.Helper()
	if r.s.State != st.State || r.s.Reason != st.Reason || r.s.Resume.Attempts != st.Attempts {
		r.t.Fatalf("%s: got %s %q attempts %d, want %s %q attempts %d", where,
			r.s.State, r.s.Reason, r.s.Resume.Attempts, st.State, st.Reason, st.Attempts)
	}
	if st.Returns != "" && r.s.Reason != st.Returns {
		r.t.Fatalf("%s: classified %q, want %q", where, r.s.Reason, st.Returns)
	}
	if got := Backoff(r.s).Milliseconds(); got != st.Backoff {
		r.t.Fatalf("%s: backoff %d ms, want %d", where, got, st.Backoff)
	}
	if len(st.Error) > 0 && string(st.Error) != "null" {
		if !r.refused || !reflect.DeepEqual(before, r.s) {
			r.t.Fatalf("%s: refused there (%s), changed here", where, st.Error)
		}
	}
	r.gotStored, r.wantStored = append(r.gotStored, r.stored...), append(r.wantStored, st.Stored...)
	r.gotEmitted, r.wantEmitted = append(r.gotEmitted, r.emitted...), append(r.wantEmitted, st.Emitted...)
	sameButRepeats(r.t, where+": stored", r.gotStored, r.wantStored)
	sameButRepeats(r.t, where+": emitted", r.gotEmitted, r.wantEmitted)
}

// sameButRepeats compares what changed; a write or emission that repeats the one
// before it to the letter may be missing in ours.
func sameButRepeats(t *testing.T, where string, got, want []coarse) {
	t.Helper()
	strip := func(cs []coarse) (out []coarse) {
		for _, c := range cs {
			if n := len(out); n > 0 {
				prev := out[n-1]
				if prev.At = c.At; prev == c {
					continue
				}
			}
			out = append(out, c)
		}
		return out
	}
	if g, w := strip(got), strip(want); !reflect.DeepEqual(g, w) && len(g)+len(w) > 0 {
		t.Fatalf("%s: got %+v, want %+v", where, g, w)
	}
}
