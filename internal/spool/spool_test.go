package spool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

var noon = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

func add(t testing.TB, dir, payload string) {
	t.Helper()
	if err := Append(dir, noon, "hook", []byte(payload)); err != nil {
		t.Fatal(err)
	}
}

// all reads to the end, as the daemon does.
func all(t testing.TB, dir string) (out []Entry) {
	t.Helper()
	for at := int64(0); ; {
		list, err := Read(dir, at)
		if err != nil {
			t.Fatal(err)
		}
		if len(list) == 0 {
			return out
		}
		out, at = append(out, list...), list[len(list)-1].End
	}
}

func TestAppendAndRead(t *testing.T) {
	dir := t.TempDir()
	if list := all(t, dir); len(list) != 0 {
		t.Fatalf("hooks of nobody: %v", list)
	}
	add(t, dir, `{"a": "é\n",   "b": [1, 2]}`)
	add(t, dir, "{\n  \"pretty\": true\n}")
	add(t, dir, "no JSON \x00 at all")
	add(t, dir, "")
	got := all(t, dir)
	if len(got) != 4 {
		t.Fatalf("%d lines", len(got))
	}
	for i, e := range got {
		if e.Torn || e.Seq != int64(i+1) || !e.At.Equal(noon) || e.Via != "hook" {
			t.Errorf("line %d: %+v", i, e)
		}
	}
	if got[0].Payload == nil || got[1].Payload == nil || got[2].Payload != nil || got[2].Raw == "" || got[3].Payload != nil {
		t.Errorf("payloads: %q %q %q", got[0].Payload, got[1].Payload, got[2].Raw)
	}
}

// A payload that is too long keeps the fields by which events are told apart.
func TestLongPayload(t *testing.T) {
	dir := t.TempDir()
	add(t, dir, fmt.Sprintf(`{"hook_event_name":"PostToolUse","session_id":"s","tool_response":%q}`, strings.Repeat("x", 2*MaxPayload)))
	add(t, dir, strings.Repeat("y", 2*MaxPayload))
	got := all(t, dir)
	var p map[string]string
	if err := json.Unmarshal(got[0].Payload, &p); err != nil || p["hook_event_name"] != "PostToolUse" || p["session_id"] != "s" || len(got[0].Dropped) != 1 {
		t.Errorf("%v, dropped %v, %v", p, got[0].Dropped, err)
	}
	if len(got) != 2 || len(got[1].Raw) != maxField {
		t.Errorf("%d lines, raw %d", len(got), len(got[1].Raw))
	}
}

// A writer that was killed in the middle of a line costs that line alone.
func TestTornLine(t *testing.T) {
	dir := t.TempDir()
	add(t, dir, `{"n":1}`)
	whole, err := os.ReadFile(filepath.Join(dir, File))
	if err != nil {
		t.Fatal(err)
	}
	for cut := 1; cut < len(whole)-1; cut++ {
		torn := append(bytes.Clone(whole), whole[:cut]...)
		if err := os.WriteFile(filepath.Join(dir, File), torn, 0o600); err != nil {
			t.Fatal(err)
		}
		if list := all(t, dir); len(list) != 1 {
			t.Fatalf("cut at %d: what has no end yet was read: %+v", cut, list)
		}
		add(t, dir, `{"n":2}`)
		got := all(t, dir)
		if len(got) != 3 || !got[1].Torn || string(got[2].Payload) != `{"n":2}` {
			t.Fatalf("cut at %d: %+v", cut, got)
		}
	}
}

func TestManyWriters(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for n := range 25 {
				if err := Append(dir, noon, "hook", fmt.Appendf(nil, `{"w":%d,"n":%d}`, w, n)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	got := all(t, dir)
	seen := map[string]bool{}
	for i, e := range got {
		if e.Torn || e.Seq != int64(i+1) || seen[string(e.Payload)] {
			t.Fatalf("line %d: %+v", i, e)
		}
		seen[string(e.Payload)] = true
	}
	if len(got) != 200 {
		t.Errorf("%d of 200 lines", len(got))
	}
}

// A hook that cannot be kept is nobody's trouble.
func TestHookNeverComplains(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := w.WriteString(`{"from":"stdin"}`); err != nil {
		t.Fatal(err)
	}
	_ = w.Close()
	Hook(r, "", nil)
	Hook(r, filepath.Join(t.TempDir(), "gone"), []string{`{}`})
	dir := t.TempDir()
	Hook(r, dir, []string{`{"from":"argument"}`})
	if got := all(t, dir); len(got) != 1 || got[0].Via != "notify" {
		t.Errorf("%+v", got)
	}
	if err := os.Chmod(filepath.Join(dir, File), 0o400); err != nil {
		t.Fatal(err)
	}
	Hook(r, dir, []string{`{}`})
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("{\"seq\":1,\"payload\":{}}\nnoise\n{"))
	f.Fuzz(func(t *testing.T, b []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, File), b, 0o600); err != nil {
			t.Fatal(err)
		}
		list := all(t, dir)
		if n := bytes.Count(b, []byte{'\n'}); len(list) != n {
			t.Fatalf("%d lines were read as %d", n, len(list))
		}
	})
}
