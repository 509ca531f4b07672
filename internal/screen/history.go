package screen

// blockSize is how many bytes of encoded lines are kept together. Whole
// blocks are dropped at the old end.
const blockSize = 16 << 10

// history is the scrollback: encoded rows, oldest first.
type history struct {
	limit  int
	blocks []*block
	lines  int // in blocks, dropped ones included
	gone   int // lines at the start of the first block that are over the limit
	pushed int // rows ever pushed and not popped
	buf    []byte
}

// block is some encoded rows and where each begins.
type block struct {
	data   []byte
	starts []uint32
}

// len is how many rows there are.
func (h *history) len() int { return h.lines - h.gone }

// push adds a copy of r as the newest row.
func (h *history) push(r *row, p *pens) {
	if h.limit == 0 {
		return
	}
	h.buf = p.encode(h.buf[:0], r)
	var b *block
	if n := len(h.blocks); n > 0 {
		b = h.blocks[n-1]
	}
	if b == nil || len(b.data) > 0 && len(b.data)+len(h.buf) > blockSize {
		if b != nil {
			b.seal()
		}
		b = &block{data: make([]byte, 0, max(blockSize/8, len(h.buf)))}
		h.blocks = append(h.blocks, b)
	}
	b.starts = append(b.starts, uint32(len(b.data)))
	b.data = append(b.data, h.buf...)
	h.lines++
	h.pushed++
	if h.len() > h.limit {
		h.gone++
		if first := h.blocks[0]; h.gone == len(first.starts) {
			h.drop()
		}
	}
}

func (h *history) drop() {
	h.lines -= len(h.blocks[0].starts)
	h.gone = 0
	copy(h.blocks, h.blocks[1:])
	h.blocks[len(h.blocks)-1] = nil
	h.blocks = h.blocks[:len(h.blocks)-1]
}

// seal gives back what the block has in reserve.
func (b *block) seal() {
	b.data = append(make([]byte, 0, len(b.data)), b.data...)
	b.starts = append(make([]uint32, 0, len(b.starts)), b.starts...)
}

func (b *block) line(i int) []byte {
	end := len(b.data)
	if i+1 < len(b.starts) {
		end = int(b.starts[i+1])
	}
	return b.data[b.starts[i]:end]
}

// at is the encoded row i, 0 the oldest. Walk reads many more cheaply.
func (h *history) at(i int) []byte {
	i += h.gone
	for _, b := range h.blocks {
		if i < len(b.starts) {
			return b.line(i)
		}
		i -= len(b.starts)
	}
	return nil
}

// walk calls f with the encoded rows from..to.
func (h *history) walk(from, to int, f func(enc []byte)) {
	from, to = from+h.gone, to+h.gone
	for _, b := range h.blocks {
		for i := max(from, 0); i < min(to, len(b.starts)); i++ {
			f(b.line(i))
		}
		from, to = from-len(b.starts), to-len(b.starts)
	}
}

// pop removes the newest row.
func (h *history) pop() {
	b := h.blocks[len(h.blocks)-1]
	last := len(b.starts) - 1
	b.data = b.data[:b.starts[last]]
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
	return h.len() > 0 && h.last()[0]&rowWrapped != 0
}

func (h *history) unwrap() {
	if !h.wrapped() {
		return
	}
	enc := h.last()
	enc[0] &^= rowWrapped
	if text, _ := rowText(enc); len(text) > 0 && text[len(text)-1] == markPad {
		text[len(text)-1] = ' '
	}
}

func (h *history) last() []byte {
	b := h.blocks[len(h.blocks)-1]
	return b.line(len(b.starts) - 1)
}

func (h *history) clear() {
	h.blocks, h.lines, h.gone = nil, 0, 0
}
