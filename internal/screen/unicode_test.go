package screen

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unicode/utf8"
)

// segments is text cut into grapheme clusters by joins.
func segments(text string) []string {
	var list []string
	start := 0
	for i, r := range text {
		if i > start && !joins([]byte(text[start:i]), r) {
			list = append(list, text[start:i])
			start = i
		}
	}
	return append(list, text[start:])
}

// Clusters are those of ICU, which Node carries: UAX #29 in Unicode 15.1 or
// later, so only old characters are drawn.
func TestClustersLikeICU(t *testing.T) {
	h := newHeadless(t)
	var pool []rune
	for _, r := range [][2]rune{{0x20, 0x7e}, {0xa0, 0x36f}, {0x600, 0x6ff}, {0x900, 0x97f}, {0x980, 0x9ff}, {0xa80, 0xaff}, {0xd00, 0xd4d}, {0xe00, 0xe4f},
		{0x1100, 0x11ff}, {0x200b, 0x200f}, {0x20d0, 0x20e3}, {0x2600, 0x26ff}, {0x3040, 0x30a0}, {0xac00, 0xac40}, {0xfe00, 0xfe0f},
		{0x1f1e6, 0x1f1ff}, {0x1f3f0, 0x1f3ff}, {0x1f466, 0x1f46f}, {0xe0020, 0xe007f}} {
		for c := r[0]; c <= r[1]; c++ {
			pool = append(pool, c)
		}
	}
	often := []rune{0x200d, 0xfe0f, 0x1f468, 0x1f3fb, 0x1f1e6, 0x94d, 0x915, 0x937, 0x301, 0x1100, 0x1161, 0x11a8, 0xac00, 0xac01, 0x600}
	rng := rand.New(rand.NewPCG(1, 1))
	for range 4000 {
		var text []byte
		for range 2 + rng.IntN(6) {
			r := pool[rng.IntN(len(pool))]
			if rng.IntN(2) == 0 {
				r = often[rng.IntN(len(often))]
			}
			text = utf8.AppendRune(text, r)
		}
		var want []string
		h.call(t, map[string]string{"text": string(text)}, &want)
		if got := segments(string(text)); !slices.Equal(got, want) {
			t.Fatalf("%+q: %+q, ICU %+q", text, got, want)
		}
	}
}

func TestWidthTable(t *testing.T) {
	for r, want := range map[rune]int{'a': 1, 'é': 1, 0x301: 0, 0x200d: 0, 0xfe0f: 0, 0x200b: 0, 0xad: 1, '世': 2, 0x3000: 2, 0xff21: 2, 0xff71: 1, 0xac00: 2,
		0x1100: 2, 0x1161: 1, '─': 1, '█': 1, '⠋': 1, '✳': 1, '…': 1, 0x231a: 2, 0x270d: 1, 0x1f600: 2, 0x1f1e6: 1, 0x1f3fb: 2, 0xe000: 1, 0x20000: 2, 0x10ffff: 1,
		0x600: 1, 0x903: 1, 0x2028: 0, 0xfeff: 0, 0x1faf0: 2} {
		if got := classOf(r).width(); got != want {
			t.Errorf("U+%04X is %d wide, want %d", r, got, want)
		}
	}
}
