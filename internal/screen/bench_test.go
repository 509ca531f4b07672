package screen

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/tendhq/tend/internal/screen/sample"
)

var benchSizes = [][2]int{{80, 24}, {200, 50}}

func BenchmarkWrite(b *testing.B) {
	for _, s := range sample.Streams {
		for _, size := range benchSizes {
			b.Run(fmt.Sprintf("%s/%dx%d", s.Name, size[0], size[1]), func(b *testing.B) {
				data := s.Make(1 << 20)
				t := New(size[0], size[1], Options{})
				b.SetBytes(int64(len(data)))
				b.ReportAllocs()
				for b.Loop() {
					for p := data; len(p) > 0; {
						n := min(len(p), 32<<10)
						t.Write(p[:n])
						p = p[n:]
					}
				}
			})
		}
	}
}

// BenchmarkMemory reports the heap of one terminal whose history is full.
func BenchmarkMemory(b *testing.B) {
	for _, s := range sample.Streams {
		for _, size := range benchSizes {
			b.Run(fmt.Sprintf("%s/%dx%d", s.Name, size[0], size[1]), func(b *testing.B) {
				var heap uint64
				for b.Loop() {
					heap = heapOf(size[0], size[1], s.Make(2<<20))
				}
				b.ReportMetric(float64(heap)/1024, "KiB/terminal")
			})
		}
	}
}

// heapOf is the heap of one terminal that has read data.
func heapOf(cols, rows int, data []byte) uint64 {
	const copies = 4
	var before, after runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&before)
	terms := make([]*Terminal, copies)
	for i := range terms {
		terms[i] = New(cols, rows, Options{})
		terms[i].Write(data)
	}
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(terms)
	runtime.KeepAlive(data)
	return (after.HeapAlloc - before.HeapAlloc) / copies
}

func BenchmarkSnapshot(b *testing.B) {
	for _, s := range sample.Streams {
		b.Run(s.Name+"/200x50", func(b *testing.B) {
			t := New(200, 50, Options{})
			t.Write(s.Make(1 << 20))
			for b.Loop() {
				t.Snapshot(0)
			}
		})
	}
}

func BenchmarkFilter(b *testing.B) {
	for _, s := range sample.Streams {
		b.Run(s.Name, func(b *testing.B) {
			data := s.Make(1 << 20)
			f, dst := NewFilter(), make([]byte, 0, 2<<20)
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				dst = f.Append(dst[:0], data)
			}
		})
	}
}

func BenchmarkFolded(b *testing.B) {
	t := New(200, 50, Options{})
	t.Write(sample.LS(1 << 20))
	for b.Loop() {
		t.Folded()
	}
}

// BenchmarkSessions is one second of a hundred agents that print 20 kB each:
// the time is the share of a core they take.
func BenchmarkSessions(b *testing.B) {
	const sessions, rate, write = 100, 20000, 1000
	data := sample.Agent(rate)[:rate]
	terms := make([]*Terminal, sessions)
	for i := range terms {
		terms[i] = New(80, 24, Options{})
	}
	for b.Loop() {
		for at := 0; at < rate; at += write {
			for _, t := range terms {
				t.Write(data[at : at+write])
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed())/float64(b.N)/1e9*100, "%core")
}

func BenchmarkCheckpoint(b *testing.B) {
	t := New(80, 24, Options{})
	t.Write(sample.LS(1 << 20))
	var size int
	for b.Loop() {
		size = len(t.Checkpoint())
	}
	b.ReportMetric(float64(size)/1024, "KiB")
}

func BenchmarkRestore(b *testing.B) {
	t := New(80, 24, Options{})
	t.Write(sample.LS(1 << 20))
	saved := t.Checkpoint()
	for b.Loop() {
		if _, err := Restore(saved); err != nil {
			b.Fatal(err)
		}
	}
}
