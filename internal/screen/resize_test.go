package screen

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tendhq/tend/internal/screen/sample"
)

func TestReflow(t *testing.T) {
	term := feed(10, 4, "one\r\nabcdefghijklmnopqrstuvwxyz\r\n> type")
	for _, step := range []struct {
		cols, rows int
		want       string
		col, row   int
	}{
		{20, 4, "one|abcdefghijklmnopqrst|uvwxyz|> type", 6, 3},
		{5, 4, "uvwxy|z|> typ|e", 1, 3},
		{5, 9, "one|abcde|fghij|klmno|pqrst|uvwxy|z|> typ|e", 1, 8},
		{40, 3, "one|abcdefghijklmnopqrstuvwxyz|> type", 6, 2},
		{40, 1, "> type", 6, 0},
		{40, 6, "one|abcdefghijklmnopqrstuvwxyz|> type", 6, 2},
	} {
		term.Resize(step.cols, step.rows)
		got := strings.TrimRight(strings.Join(term.Text(), "|"), "|")
		if c := term.Cursor(); got != step.want || c.Col != step.col || c.Row != step.row {
			t.Fatalf("at %dx%d: %q, cursor %d,%d; want %q, %d,%d", step.cols, step.rows, got, c.Col, c.Row, step.want, step.col, step.row)
		}
	}
}

func TestReflowWide(t *testing.T) {
	term := feed(6, 4, "世界世界世\x1b[41m \x1b[m")
	for _, cols := range []int{5, 3, 2, 4, 7, 30, 6} {
		term.Resize(cols, 4)
		if got := strings.Join(term.Plain(-1), "|"); got != "世界世界世" {
			t.Errorf("at %d columns: %q", cols, got)
		}
	}
}

func TestResizeAltScreen(t *testing.T) {
	term := feed(10, 4, "main text that wraps\x1b[?1049h\x1b[Htop\x1b[4;1Hbottom世世")
	term.Resize(9, 2)
	if got := strings.Join(term.Text(), "|"); got != "|bottom世" {
		t.Errorf("got %q", got)
	}
	term.Write([]byte("\x1b[?1049l"))
	if got := strings.Join(term.Plain(-1), "|"); got != "main text that wraps" {
		t.Errorf("the primary screen is %q", got)
	}
}

// Changing the size back and forth loses no text and moves no cursor off its
// character, whatever was printed.
func TestResizeKeepsText(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		var b strings.Builder
		for range rng.IntN(30) {
			b.WriteString([]string{"word ", "世界", "é", "👩‍👩‍👧", "\r\n", "\x1b[31m", "longer text here ", "\x1b[44m"}[rng.IntN(8)])
		}
		b.WriteString("!")
		term := feed(12, 5, b.String())
		want := term.Plain(-1)
		for range 6 {
			term.Resize(2+rng.IntN(40), 1+rng.IntN(12))
			if got := term.Plain(-1); !slices.Equal(got, want) {
				t.Fatalf("%q at %dx%d\n got %q\nwant %q", b.String(), term.cols, term.rows, got, want)
			}
			x, _ := term.before()
			if c := term.grid.rows[term.cur.row].cells[x]; c.ch != '!' {
				t.Fatalf("%q at %dx%d: the cursor is not behind the last character\n%s", b.String(), term.cols, term.rows, text(term))
			}
		}
	}
}

// Sizes change in the middle of anything; the snapshot stays exact.
func TestResizeRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 500 {
		term := New(2+rng.IntN(20), 1+rng.IntN(6), Options{})
		var script []string
		for range 4 {
			data := make([]byte, rng.IntN(12))
			for i := range data {
				data[i] = byte(rng.IntN(256))
			}
			term.Write(stream(data))
			cols, rows := 2+rng.IntN(20), 1+rng.IntN(6) // one column holds no wide character
			script = append(script, fmt.Sprintf("%q, %dx%d", stream(data), cols, rows))
			term.Resize(cols, rows)
			shot := New(cols, rows, Options{})
			shot.Write(term.Snapshot(-1))
			if a, b := dump(term, false), dump(shot, false); a != b {
				t.Fatalf("%s\n%s", strings.Join(script, "\n"), diff(a, b))
			}
			if a, b := term.Plain(-1), shot.Plain(-1); !slices.Equal(a, b) {
				t.Fatalf("%s\n%q\n%q", strings.Join(script, "\n"), a, b)
			}
		}
	}
}

func TestCheckpoint(t *testing.T) {
	for _, s := range sample.Streams {
		data := s.Make(100 << 10)
		term := New(80, 24, Options{})
		term.Write(data[:len(data)-1000])
		back, err := Restore(term.Checkpoint())
		if err != nil {
			t.Fatal(err)
		}
		term.Write(data[len(data)-1000:])
		back.Write(data[len(data)-1000:])
		if a, b := dump(term, true), dump(back, true); a != b {
			t.Errorf("%s: restored and gone on, it differs\n%s", s.Name, diff(a, b))
		}
		if back.history.limit != term.history.limit {
			t.Errorf("the history limit is %d", back.history.limit)
		}
	}
	good := feed(20, 3, "text").Checkpoint()
	for name, b := range map[string][]byte{"empty": nil, "short": good[:12], "cut": good[:len(good)-1],
		"flipped": append(append([]byte{}, good[:20]...), append([]byte{good[20] ^ 1}, good[21:]...)...),
		"version": append([]byte("tendscreen\x63"), good[11:]...)} {
		if _, err := Restore(b); !errors.Is(err, ErrCheckpoint) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
