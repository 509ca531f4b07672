package screen

import "encoding/binary"

// The packing of history blocks: LZ77 by bytes. A packed block is a list of:
// a byte with the number of literals in its high half and the length of a
// match less minMatch in its low one (15 meaning that more follows, in bytes
// of 255 and a last smaller one), the literals, and two bytes of distance
// unless the block ends there.
const (
	tableBits = 12
	tableSize = 1 << tableBits
	minMatch  = 4
)

func hash4(b []byte) uint32 {
	return binary.LittleEndian.Uint32(b) * 2654435761 >> (32 - tableBits)
}

// compress appends src packed; 64 KiB and more, which a single row may have,
// stay literals. table is scratch.
func compress(dst, src []byte, table *[tableSize]uint16) []byte {
	if len(src) > 1<<16-1 {
		return appendRun(dst, src, 0)
	}
	clear(table[:])
	done := 0
	for i := 1; i+minMatch <= len(src); {
		slot := &table[hash4(src[i:])]
		at := int(*slot)
		*slot = uint16(i)
		if at >= i || binary.LittleEndian.Uint32(src[at:]) != binary.LittleEndian.Uint32(src[i:]) {
			i += 1 + (i-done)>>6 // faster through what does not repeat
			continue
		}
		n := minMatch
		for i+n < len(src) && src[at+n] == src[i+n] {
			n++
		}
		dst = appendRun(dst, src[done:i], n-minMatch)
		dst = binary.LittleEndian.AppendUint16(dst, uint16(i-at))
		i += n
		done = i
	}
	return appendRun(dst, src[done:], 0)
}

func appendRun(dst, literals []byte, match int) []byte {
	dst = append(dst, byte(min(len(literals), 15)<<4|min(match, 15)))
	dst = appendLength(dst, len(literals))
	dst = append(dst, literals...)
	return appendLength(dst, match)
}

func appendLength(dst []byte, n int) []byte {
	if n < 15 {
		return dst
	}
	for n -= 15; n >= 255; n -= 255 {
		dst = append(dst, 255)
	}
	return append(dst, byte(n))
}

// decompress appends what compress was given. src is always our own.
func decompress(dst, src []byte) []byte {
	for i := 0; i < len(src); {
		token := src[i]
		i++
		n := int(token >> 4)
		n, i = readLength(src, n, i)
		dst = append(dst, src[i:i+n]...)
		if i += n; i+2 > len(src) {
			break
		}
		match := int(token & 15)
		match, i = readLength(src, match, i)
		at := len(dst) - int(binary.LittleEndian.Uint16(src[i:]))
		i += 2
		for range match + minMatch {
			dst = append(dst, dst[at])
			at++
		}
	}
	return dst
}

func readLength(src []byte, n, i int) (int, int) {
	if n < 15 {
		return n, i
	}
	for src[i] == 255 {
		n += 255
		i++
	}
	return n + int(src[i]), i + 1
}
