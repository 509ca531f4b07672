package hosttest

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/tendhq/tend/internal/session"
)

// numbered is n lines that cannot be confused.
func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%09d\r\n", i)
	}
	return b.String()
}

const countScript = `i=0; while [ $i -lt 20000 ]; do printf '%09d\n' $i; i=$((i+1)); done`

func wholeBeforeExit(k *kit) {
	want := sha256.Sum256([]byte(numbered(20000)))
	for range 5 {
		ref := k.start(countScript)
		r := k.follow(ref, 0)
		k.exit(r)
		if got := sha256.Sum256(r.out.Bytes()); got != want {
			k.Fatalf("%d bytes of %d, or others", r.out.Len(), 20000*11)
		}
		if _, ok := r.events[len(r.events)-1].(session.ProcessExited); !ok {
			k.Fatalf("after the exit came %T", r.events[len(r.events)-1])
		}
		var recorded bytes.Buffer
		k.readAll(ref, &recorded)
		if !bytes.Equal(recorded.Bytes(), r.out.Bytes()) {
			k.Fatalf("recorded %d bytes, told %d", recorded.Len(), r.out.Len())
		}
	}
}

func (k *kit) readAll(ref session.RunRef, to io.Writer) {
	k.Helper()
	buf := make([]byte, 30_001)
	for off := int64(0); ; {
		n, first, end, err := k.ReadOutput(k.ctx, ref, off, buf)
		k.ok(err)
		if first != 0 {
			k.Fatalf("the first offset is %d", first)
		}
		_, err = to.Write(buf[:n])
		k.ok(err)
		if off += int64(n); off >= end {
			return
		}
	}
}

func manyReaders(k *kit) {
	ref := k.start(countScript + "; read x")
	hold := make(chan struct{})
	slow := make(chan int64, 1)
	go func() { // takes one event and then nothing for the whole test
		var seen int64
		_ = k.Follow(k.ctx, ref, 0, func(e session.TerminalEvent) error {
			if o, ok := e.(session.Output); ok && seen == 0 {
				<-hold
				seen = int64(len(o.Data))
			} else if ok {
				seen += int64(len(o.Data))
			}
			if seen >= 20000*11 {
				slow <- seen
			}
			return nil
		})
	}()
	var wg sync.WaitGroup
	want := numbered(20000)
	for range 5 {
		wg.Go(func() {
			r := k.follow(ref, 0)
			k.until(r, "everything", func(r *reading) bool { return r.out.Len() >= len(want) })
		})
	}
	wg.Wait()
	close(hold)
	select {
	case n := <-slow:
		if n != int64(len(want)) {
			k.Fatalf("the slow reader got %d bytes of %d", n, len(want))
		}
	case <-k.ctx.Done():
		k.Fatal("the slow reader was cut off")
	}
}

func fromAnOffset(k *kit) {
	ref := k.start("printf 0123456789; read x; printf abc; read x")
	k.sees(k.follow(ref, 0), "0123456789")
	r := k.follow(ref, 4)
	k.sees(r, "456789")
	k.ok(k.Write(k.ctx, ref, session.Input{By: session.FromPerson, Data: []byte("\r")}))
	k.sees(r, "abc")
	r.mu.Lock()
	defer r.mu.Unlock()
	if !strings.HasPrefix(r.out.String(), "456789") {
		k.Fatalf("%q", r.out.String())
	}
	at := int64(4)
	for i, e := range r.events {
		switch e := e.(type) {
		case session.Resized:
			if i > 1 && e.Offset > at {
				k.Errorf("a size of offset %d at %d", e.Offset, at)
			}
		case session.Output:
			if e.Offset != at {
				k.Errorf("output of offset %d at %d", e.Offset, at)
			}
			at += int64(len(e.Data))
		}
	}
}

func endedRun(k *kit) {
	ref := k.start("echo last words; exit 4")
	k.exit(k.follow(ref, 0))
	k.ok(k.Release(k.ctx, ref))
	r := k.follow(ref, 0)
	if x := k.exit(r); x.Code == nil || *x.Code != 4 || !strings.Contains(r.out.String(), "last words") {
		k.Fatalf("%s after %q", session.DescribeExit(&x), r.out.String())
	}
	s, err := k.Inspect(k.ctx, ref)
	k.ok(err)
	if s.Alive || s.Exit == nil || *s.Exit.Code != 4 {
		k.Fatalf("%+v", s)
	}
}

