package holder

import (
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/creack/pty"
)

// maxSide bounds a terminal's sides in cells.
const maxSide = 10000

// maxSizes bounds the sizes that are remembered for readers of old output; the
// file has them all.
const maxSizes = 4096

// valid reports a size that makes sense.
func (s Size) valid() bool {
	return s.Cols >= 1 && s.Rows >= 1 && s.Cols <= maxSide && s.Rows <= maxSide
}

// ask takes the size that a client asks for. While viewers are attached that
// have one, the terminal is as wide as the narrowest and as high as the lowest
// of them, so that each sees all of it.
func (h *holder) ask(c *conn, s Size) {
	if !s.valid() {
		return
	}
	if c.role != RoleViewer {
		h.sizing.Lock()
		defer h.sizing.Unlock()
		h.resize(s)
		return
	}
	h.mu.Lock()
	c.size = s
	h.mu.Unlock()
	h.fit()
}

// fit gives the terminal the size that suits all viewers; with none, it keeps
// the one that it has.
func (h *holder) fit() {
	h.sizing.Lock()
	defer h.sizing.Unlock()
	least := Size{Cols: maxSide, Rows: maxSide}
	sized := false
	h.mu.Lock()
	for c := range h.conns {
		if c.size.valid() {
			sized = true
			least.Cols, least.Rows = min(least.Cols, c.size.Cols), min(least.Rows, c.size.Rows)
		}
	}
	h.mu.Unlock()
	if sized && !h.over() {
		h.resize(least)
	}
}

// resize sets the terminal's size; sizing is held.
func (h *holder) resize(s Size) {
	h.mu.Lock()
	last := h.sizes[len(h.sizes)-1]
	h.mu.Unlock()
	if s.Cols == last.Cols && s.Rows == last.Rows {
		return
	}
	_ = pty.Setsize(h.master, &pty.Winsize{Cols: uint16(s.Cols), Rows: uint16(s.Rows)}) //nolint:gosec // just checked
	h.resized(s.Cols, s.Rows)
}

// resized records a size with the offset from which it is in force.
func (h *holder) resized(cols, rows int) {
	h.log.mu.Lock()
	s := Size{Offset: h.log.end, Cols: cols, Rows: rows}
	h.log.mu.Unlock()
	h.mu.Lock()
	h.sizes = append(h.sizes, s)
	if len(h.sizes) > maxSizes {
		h.sizes = append([]Size(nil), h.sizes[maxSizes/2:]...)
	}
	h.mu.Unlock()
	if f, err := os.OpenFile(filepath.Join(h.dir, SizesFile), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600); err == nil {
		if b, err := json.Marshal(s); err == nil {
			_, _ = f.Write(append(b, '\n'))
		}
		_ = f.Close()
	}
	h.tell(FResize, s)
}
