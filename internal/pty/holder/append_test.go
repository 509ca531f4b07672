package holder

import (
	"bytes"
	"os"
	"testing"
)

// What a full disk loses is known, as a gap once there is room again, or at the
// end.
func TestAFullDiskLeavesAGap(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("there is no /dev/full here")
	}
	defer full.Close()
	l, err := openLog(t.TempDir(), 0)
	if err != nil {
		t.Fatal(err)
	}
	l.append([]byte("before"))
	room := l.file
	l.file = full
	l.append(bytes.Repeat([]byte("x"), fullBuffer))
	l.append([]byte("lost"))
	if n := l.flush(); n != fullBuffer+4 {
		t.Errorf("%d bytes are not written", n)
	}
	l.mu.Lock()
	l.file = room
	l.mu.Unlock()
	if n := l.flush(); n != 0 {
		t.Errorf("%d bytes are not written", n)
	}
	l.append([]byte("after"))
	const from = 6 + fullBuffer
	if g := l.gapAt(from); g != (Gap{From: from, To: from + 4, Full: true}) {
		t.Errorf("%+v", g)
	}
	p := make([]byte, 5)
	if n, first, end, err := ReadAt(l.dir, from, p); n != 5 || string(p) != "after" || first != from+4 || end != from+9 || err != nil {
		t.Errorf("%q, first %d, end %d, %v", p[:n], first, end, err)
	}
}
