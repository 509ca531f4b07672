package agent

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tendhq/tend/internal/session"
)

// piece is output at a time after the start.
type piece struct {
	after time.Duration
	data  string
}

// recording is a run with a bit of everything.
func recording() []piece {
	out := []piece{
		{0, "\x1b]0;Error: unauthorized\x07\x1b]133;A\x07user@host:~$ \x1b]133;B\x07"},
		{2 * sec, "agent\r\n\x1b]133;C\x07\x1b[?2004h\x1b]8;;https://example.org\x1b\\link\x1b]8;;\x1b\\ 漢字 👩‍💻"},
		{3 * sec, osc("idle") + "\x1b[?2026h\x1b[2J\x1b[H╭──╮\r\n│> │\r\n╰──╯\x1b[2;4H\x1b[?2026l"},
		{5 * sec, osc("working")},
	}
	for i := range 100 {
		at := 5*sec + time.Duration(i)*130*ms
		out = append(out, piece{at, fmt.Sprintf("\x1b[?2026h\x1b[5;1H%c Working… %ds\x1b[6;1Hstep %c\x1b[?2026l", []rune("⠋⠙⠹⠸")[i%4], i/8, 'a'+i/10)})
	}
	return append(out,
		piece{20 * sec, "Delete everything?\r\n1. Yes\r\n2. No" + "\x1b]7501;state=blocked:app=x:kind=permission\x07"},
		piece{22 * sec, osc("working") + osc("done") + osc("idle")},
		piece{30 * sec, "\x1b]133;D;0\x07\x1b]133;A\x07$ " + strings.Repeat("\x1b]0;x", 1000) + "\x07"},
		piece{31 * sec, "\x1b[?2026hnever closed"}, piece{35 * sec, "more"}, piece{36 * sec, "and more"},
		piece{40 * sec, strings.Repeat(osc("working")+osc("idle"), 40)},
	)
}

// play feeds a recording, cut by cut, and returns all evidence.
func play(t *testing.T, rec []piece, cut func(string) []string) string {
	st := newStory(t, session.Interactive)
	for _, p := range rec {
		st.wait(dawn.Add(p.after).Sub(st.now))
		for _, part := range cut(p.data) {
			st.prints(part)
		}
	}
	st.wait(time.Minute)
	return strings.Join(slices.Concat(st.lines, st.whys, st.w.Terminal().Plain(-1)), "\n")
}

// The same bytes at the same times are the same evidence, however cut (B99).
func TestCutsMakeNoDifference(t *testing.T) {
	rec := recording()
	want := play(t, rec, func(s string) []string { return []string{s} })
	if n := strings.Count(want, "Seen"); n < 8 {
		t.Errorf("the recording proves next to nothing:\n%s", want)
	}
	bytewise := func(s string) []string { return strings.Split(s, "") }
	raw := func(s string) (out []string) {
		for i := range len(s) {
			out = append(out, s[i:i+1])
		}
		return out
	}
	for name, cut := range map[string]func(string) []string{"characters": bytewise, "bytes": raw} {
		if got := play(t, rec, cut); got != want {
			t.Errorf("cut into %s:\n%s\n\nwhole:\n%s", name, got, want)
		}
	}
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 1))
		got := play(t, rec, func(s string) (out []string) {
			for len(s) > 0 {
				n := 1 + r.IntN(len(s))
				out, s = append(out, s[:n]), s[n:]
			}
			return out
		})
		if got != want {
			t.Fatalf("cut with seed %d:\n%s\n\nwhole:\n%s", seed, got, want)
		}
	}
}

// Whatever bytes and keys come, the watch neither fails nor asks for calls
// without end, and nothing it reads off a screen is called done.
func FuzzWatch(f *testing.F) {
	for _, p := range recording() {
		f.Add([]byte(p.data), uint16(100))
	}
	f.Fuzz(func(t *testing.T, data []byte, step uint16) {
		st := newStory(t, session.Task)
		for i := 0; len(data) > 0; i++ {
			n := min(1+int(data[0])%32, len(data))
			switch data[0] % 7 {
			case 0:
				st.types(data[0]%2 == 0)
			case 1:
				st.feed(session.Typed{By: session.FromSupervisor, Submitted: i%2 == 0})
			case 2:
				st.feed(session.Resized{Size: session.Size{Cols: n * 5, Rows: n}})
			}
			st.prints(string(data[:n])).wait(time.Duration(step) * ms)
			data = data[n:]
		}
		st.wait(time.Hour)
		st.w.Holds("text")
		if _, err := generic.NewWatch(st.s, session.Size{}, st.w.Checkpoint()); err != nil {
			t.Error(err)
		}
		for _, l := range st.lines {
			if strings.HasPrefix(l, "DoneSeen") && !strings.HasPrefix(l, "DoneSeen(title)") {
				t.Error(l)
			}
		}
	})
}

// flood is 400 lines of a test run.
func flood() []byte {
	var b strings.Builder
	for i := range 400 {
		fmt.Fprintf(&b, "\x1b[32mok\x1b[0m   github.com/example/pkg%d  0.%03ds [no tests]\r\n", i, i)
	}
	return []byte(b.String())
}

func BenchmarkFeed(b *testing.B) {
	w, chunk, at := newWatch(b, 80, 24, ""), flood(), dawn
	w.Know(session.Session{State: session.Busy})
	b.SetBytes(int64(len(chunk)))
	b.ReportAllocs()
	for b.Loop() {
		at = at.Add(time.Millisecond)
		w.Feed(at, session.Output{Data: chunk})
	}
}

// BenchmarkEmulator is what BenchmarkFeed would be without a watch.
func BenchmarkEmulator(b *testing.B) {
	w, chunk := newWatch(b, 80, 24, ""), flood()
	b.SetBytes(int64(len(chunk)))
	b.ReportAllocs()
	for b.Loop() {
		w.Terminal().Write(chunk)
	}
}
