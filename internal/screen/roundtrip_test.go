package screen

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
)

// sizes are small so that margins and wraps meet often.
var sizes = [][2]int{{10, 4}, {20, 5}, {7, 3}, {1, 1}, {2, 2}}

// diff is the first line that differs.
func diff(a, b string) string {
	as, bs := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(as), len(bs)) {
		if as[i] != bs[i] {
			return "- " + as[i] + "\n+ " + bs[i]
		}
	}
	return "lengths differ"
}

func checkSplits(t *testing.T, in []byte, cols, rows int) {
	t.Helper()
	var events, parts []Event
	whole := New(cols, rows, Options{OnEvent: func(e Event) { events = append(events, e) }})
	whole.Write(in)
	split := New(cols, rows, Options{OnEvent: func(e Event) { parts = append(parts, e) }})
	for i := range in {
		split.Write(in[i : i+1])
	}
	if a, b := dump(whole, true), dump(split, true); a != b {
		t.Fatalf("%q byte by byte differs\n%s", in, diff(a, b))
	}
	if a, b := show(events), show(parts); a != b {
		t.Fatalf("%q byte by byte has other events\n%s\n%s", in, a, b)
	}
}

// checkSnapshot takes a snapshot after cut bytes, feeds it to a terminal that
// is in a mess, and lets the rest of the stream follow.
func checkSnapshot(t *testing.T, in []byte, cut, cols, rows int) {
	t.Helper()
	whole := New(cols, rows, Options{})
	whole.Write(in[:cut])
	shot := whole.Snapshot(-1)
	fresh := New(cols, rows, Options{})
	fresh.Write(shot)
	if a, b := dump(whole, true), dump(fresh, true); a != b {
		t.Fatalf("after %q\nsnapshot %q\n%s", in[:cut], shot, diff(a, b))
	}
	messy := New(cols, rows, Options{})
	messy.Write([]byte("xyz\x1b[?1049h\x1b[?6h\x1b[2;3r\x1b[4h\x1b[41mjunk 世\x1b(0\x1b[?7l\x1b[?2026h\x1b[3g\x1b[>3u\x1b]8;;http://junk/\x07more\x1b7\x1b[20h\x1b]0;unfinished"))
	messy.Write(shot)
	if a, b := dump(whole, false), dump(messy, false); a != b {
		t.Fatalf("after %q\nsnapshot %q onto a mess\n%s", in[:cut], shot, diff(a, b))
	}
	whole.Write(in[cut:])
	fresh.Write(in[cut:])
	if a, b := dump(whole, true), dump(fresh, true); a != b {
		t.Fatalf("%q then %q: the rest of the stream ends elsewhere\n%s", in[:cut], in[cut:], diff(a, b))
	}
}

func checkFilter(t *testing.T, in []byte, cols, rows int) {
	t.Helper()
	out := NewFilter().Append(nil, in)
	if again := NewFilter().Append(nil, out); !bytes.Equal(out, again) {
		t.Fatalf("%q filters to %q, that to %q", in, out, again)
	}
	f := NewFilter()
	var split []byte
	for i := range in {
		split = f.Append(split, in[i:i+1])
	}
	if !bytes.Equal(out, split) {
		t.Fatalf("%q filters to %q, byte by byte to %q", in, out, split)
	}
	safe := New(cols, rows, Options{OnEvent: func(e Event) {
		switch e.(type) {
		case TitleChanged, ModeChanged, AltScreen:
		default:
			t.Fatalf("%q after the filter makes %T", in, e)
		}
	}})
	safe.Write(out)
	if p := safe.parser.pending(nil); len(p) > 0 {
		t.Fatalf("%q filters to something unfinished: %q", in, p)
	}
	raw := New(cols, rows, Options{})
	raw.Write(in)
	if len(raw.parser.pending(nil)) > 0 || changesMore(in) {
		return
	}
	raw.Write([]byte("\x1b\\")) // what was dropped last parts characters, too
	safe.Write([]byte("\x1b\\"))
	if a, b := dump(raw, true), dump(safe, true); a != b {
		t.Fatalf("%q filters to %q, which shows something else\n%s", in, out, diff(a, b))
	}
}

// changesMore says that a stream may hold what the filter writes otherwise on
// purpose: RIS, ED 3, links.
func changesMore(in []byte) bool {
	for _, s := range []string{"\x1bc", "3J", "]8;", "\u009d8;"} {
		if bytes.Contains(in, []byte(s)) {
			return true
		}
	}
	return false
}

func checkAll(t *testing.T, in []byte, cut, cols, rows int) {
	t.Helper()
	checkSplits(t, in, cols, rows)
	checkSnapshot(t, in, cut, cols, rows)
	checkFilter(t, in, cols, rows)
}

func TestRandomStreams(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		data := make([]byte, 1+rng.IntN(24))
		for i := range data {
			data[i] = byte(rng.IntN(256))
		}
		in := stream(data)
		size := sizes[rng.IntN(len(sizes))]
		checkAll(t, in, rng.IntN(len(in)+1), size[0], size[1])
	}
}

func FuzzStream(f *testing.F) {
	f.Add([]byte("abc"), uint16(2), uint8(0))
	f.Fuzz(func(t *testing.T, data []byte, cut uint16, size uint8) {
		if len(data) > 200 {
			return
		}
		in := stream(data)
		s := sizes[int(size)%len(sizes)]
		checkAll(t, in, int(cut)%(len(in)+1), s[0], s[1])
	})
}

func FuzzBytes(f *testing.F) {
	for i, in := range edges(f, 12, 4) {
		f.Add([]byte(in.data), uint16(i))
	}
	f.Fuzz(func(t *testing.T, in []byte, cut uint16) {
		if len(in) > 2000 {
			return
		}
		checkAll(t, in, int(cut)%(len(in)+1), 12, 4)
	})
}

// FuzzResize changes the size between two streams and takes a snapshot there.
func FuzzResize(f *testing.F) {
	f.Add([]byte("abc"), []byte("def"), uint8(7), uint8(3))
	f.Fuzz(func(t *testing.T, first, second []byte, cols, rows uint8) {
		term := New(20, 5, Options{})
		term.Write(stream(first[:min(len(first), 100)]))
		term.Resize(2+int(cols)%40, 1+int(rows)%10)
		shot := New(term.cols, term.rows, Options{})
		shot.Write(term.Snapshot(-1))
		rest := stream(second[:min(len(second), 100)])
		term.Write(rest)
		shot.Write(rest)
		if a, b := dump(term, false), dump(shot, false); a != b {
			t.Fatalf("%q, %dx%d, then %q\n%s", stream(first), term.cols, term.rows, rest, diff(a, b))
		}
	})
}