func inputs(k *kit) {
	ref := k.start("stty raw -echo; echo up; cat > typed")
	r := k.follow(ref, 0)
	k.sees(r, "up")
	ours := session.Input{By: session.FromSupervisor, Data: []byte("ours"), IfQuietFor: time.Hour, IfNoUnfinished: true}
	k.ok(k.Write(k.ctx, ref, ours))
	k.ok(k.Write(k.ctx, ref, session.Input{By: session.FromPerson, Data: []byte("half a li")}))
	k.refused(k.Write(k.ctx, ref, ours), "personTyping")
	ours.IfQuietFor = 0
	k.refused(k.Write(k.ctx, ref, ours), "unfinishedLine")
	settled := ours
	settled.FreeAt = time.Now().Add(-time.Hour)
	k.refused(k.Write(k.ctx, ref, settled), "unfinishedLine")
	settled.FreeAt = time.Now().Add(time.Millisecond) // what was typed has been taken since
	k.ok(k.Write(k.ctx, ref, settled))
	k.ok(k.Write(k.ctx, ref, session.Input{By: session.FromPerson, Data: []byte("half a li")}))
	k.refused(k.Write(k.ctx, ref, ours), "unfinishedLine")
	k.ok(k.Write(k.ctx, ref, session.Input{By: session.FromPerson, Data: []byte("ne\r")}))
	k.ok(k.Write(k.ctx, ref, ours))
	k.ok(k.Write(k.ctx, ref, session.Input{By: session.FromPerson, Data: []byte("\x1b[I\x1b[<0;1;1M\x1b[3;4R")}))
	k.ok(k.Write(k.ctx, ref, ours)) // a terminal's own reports are nobody's line
	k.until(r, "news of a submitted line", func(r *reading) bool {
		for _, e := range r.events {
			if t, ok := e.(session.Typed); ok && t.By == session.FromPerson && t.Submitted {
				return true
			}
		}
		return false
	})
}

func readOnly(k *kit) {
	l := k.script("echo up; read x")
	l.ReadOnly = true
	ref := k.startLaunch(l)
	k.sees(k.follow(ref, 0), "up")
	k.refused(k.Write(k.ctx, ref, session.Input{By: session.FromPerson, Data: []byte("x")}), "readOnly")
}

func sizes(k *kit) {
	ref := k.start(`trap 'echo now $(stty size)' WINCH; echo first $(stty size); while :; do sleep 0.1; done`)
	r := k.follow(ref, 0)
	k.sees(r, "first 24 80")
	k.ok(k.Resize(k.ctx, ref, session.Size{Cols: 132, Rows: 50}))
	k.sees(r, "now 50 132")
	r.mu.Lock()
	defer r.mu.Unlock()
	first, ok := r.events[0].(session.Resized)
	if !ok || first.Size != (session.Size{Cols: 80, Rows: 24}) {
		k.Fatalf("the first event is %#v", r.events[0])
	}
}

func closedTerminal(k *kit) {
	ref := k.start("echo up; exec <&- >&- 2>&-; sleep 1; echo $? > over")
	r := k.follow(ref, 0)
	k.sees(r, "up")
	s, err := k.Inspect(k.ctx, ref)
	k.ok(err)
	if !s.Alive {
		k.Fatalf("%+v", s)
	}
	if x := k.exit(r); x.Signal != nil {
		k.Fatalf("it was ended: %s", session.DescribeExit(&x))
	}
}

func screens(k *kit) {
	ref := k.start("exit 0")
	k.exit(k.follow(ref, 0))
	if off, b, err := k.LoadScreen(k.ctx, ref); off != 0 || b != nil || err != nil {
		k.Fatalf("%d %q %v", off, b, err)
	}
	k.ok(k.SaveScreen(k.ctx, ref, 7, []byte("old")))
	k.ok(k.SaveScreen(k.ctx, ref, 9, []byte("new")))
	if off, b, err := k.LoadScreen(k.ctx, ref); off != 9 || string(b) != "new" || err != nil {
		k.Fatalf("%d %q %v", off, b, err)
	}
}
