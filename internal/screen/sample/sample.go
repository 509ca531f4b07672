// Package sample makes streams in the manner of the programs an agent's
// terminal shows, for tests and benchmarks. They are made up, the same on
// every run, and hold no recording of anyone's work.
package sample

import (
	"bytes"
	"fmt"
	"math/rand/v2"
)

// Streams names what there is, in the order of the benchmark tables.
var Streams = []struct {
	Name string
	Make func(size int) []byte
}{{"ls", LS}, {"vim", Vim}, {"unicode", Unicode}, {"agent", Agent}}

// repeat calls step until size bytes are there.
func repeat(size int, step func(b *bytes.Buffer, rng *rand.Rand, i int)) []byte {
	var b bytes.Buffer
	rng := rand.New(rand.NewPCG(7, 11))
	for i := 0; b.Len() < size; i++ {
		step(&b, rng, i)
	}
	return b.Bytes()
}

var words = []string{"func", "return", "the", "session", "of", "error", "and", "build", "passes", "context", "in", "a",
	"internal/screen/parser.go", "is", "state", "test", "with", "value", "if", "nil"}

func sentence(b *bytes.Buffer, rng *rand.Rand, columns int) {
	for n := 0; ; {
		w := words[rng.IntN(len(words))]
		if n += len(w) + 1; n > columns {
			return
		}
		b.WriteString(w)
		b.WriteByte(' ')
	}
}

// LS is a long coloured listing that scrolls.
func LS(size int) []byte {
	return repeat(size, func(b *bytes.Buffer, rng *rand.Rand, i int) {
		color := []string{"0", "01;34", "01;32", "01;36"}[rng.IntN(4)]
		fmt.Fprintf(b, "-rw-r--r-- 1 dev dev %8d Dec %2d 10:%02d \x1b[0m\x1b[%sm%s_%d.go\x1b[0m\r\n",
			rng.IntN(9999999), 1+rng.IntN(28), rng.IntN(60), color, words[rng.IntN(len(words))], i)
	})
}

// Vim moves about a full screen: margins, line insertion, status line.
func Vim(size int) []byte {
	return repeat(size, func(b *bytes.Buffer, rng *rand.Rand, i int) {
		if i == 0 {
			b.WriteString("\x1b[?1049h\x1b[?1h\x1b=\x1b[H\x1b[2J")
		}
		fmt.Fprintf(b, "\x1b[?25l\x1b[1;23r\x1b[%d;1H\x1b[%dL\x1b[r", 1+rng.IntN(20), 1+rng.IntN(3))
		for range 6 {
			fmt.Fprintf(b, "\x1b[%d;1H\x1b[33m%4d \x1b[m\x1b[35m", 1+rng.IntN(22), rng.IntN(9999))
			sentence(b, rng, 20)
			b.WriteString("\x1b[m")
			sentence(b, rng, 40)
			b.WriteString("\x1b[K")
		}
		fmt.Fprintf(b, "\x1b[24;1H\x1b[7m parser.go [+] %d,%d \x1b[m\x1b[K\x1b[%d;%dH\x1b[?25h", i, i%80, 1+i%22, 1+i%70)
	})
}

// Unicode scrolls text of many scripts, emoji and marks.
func Unicode(size int) []byte {
	parts := []string{"日本語のテキスト ", "Привет мир ", "안녕하세요 ", "naïve café ", "नमस्ते ", "👩‍👩‍👧‍👦 ", "🇫🇷🇩🇪 ", "✍️ 1️⃣ ",
		"─────── ", "é́ ", "😀😃🏳️‍🌈 ", "plain words between "}
	return repeat(size, func(b *bytes.Buffer, rng *rand.Rand, _ int) {
		for range 5 {
			b.WriteString(parts[rng.IntN(len(parts))])
		}
		b.WriteString("\r\n")
	})
}

// Agent repaints a composer and a spinner inside synchronized updates, and
// lets an answer grow above them, as the agents' own interfaces do.
func Agent(size int) []byte {
	spin := []rune("·✢✳✶✻✽")
	return repeat(size, func(b *bytes.Buffer, rng *rand.Rand, i int) {
		b.WriteString("\x1b[?2026h\x1b[?25l\x1b[6A\r\x1b[J")
		if i%4 == 0 {
			b.WriteString("\x1b[38;2;215;119;87m●\x1b[39m ")
			sentence(b, rng, 70)
			b.WriteString("\r\n  \x1b[2m⎿  ")
			sentence(b, rng, 60)
			b.WriteString("\x1b[22m\r\n")
		}
		fmt.Fprintf(b, "\x1b[38;2;215;119;87m%c Thinking… \x1b[38;2;153;153;153m(%ds · ↓ %d tokens · esc to interrupt)\x1b[39m\r\n\r\n",
			spin[i%len(spin)], i/10, i*7)
		b.WriteString("\x1b[38;2;136;136;136m╭" + line + "╮\x1b[39m\r\n")
		fmt.Fprintf(b, "\x1b[38;2;136;136;136m│\x1b[39m > \x1b[7m \x1b[27m%72s \x1b[38;2;136;136;136m│\x1b[39m\r\n", "")
		b.WriteString("\x1b[38;2;136;136;136m╰" + line + "╯\x1b[39m\r\n")
		b.WriteString("  \x1b[2m? for shortcuts\x1b[22m\r\n\x1b[?25h\x1b[?2026l")
	})
}

const line = "────────────────────────────────────────────────────────────────────────────"
