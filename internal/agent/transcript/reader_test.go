package transcript

import (
	"bytes"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// said is a line of Claude's in which the user says something.
func said(text string) string {
	return fmt.Sprintf(`{"parentUuid":null,"type":"user","promptId":"p","timestamp":"2026-12-01T00:00:00.5Z","message":{"content":%q}}`, text)
}

// texts reads a whole record, a piece at a time.
func texts(r *Reader, record string) (out []string) {
	r.Write([]byte(record))
	r.End()
	for e := range r.Entries() {
		out = append(out, e.Text)
	}
	return out
}

func TestDamage(t *testing.T) {
	one, two, half := said("one"), said("two"), said("half")[:40]
	for _, c := range []struct {
		name   string
		record string
		want   []string
		stats  Stats
	}{
		{"whole", one + "\n" + two + "\n", []string{"one", "two"}, Stats{Lines: 2}},
		{"no last newline", one + "\n" + two, []string{"one", "two"}, Stats{Lines: 2}},
		{"torn at the end", one + "\n" + half, []string{"one"}, Stats{Lines: 1}},
		{"torn, then a newline", half + "\n" + two + "\n", []string{"two"}, Stats{Lines: 2, Invalid: 1}},
		{"torn, then gone on", half + two + "\n" + one + "\n", []string{"two", "one"}, Stats{Lines: 2, Invalid: 1}},
		{"NULs between", one + "\n" + strings.Repeat("\x00", 5000) + "\n" + two + "\n", []string{"one", "two"}, Stats{Lines: 2}},
		{"NULs before", strings.Repeat("\x00", 5000) + two + "\n", []string{"two"}, Stats{Lines: 1}},
		{"NULs in the middle", half + "\x00\x00" + two + "\n", []string{"two"}, Stats{Lines: 2, Invalid: 1}},
		{"CRLF and empty lines", one + "\r\n\r\n\n" + two + "\r\n", []string{"one", "two"}, Stats{Lines: 2}},
		{"not JSON", "hello\n[1]\n7\nnull\n" + two + "\n", []string{"two"}, Stats{Lines: 5, Invalid: 4}},
		{"of tomorrow", `{"type":"hologram"}` + "\n" + two + "\n", []string{"two"}, Stats{Lines: 2, Unknown: 1}},
		{"other types", `{"type":"user","promptId":7,"message":{"content":["x",{"type":"text","text":"y"}]}}` + "\n",
			[]string{"[]", "y"}, Stats{Lines: 1}},
		{"too long", said(strings.Repeat("a", MaxLine)) + "\n" + two + "\n", []string{"two"}, Stats{Lines: 2, Long: 1}},
		{"too long at the end", one + "\n" + strings.Repeat("a", 2*MaxLine), []string{"one"}, Stats{Lines: 1}},
		{"deep", strings.Repeat(`{"a":`, 20000) + "\n" + two + "\n", []string{"two"}, Stats{Lines: 2, Invalid: 1}},
	} {
		r := Claude()
		if got := texts(r, c.record); !slices.Equal(got, c.want) || r.Stats() != c.stats {
			t.Errorf("%s: got %q %+v, want %q %+v", c.name, got, r.Stats(), c.want, c.stats)
		}
	}
}

// TestInterrupts: what says so, and what only talks about it.
func TestInterrupts(t *testing.T) {
	for text, want := range map[string]Kind{
		"[Request interrupted by user]":                 Interrupt,
		"[Request interrupted by user for tool use]":    Interrupt,
		"why [Request interrupted by user]?":            Prompt,
		"<command-name>/exit</command-name>":            System,
		"<b>bold</b>":                                   Prompt,
		"<bash-input>ls</bash-input>":                   System,
		"<task-notification>\ndone</task-notification>": System,
	} {
		r := Claude()
		r.Write([]byte(said(text) + "\n"))
		for e := range r.Entries() {
			if e.Kind != want || want == Interrupt && e.Edge != Ends {
				t.Errorf("%q: %v, edge %d, want %v", text, e.Kind, e.Edge, want)
			}
		}
	}
}

func TestTextsAreRedactedAndBounded(t *testing.T) {
	secret := "ghp_" + "Ab3dEf6hIj9lMn2pQr5tUv8xYz1bCd4fGh7j"
	cuts := 0
	for n := MaxText - 60; n < MaxText+20; n++ {
		r := Claude()
		r.Write([]byte(said(strings.Repeat("é", n/2)+" "+secret+" and more") + "\n"))
		for e := range r.Entries() {
			if strings.Contains(e.Text, "ghp_") || len(e.Text) > MaxText || !utf8.ValidString(e.Text) {
				t.Fatalf("%d: %d bytes, valid %v, …%q", n, len(e.Text), utf8.ValidString(e.Text), e.Text[len(e.Text)-60:])
			}
			if e.Cut {
				cuts++
			}
		}
	}
	if cuts < 20 {
		t.Errorf("cut %d times", cuts)
	}
	r := Codex()
	r.Write([]byte(`{"type":"response_item","payload":{"type":"function_call","name":"sh","arguments":"{\"cmd\":\"curl --token ` + secret + `\"}"}}` + "\n"))
	for e := range r.Entries() {
		if want := `{"cmd":"curl --token [redacted: github-token]"}`; e.Text != want || e.Tool != "sh" {
			t.Errorf("%q %q", e.Tool, e.Text)
		}
	}
}

// TestCutsDoNotMatter: the recordings, whole and in pieces, damaged or not.
func TestCutsDoNotMatter(t *testing.T) {
	paths := recordings(t)
	rapid.Check(t, func(rt *rapid.T) {
		path := rapid.SampledFrom(paths).Draw(rt, "path")
		text := load(t, path)
		for range rapid.IntRange(0, 3).Draw(rt, "damages") {
			at := rapid.IntRange(0, len(text)).Draw(rt, "at")
			to := min(len(text), at+rapid.IntRange(0, 300).Draw(rt, "lost"))
			text = slices.Concat(text[:at], rapid.SampledFrom([][]byte{nil, {'\n'}, {0, 0}, {'"'}}).Draw(rt, "put"), text[to:])
		}
		whole, cut := readerFor(t, path), readerFor(t, path)
		whole.Write(text)
		want := story(whole)
		var got strings.Builder
		for rest := text; len(rest) > 0; {
			n := min(len(rest), rapid.IntRange(1, 2000).Draw(rt, "n"))
			cut.Write(rest[:n])
			rest = rest[n:]
		}
		if got.WriteString(story(cut)); got.String() != want {
			rt.Fatalf("%s:\n%s\nin pieces:\n%s", path, want, got.String())
		}
	})
}

// TestResume: at every line, another reader goes on as the first would have.
func TestResume(t *testing.T) {
	for _, path := range recordings(t) {
		text := load(t, path)
		all := readerFor(t, path)
		all.Write(text)
		want := slices.Collect(all.Entries())
		first := readerFor(t, path)
		var got []Entry
		for _, line := range bytes.SplitAfter(text, []byte("\n")) {
			first.Write(line)
			next := readerFor(t, path)
			next.Resume(first.Offset(), first.Turn())
			next.Write(text[first.Offset():])
			got = append(got, slices.Collect(first.Entries())...)
			if both := slices.Concat(got, slices.Collect(next.Entries())); !slices.EqualFunc(both, want, sameButTool) {
				t.Fatalf("%s: after %d bytes the rest differs", path, first.Offset())
			}
		}
	}
}

// sameButTool: the name of a call from before the resume is forgotten.
func sameButTool(a, b Entry) bool {
	if a.Kind == Result {
		a.Tool = b.Tool
	}
	return a == b
}

// TestMemoryIsFlat: 300 MB in one line, with or without end, cost what a
// MaxLine costs.
func TestMemoryIsFlat(t *testing.T) {
	chunk := bytes.Repeat([]byte("a"), 64<<10)
	zeros := make([]byte, 64<<10)
	r := Claude()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r.Write([]byte(`{"type":"user","message":{"content":"`))
	for range 300 << 20 / len(chunk) {
		r.Write(chunk)
	}
	for range 300 << 20 / len(zeros) {
		r.Write(zeros)
	}
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 8*MaxLine {
		t.Errorf("%d bytes allocated", got)
	}
	if got := texts(r, "\n"+said("next")+"\n"); !slices.Equal(got, []string{"next"}) {
		t.Errorf("then %q", got)
	}
	if s := r.Stats(); s.Long != 1 || s.Invalid != 0 {
		t.Errorf("%+v", s)
	}
	if want := int64(600<<20 + len(said("next")) + 39); r.Offset() != want {
		t.Errorf("offset %d, want %d", r.Offset(), want)
	}
}

func FuzzReader(f *testing.F) {
	for _, path := range recordings(f) {
		f.Add(load(f, path), uint16(100))
	}
	f.Add([]byte(said("x")+"\x00"+said("y")[:30]), uint16(1))
	f.Add([]byte(`{"type":"assistant","message":{"content":[{"type":"tool_use","input":"`+"\xff"+`"}]}}`+"\n"), uint16(9))
	f.Fuzz(func(t *testing.T, record []byte, size uint16) {
		for _, fresh := range agents {
			whole, cut := fresh(), fresh()
			whole.Write(record)
			for b := range slices.Chunk(record, int(size)+1) {
				cut.Write(b)
			}
			whole.End()
			cut.End()
			want, got := slices.Collect(whole.Entries()), slices.Collect(cut.Entries())
			if !slices.Equal(got, want) || whole.Stats() != cut.Stats() || whole.Offset() != cut.Offset() {
				t.Fatalf("%v\n%v", want, got)
			}
			for _, e := range got {
				if len(e.Text) > MaxText || !utf8.ValidString(e.Text) || e.Kind == 0 {
					t.Fatalf("%+v", e)
				}
			}
		}
	})
}

func BenchmarkReader(b *testing.B) {
	long := said(strings.Repeat("A paragraph of an answer, as long as they are. ", 2000)) + "\n"
	picture := said(strings.Repeat("iVBORw0KGgo", 200000)) + "\n"
	for _, c := range []struct {
		name   string
		make   func() *Reader
		record []byte
	}{
		{"claude", Claude, load(b, "testdata/claude-2.1.197/interrupts.jsonl")},
		{"codex", Codex, load(b, "testdata/codex-0.171.0/interrupts.jsonl")},
		{"long-texts", Claude, []byte(long)},
		{"over-MaxLine", Claude, []byte(picture)},
	} {
		b.Run(c.name, func(b *testing.B) {
			r := c.make()
			b.SetBytes(int64(len(c.record)))
			b.ReportAllocs()
			for b.Loop() {
				for p := range slices.Chunk(c.record, 32<<10) {
					r.Write(p)
					for range r.Entries() {
						continue
					}
				}
			}
		})
	}
}
