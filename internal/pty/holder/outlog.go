package holder

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// SegmentSize is how large a piece of the log grows.
const SegmentSize = 8 << 20

// fullBuffer is how much output is kept in memory while the disk is full.
const fullBuffer = 1 << 20

const segmentName = "out-%020d.log"

// Log is a run's output: segments named by their first offset. One writer
// appends; readers open the files for themselves.
type Log struct {
	dir string
	cap int64

	mu      sync.Mutex
	changed *sync.Cond
	file    *os.File
	starts  []int64 // of the segments, oldest first
	end     int64   // durable end: what readers may ask for
	gaps    []Gap
	held    []byte // while the disk is full
	lost    int64  // bytes dropped since held was full
	broken  bool   // a gap precedes the next byte: it goes into a new segment
	full    error
	again   *time.Timer // while something is held: the next try
	leaving bool        // the holder is about to go
}

// Gap is output that is not there: dropped by the cap or, if Full, never written
// because the disk was full.
type Gap struct {
	From, To int64
	Full     bool `json:",omitempty"`
}

// Segments lists the first offsets of the segments in dir.
func Segments(dir string) ([]int64, error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	var out []int64
	for _, n := range names {
		s, ok := strings.CutPrefix(n, "out-")
		s, ok2 := strings.CutSuffix(s, ".log")
		if v, err := strconv.ParseInt(s, 10, 64); ok && ok2 && err == nil {
			out = append(out, v)
		}
	}
	slices.Sort(out)
	return out, nil
}

func segmentPath(dir string, start int64) string {
	return filepath.Join(dir, fmt.Sprintf(segmentName, start))
}

// ReadAt reads output of a run's folder at an absolute offset. Where there is
// nothing at offset, because the cap dropped it or a full disk lost it, it reads
// from first on, the next offset there is; n is 0 at the end.
func ReadAt(dir string, offset int64, p []byte) (n int, first, end int64, err error) {
	starts, err := Segments(dir)
	if err != nil || len(starts) == 0 {
		return 0, 0, 0, err
	}
	last, err := os.Stat(segmentPath(dir, starts[len(starts)-1]))
	if err != nil {
		return 0, 0, 0, err
	}
	first, end = starts[0], starts[len(starts)-1]+last.Size()
	offset = max(offset, first)
	i, found := slices.BinarySearch(starts, offset)
	if !found {
		i--
	}
	if n, err = readFile(segmentPath(dir, starts[i]), p, offset-starts[i]); n == 0 && err == nil && i+1 < len(starts) {
		i++ // a gap
		first = starts[i]
		n, err = readFile(segmentPath(dir, first), p, max(offset-first, 0))
	}
	if errors.Is(err, fs.ErrNotExist) && i == 0 && len(starts) > 1 {
		return ReadAt(dir, starts[1], p) // dropped between the look and the read
	}
	return n, first, end, err
}

// readFile reads at an offset; nothing and no error beyond the end.
func readFile(name string, p []byte, off int64) (int, error) {
	f, err := os.Open(name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	n, err := f.ReadAt(p, off)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return n, err
}
