package holder

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
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
	full    error
}

// Gap is output that was never written.
type Gap struct{ From, To int64 }

// Segments lists the first offsets of the segments in dir.
func Segments(dir string) ([]int64, error) {
	names, err := filepath.Glob(filepath.Join(dir, "out-*.log"))
	if err != nil {
		return nil, err
	}
	var out []int64
	for _, n := range names {
		s := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(n), "out-"), ".log")
		if v, err := strconv.ParseInt(s, 10, 64); err == nil {
			out = append(out, v)
		}
	}
	slices.Sort(out)
	return out, nil
}

func segmentPath(dir string, start int64) string {
	return filepath.Join(dir, fmt.Sprintf(segmentName, start))
}

// ReadAt reads output of a run's folder at an absolute offset. An offset before
// first reads from first on; n is 0 at the end.
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
	f, err := os.Open(segmentPath(dir, starts[i]))
	if err != nil {
		return 0, first, end, err
	}
	defer f.Close()
	n, err = f.ReadAt(p, offset-starts[i])
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return n, first, end, err
}
