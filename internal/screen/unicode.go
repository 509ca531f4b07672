package screen

import (
	_ "embed"
	"unicode/utf8"
)

// unicodeTable is written by testdata/unicode/gen.mjs from Unicode 17.0.0,
// which also describes its layout.
//
//go:embed unicode.bin
var unicodeTable string

// The grapheme cluster break classes of UAX #29, table 2, with
// Extended_Pictographic as a class of its own. CR and LF never get here.
const (
	breakOther = iota
	breakControl
	breakExtend
	breakZWJ
	breakRegional
	breakPrepend
	breakSpacing
	breakL
	breakV
	breakT
	breakLV
	breakLVT
	breakPictographic
)

// The Indic_Conjunct_Break values of UAX #44, for rule GB9c.
const (
	conjunctNone = iota
	conjunctConsonant
	conjunctLinker
	conjunctExtend
)

const (
	variation16 = 0xfe0f // asks for emoji presentation
	tableStages = 0x110000 >> 7
)

// The parts of unicodeTable.
var (
	classList   = readClasses()
	classBlocks = unicodeTable[1+2*int(unicodeTable[0]):][:tableStages]
	classCells  = unicodeTable[1+2*int(unicodeTable[0])+tableStages:]
)

func readClasses() (list [256]class) {
	for i := range int(unicodeTable[0]) {
		list[i] = class{unicodeTable[1+2*i], unicodeTable[2+2*i]}
	}
	return list
}

// class is what the table knows about a code point.
type class struct{ brk, flags uint8 }

func classOf(r rune) class {
	if uint32(r) > utf8.MaxRune {
		return class{breakOther, 1}
	}
	return classList[classCells[int(classBlocks[r>>7])<<7+int(r&127)]]
}

// width is the number of cells of a character that stands alone.
func (c class) width() int { return int(c.flags & 3) }

func (c class) conjunct() int { return int(c.flags >> 2 & 3) }

// emoji says that VS16 after the character asks for two cells.
func (c class) emoji() bool { return c.flags&16 != 0 }

// plain says that the character starts a cluster whatever stands before it,
// a Prepend character aside.
func (c class) plain() bool {
	return c.brk == breakOther && c.flags&3 != 0 && c.conjunct() == conjunctNone
}

// joins says whether r continues the non-empty cluster, by the rules GB3 to
// GB999 of UAX #29.
func joins(cluster []byte, r rune) bool {
	last, size := utf8.DecodeLastRune(cluster)
	prev, next := classOf(last), classOf(r)
	switch {
	case prev.brk == breakControl || next.brk == breakControl:
		return false
	case next.brk == breakExtend || next.brk == breakZWJ || next.brk == breakSpacing:
		return true
	case prev.brk == breakPrepend || joinsHangul(prev.brk, next.brk):
		return true
	case next.conjunct() == conjunctConsonant:
		return linked(cluster)
	case prev.brk == breakZWJ && next.brk == breakPictographic:
		return pictographic(cluster[:len(cluster)-size])
	case prev.brk == breakRegional && next.brk == breakRegional:
		return oddRegional(cluster)
	}
	return false
}

// joinsHangul is GB6 to GB8.
func joinsHangul(prev, next uint8) bool {
	switch prev {
	case breakL:
		return next == breakL || next == breakV || next == breakLV || next == breakLVT
	case breakLV, breakV:
		return next == breakV || next == breakT
	case breakLVT, breakT:
		return next == breakT
	}
	return false
}

// linked is the left side of GB9c: a consonant, then extenders and linkers
// with at least one linker.
func linked(cluster []byte) bool {
	linker := false
	for len(cluster) > 0 {
		r, size := utf8.DecodeLastRune(cluster)
		cluster = cluster[:len(cluster)-size]
		switch classOf(r).conjunct() {
		case conjunctLinker:
			linker = true
		case conjunctExtend:
		case conjunctConsonant:
			return linker
		default:
			return false
		}
	}
	return false
}

// pictographic is the left side of GB11 before the joiner.
func pictographic(cluster []byte) bool {
	for len(cluster) > 0 {
		r, size := utf8.DecodeLastRune(cluster)
		cluster = cluster[:len(cluster)-size]
		switch classOf(r).brk {
		case breakExtend:
		case breakPictographic:
			return true
		default:
			return false
		}
	}
	return false
}

// oddRegional is GB12 and GB13: flags are pairs.
func oddRegional(cluster []byte) bool {
	odd := false
	for len(cluster) > 0 {
		r, size := utf8.DecodeLastRune(cluster)
		if classOf(r).brk != breakRegional {
			break
		}
		odd = !odd
		cluster = cluster[:len(cluster)-size]
	}
	return odd
}

// clusterWidth is the width of a cluster that was w cells wide before r was
// added: that of its widest part, and two for a flag or for an emoji that
// VS16 asked for. VS15 does not make an emoji narrow; few terminals do.
func clusterWidth(cluster []byte, w int, r rune) int {
	c := classOf(r)
	if r == variation16 {
		last, _ := utf8.DecodeLastRune(cluster)
		if classOf(last).emoji() {
			return 2
		}
		return w
	}
	if c.brk == breakRegional {
		return 2
	}
	return max(w, c.width())
}
