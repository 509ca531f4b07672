package screen

const (
	blockSize   = 16 << 10 // encoded lines are packed and dropped by blocks of this
	lineBudget  = 72       // packed bytes a line may take on average
	startOffset = 1<<15 - 1
	startWraps  = 1 << 15 // the line goes on in the next one
)

// history is the scrollback: encoded rows, oldest first. Besides the limit of
// lines a budget of bytes holds, so that memory is bounded whatever is
// printed: text that packs badly has a shorter history.
type history struct {
	limit  int
	blocks []*block           // all packed but the last
	lines  int                // in blocks, dropped ones included
	gone   int                // lines at the start of the first block that are over the limit
	pushed int                // rows ever pushed and not popped
	bytes  int                // packed
	cut    bool               // lines were dropped
	enc    []byte             // scratch
	buf    []byte             // scratch
	table  *[tableSize]uint16 // scratch
}

// block is some encoded rows, and for each where it begins and whether it
// wraps. size is the length of data before it was packed, 0 if it is not.
type block struct {
	data   []byte
	size   int
	starts []uint16
}

// len is how many rows there are.
func (h *history) len() int { return h.lines - h.gone }

// size guesses how many bytes show the last n rows, all if n is negative.
func (h *history) size(n int) int {
	total := 0
	for _, b := range h.blocks {
		total += max(b.size, len(b.data))
	}
	if n >= 0 && n < h.lines {
		total = total / h.lines * n
	}
	return total * 5 / 4
}

// push adds a copy of r as the newest row.
func (h *history) push(r *row, p *pens) {
	if h.limit == 0 {
		return
	}
	h.enc = p.encode(h.enc[:0], r)
	b := h.open(len(h.enc))
	start := uint16(len(b.data))
	if r.wrapped {
		start |= startWraps
	}
	b.starts = append(b.starts, start)
	b.data = append(b.data, h.enc...)
	h.lines++
	h.pushed++
	if h.len() > h.limit {
		h.gone++
		h.cut = true
	}
	for h.gone >= len(h.blocks[0].starts) || h.bytes > h.limit*lineBudget {
		if len(h.blocks) == 1 {
			break
		}
		h.drop()
	}
}

// open is the block for a row of n bytes.
func (h *history) open(n int) *block {
	last := len(h.blocks) - 1
	if last < 0 {
		h.blocks = append(h.blocks, &block{})
		return h.blocks[0]
	}
	b := h.blocks[last]
	if len(b.data)+n <= blockSize || len(b.data) == 0 {
		return b
	}
	next := &block{data: b.data[:0], starts: make([]uint16, 0, len(b.starts)+16)}
	h.pack(b)
	if cap(next.data) > 2*blockSize {
		next.data = nil
	}
	h.blocks = append(h.blocks, next)
	return next
}

func (h *history) pack(b *block) {
	if h.table == nil {
		h.table = new([tableSize]uint16)
	}
	h.buf = compress(h.buf[:0], b.data, h.table)
	b.size = len(b.data)
	b.data = append(make([]byte, 0, len(h.buf)), h.buf...)
	b.starts = append(make([]uint16, 0, len(b.starts)), b.starts...)
	h.bytes += len(b.data)
}

// drop forgets the oldest block.
func (h *history) drop() {
	b := h.blocks[0]
	h.cut = true
	h.lines -= len(b.starts)
	h.gone = max(h.gone-len(b.starts), 0)
	h.bytes -= b.packed()
	copy(h.blocks, h.blocks[1:])
	h.blocks[len(h.blocks)-1] = nil
	h.blocks = h.blocks[:len(h.blocks)-1]
}

func (b *block) packed() int {
	if b.size == 0 {
		return 0
	}
	return len(b.data)
}

// raw is the encoded rows of b.
func (b *block) raw() []byte {
	if b.size == 0 {
		return b.data
	}
	return decompress(make([]byte, 0, b.size), b.data)
}

// line is row i of b, whose raw bytes are given.
func (b *block) line(raw []byte, i int) []byte {
	end := len(raw)
	if i+1 < len(b.starts) {
		end = int(b.starts[i+1] & startOffset)
	}
	return raw[b.starts[i]&startOffset : end]
}

// walk calls f with the encoded rows from..to, 0 being the oldest.
func (h *history) walk(from, to int, f func(enc []byte)) {
	from, to = from+h.gone, to+h.gone
	for _, b := range h.blocks {
		n := len(b.starts)
		if from < n && to > 0 {
			raw := b.raw()
			for i := max(from, 0); i < min(to, n); i++ {
				f(b.line(raw, i))
			}
		}
		from, to = from-n, to-n
	}
}

// lineStart is the row at which the last n logical lines of the first end
// rows begin, the last of them perhaps not complete.
func (h *history) lineStart(end, n int) int {
	i := h.lines
	for j := len(h.blocks) - 1; j >= 0; j-- {
		for k := len(h.blocks[j].starts) - 1; k >= 0; k-- {
			i--
			switch {
			case i-h.gone >= end:
			case i < h.gone:
				return 0
			case h.blocks[j].starts[k]&startWraps != 0:
			case n == 0:
				return i - h.gone + 1
			default:
				n--
			}
		}
	}
	return 0
}

// newest is the block with the newest row, unpacked.
func (h *history) newest() *block {
	b := h.blocks[len(h.blocks)-1]
	if b.size > 0 {
		h.bytes -= len(b.data)
		b.data, b.size = b.raw(), 0
	}
	return b
}

// last is the newest row.
func (h *history) last() []byte {
	b := h.newest()
	return b.line(b.data, len(b.starts)-1)
}

// pop removes the newest row.
func (h *history) pop() {
	b := h.newest()
	last := len(b.starts) - 1
	b.data = b.data[:b.starts[last]&startOffset]
	b.starts = b.starts[:last]
	h.lines--
	h.pushed--
	if last == 0 {
		h.blocks[len(h.blocks)-1] = nil
		h.blocks = h.blocks[:len(h.blocks)-1]
	}
	if h.len() == 0 {
		h.clear()
	}
}

// wrapped says whether the newest row goes on in the first of the screen.
func (h *history) wrapped() bool {
	if h.len() == 0 {
		return false
	}
	b := h.blocks[len(h.blocks)-1]
	return b.starts[len(b.starts)-1]&startWraps != 0
}

// unwrap ends the logical line of the newest row.
func (h *history) unwrap() {
	if !h.wrapped() {
		return
	}
	enc := h.last()
	b := h.blocks[len(h.blocks)-1]
	b.starts[len(b.starts)-1] &^= startWraps
	enc[0] &^= rowWrapped
	if text, _ := rowText(enc); len(text) > 0 && text[len(text)-1] == markPad {
		text[len(text)-1] = ' '
	}
}

func (h *history) clear() {
	h.blocks, h.lines, h.gone, h.bytes, h.cut = nil, 0, 0, 0, false
}
