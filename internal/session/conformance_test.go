package session

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// conformanceDir holds traces of the reference machine; TEND_CONFORMANCE names
// another folder.
func conformanceDir() string {
	if d := os.Getenv("TEND_CONFORMANCE"); d != "" {
		return d
	}
	return filepath.Join("testdata", "conformance")
}

// eachLine calls f for every JSON line of a gzipped file and reports how many
// there were.
func eachLine(t *testing.T, name string, f func(n int, line []byte)) {
	t.Helper()
	file, err := os.Open(filepath.Join(conformanceDir(), name))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	z, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		n++
		f(n, lines.Bytes())
	}
	if err := lines.Err(); err != nil || n == 0 {
		t.Fatalf("%s: %d lines, %v", name, n, err)
	}
	t.Logf("%s: %d lines checked", name, n)
}

type endInfo struct {
	FoundDead bool            `json:"foundDeadOnRestart"`
	Cancelled bool            `json:"cancelled"`
	ExitCode  *int            `json:"exitCode"`
	Signal    json.RawMessage `json:"signal"`
	Output    string          `json:"recentOutput"`
	HadDone   *bool           `json:"hadDone"`
}

func (i endInfo) exit(t *testing.T) *Exit {
	t.Helper()
	e := &Exit{Code: i.ExitCode, Signal: signalOf(t, i.Signal)}
	if e.Signal != nil && *e.Signal == 0 { // 0 means none in these calls
		e.Signal = nil
	}
	return e
}

// signalOf reads a signal given as a number or a name, nil when none was.
func signalOf(t *testing.T, raw json.RawMessage) *int {
	t.Helper()
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	n := 64 // a name we do not know is a signal all the same
	if json.Unmarshal(raw, &n) == nil {
		return &n
	}
	name := str(t, raw)
	for k, v := range signalNames {
		if v == name {
			n = k
		}
	}
	return &n
}

func TestConformanceFunctions(t *testing.T) {
	eachLine(t, "functions.jsonl.gz", func(n int, line []byte) {
		var v struct {
			Fn  string          `json:"fn"`
			In  json.RawMessage `json:"in"`
			Out json.RawMessage `json:"out"`
		}
		must(t, json.Unmarshal(line, &v))
		var got any
		switch v.Fn {
		case "looksLikeAuthFailure":
			got = LooksLikeAuthFailure(str(t, v.In))
		case "isResumeEligible":
			got = ResumeEligible(Reason(str(t, v.In)))
		case "toPersistedState":
			got = Coarse(State(str(t, v.In)))
		case "classifyTermination":
			var i endInfo
			must(t, json.Unmarshal(v.In, &i))
			got = Classify(EndInfo{
				FoundDead: i.FoundDead, Cancelled: i.Cancelled, Exit: i.exit(t),
				RecentOutput: i.Output, HadDone: i.HadDone != nil && *i.HadDone,
			})
		default:
			t.Fatalf("line %d: unknown function %s", n, v.Fn)
		}
		if b, _ := json.Marshal(got); string(b) != string(v.Out) {
			t.Errorf("line %d: %s(%s) = %s, want %s", n, v.Fn, v.In, b, v.Out)
		}
	})
}

func TestConformanceSweep(t *testing.T) {
	eachLine(t, "sweep.jsonl.gz", func(n int, line []byte) {
		var v struct {
			PaneExit *struct {
				Status *int            `json:"status"`
				Signal json.RawMessage `json:"signal"`
				At     int64           `json:"at"`
			} `json:"paneExit"`
			Reads     int   `json:"confirmingReads"`
			InFlight  bool  `json:"paneLifecycleInFlight"`
			Closing   bool  `json:"closing"`
			StartedAt int64 `json:"paneStartedAt"`
			Clean     bool  `json:"clean"`
			Close     bool  `json:"close"`
		}
		must(t, json.Unmarshal(line, &v))
		p := DefaultPolicy()
		c := Candidate{Reads: v.Reads, InFlight: v.InFlight, Closing: v.Closing, MinAge: p.SweepAge, MinReads: p.SweepReads}
		if v.PaneExit != nil {
			c.Exit = &Exit{Code: v.PaneExit.Status, Signal: signalOf(t, v.PaneExit.Signal)}
			c.ExitAt = time.UnixMilli(v.PaneExit.At)
		}
		if v.StartedAt != 0 {
			c.StartedAt = time.UnixMilli(v.StartedAt)
		}
		if c.CleanExit() != v.Clean || c.ShouldClose() != v.Close {
			t.Errorf("line %d: clean %v close %v for %s", n, c.CleanExit(), c.ShouldClose(), line)
		}
	})
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func str(t *testing.T, raw json.RawMessage) string {
	t.Helper()
	var s string
	must(t, json.Unmarshal(raw, &s))
	return s
}
