package agent

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tendhq/tend/internal/session"
)

var update = flag.Bool("update", false, "rewrite what recordings yield: read the difference")

// TestRecordings replays what the hooks of real agents said, recorded per agent
// and version (testdata/AGENT-VERSION/SCENARIO.jsonl: "t" is milliseconds, "d" the
// payload), through the reader and the real machine. What each hook led to stands
// beside the recording.
func TestRecordings(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatal("no recordings", err)
	}
	for _, file := range files {
		name, version, _ := strings.Cut(filepath.Base(filepath.Dir(file)), "-")
		t.Run(name+"-"+version+"/"+strings.TrimSuffix(filepath.Base(file), ".jsonl"), func(t *testing.T) {
			a, err := ByName(name)
			if err != nil {
				t.Fatal(err)
			}
			got := replay(t, a, file)
			golden := strings.TrimSuffix(file, ".jsonl") + ".txt"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil || got != string(want) {
				t.Errorf("go test -run Recordings -update ./internal/agent, and read the difference (%v)\ngot:\n%s", err, got)
			}
		})
	}
}

func replay(t *testing.T, a *Agent, file string) string {
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	st := newStoryOf(t, a, session.Interactive)
	var out strings.Builder
	var first int64
	var end int64
	for line := range bytes.Lines(raw) {
		var l struct {
			T int64           `json:"t"`
			D json.RawMessage `json:"d"`
		}
		if err := json.Unmarshal(line, &l); err != nil {
			t.Fatal(err)
		}
		if first == 0 {
			first = l.T
		}
		st.now = dawn.Add(time.Duration(l.T-first) * time.Millisecond)
		end += int64(len(line))
		before := len(st.lines)
		st.feed(session.HookFired{Offset: end, At: st.now, Via: "hook", Payload: l.D})
		var p struct {
			Event string `json:"hook_event_name"`
			Type  string `json:"type"`
		}
		_ = json.Unmarshal(l.D, &p)
		fmt.Fprintf(&out, "%6.1fs %-20s", st.now.Sub(dawn).Seconds(), p.Event+p.Type)
		for _, e := range st.lines[before:] {
			fmt.Fprintf(&out, " %s", e)
		}
		out.WriteByte('\n')
		if st.s.Process.HooksTo != end && len(st.lines) > before {
			t.Errorf("the hook is not counted as taken: %d of %d", st.s.Process.HooksTo, end)
		}
	}
	s := st.s
	fmt.Fprintf(&out, "= %s", s.State)
	if s.Waiting != nil {
		fmt.Fprintf(&out, ", %s: %s", s.Waiting.Kind, s.Waiting.Text)
	}
	if s.Attention != nil {
		fmt.Fprintf(&out, ", %s: %s", s.Attention.Cause, s.Attention.Detail)
	}
	fmt.Fprintf(&out, ", turn %d, conversation %s\n", s.Turn.Number, s.NativeID())
	return out.String()
}
