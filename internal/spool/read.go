package spool

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// readSize bounds one read, in bytes. It holds several lines of the longest kind.
const readSize = 4 * MaxPayload

// Entry is a line with the offset after it.
type Entry struct {
	Line
	End int64
	// Torn is true for what is no line of ours: a writer was killed in it.
	Torn bool
}

// Read returns the whole lines from offset on, as many as fit into 1 MiB. What
// has no end yet is left for later. A run without hooks has no lines.
func Read(dir string, offset int64) ([]Entry, error) {
	f, err := os.Open(filepath.Join(dir, File))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	buf := make([]byte, max(min(st.Size()-offset, readSize), 0))
	n, err := f.ReadAt(buf, offset)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	var out []Entry
	for b := buf[:n]; ; {
		i := bytes.IndexByte(b, '\n')
		if i < 0 {
			if len(out) == 0 && n == readSize {
				return []Entry{{End: offset + int64(n), Torn: true}}, nil // no line is so long
			}
			return out, nil
		}
		offset += int64(i) + 1
		e := Entry{End: offset}
		e.Torn = json.Unmarshal(b[:i], &e.Line) != nil
		out = append(out, e)
		b = b[i+1:]
	}
}
