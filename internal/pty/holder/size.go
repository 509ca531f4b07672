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

// resize sets the terminal's size; one that makes no sense changes nothing.
func (h *holder) resize(s Size) {
	if s.Cols < 1 || s.Rows < 1 || s.Cols > maxSide || s.Rows > maxSide {
		return
	}
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
