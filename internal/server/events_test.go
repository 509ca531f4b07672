package server

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/tendhq/tend/api"
	"github.com/tendhq/tend/internal/session"
)

// collect reads events until it has n.
func collect(t *testing.T, c *api.Client, since int64, f api.EventFilter, n int) []int64 {
	t.Helper()
	var got []int64
	for e, err := range c.Events(t.Context(), since, f) {
		if err != nil {
			t.Errorf("after %d events: %v", len(got), err)
			break
		}
		if got = append(got, e.Seq); len(got) == n {
			break
		}
	}
	return got
}

func wantRange(t *testing.T, got []int64, from, to int64) {
	t.Helper()
	for i, seq := range got {
		if seq != from+int64(i) {
			t.Fatalf("event %d is %d, want %d", i, seq, from+int64(i))
		}
	}
	if int64(len(got)) != to-from+1 {
		t.Fatalf("got %d events, want %d to %d", len(got), from, to)
	}
}

func TestEventsFromTheBeginningAndOn(t *testing.T) {
	f := newFake()
	f.commit("01A", 2*journalPage+3)
	d := start(t, Config{Service: f})
	var got []int64
	for e, err := range d.client.Events(t.Context(), 0, api.EventFilter{}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, e.Seq)
		if e.Seq == 2*journalPage+3 {
			f.commit("01A", 4) // while the stream is open
		}
		if e.Seq == 2*journalPage+7 {
			break
		}
	}
	wantRange(t, got, 1, 2*journalPage+7)
}

func TestEventsWithoutFollowing(t *testing.T) {
	f := newFake()
	f.commit("01A", 7)
	d := start(t, Config{Service: f})
	wantRange(t, collect(t, d.client, 0, api.EventFilter{NoFollow: true}, -1), 1, 7)
	wantRange(t, collect(t, d.client, api.FromNow, api.EventFilter{NoFollow: true}, -1), 1, 7)
	wantRange(t, collect(t, d.client, 5, api.EventFilter{NoFollow: true}, -1), 6, 7)
	if got := collect(t, d.client, 7, api.EventFilter{NoFollow: true}, -1); len(got) != 0 {
		t.Errorf("after the newest there is %v", got)
	}
}

func TestEventsOfOneSession(t *testing.T) {
	f := newFake(full())
	f.commit("01FULL", 1)
	f.commit("01ELSE", 3*journalPage)
	f.commit("01FULL", 1)
	d := start(t, Config{Service: f})
	got := collect(t, d.client, 0, api.EventFilter{Session: "fix/it", NoFollow: true}, -1)
	if fmt.Sprint(got) != fmt.Sprint([]int64{1, 3*journalPage + 2}) {
		t.Errorf("got %v", got)
	}
	for _, err := range d.client.Events(t.Context(), 0, api.EventFilter{Session: "nobody"}) {
		if api.CodeOf(err) != api.CodeNotFound {
			t.Errorf("an unknown session: %v", err)
		}
	}
}

func TestEventsEndWithTheContext(t *testing.T) {
	f := newFake()
	f.commit("01A", 1)
	d := start(t, Config{Service: f})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for _, err := range d.client.Events(ctx, 0, api.EventFilter{}) {
		if err != nil {
			t.Errorf("got %v", err)
		}
		cancel()
	}
}

func TestEventsOfADaemonThatIsNotThere(t *testing.T) {
	n := 0
	for _, err := range api.NewClient(socketPath(t)).Events(t.Context(), 0, api.EventFilter{}) {
		if n++; !errors.Is(err, api.ErrUnreachable) {
			t.Errorf("got %v", err)
		}
	}
	if n != 1 {
		t.Errorf("%d errors", n)
	}
}

// A stream goes on across restarts of the daemon: nothing is missing, nothing
// comes twice, whatever was committed meanwhile.
func TestEventsGoOnAcrossRestarts(t *testing.T) {
	f := newFake()
	d := start(t, Config{Service: f})
	follower := api.NewClient(d.socket)
	defer follower.Close()
	seen := make(chan int64)
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	f.commit("01A", 1)
	wg.Go(func() {
		for e, err := range follower.Events(ctx, 0, api.EventFilter{}) {
			if err != nil {
				t.Errorf("got %v", err)
				return
			}
			seen <- e.Seq
		}
	})
	var got []int64
	got = append(got, <-seen)
	for range 3 {
		d.stop()
		f.commit("01A", 5) // while no daemon is there
		d = startAt(t, Config{Service: f}, d.socket)
		f.commit("01A", 5)
		for range 10 {
			got = append(got, <-seen)
		}
	}
	wantRange(t, got, 1, 31)
}

// A stream that was shown nothing yet is taken up where it began.
func TestEventsFromNowSurviveARestart(t *testing.T) {
	f := newFake()
	f.commit("01A", 10)
	d := start(t, Config{Service: f})
	r, closeStream := openStream(t, d, "/api/v1/events", "")
	defer closeStream()
	if got := readFrame(t, r); got != "id: 10\n" {
		t.Errorf("the first frame is %q", got)
	}
	r, closeAgain := openStream(t, d, "/api/v1/events?since=3", "8")
	defer closeAgain()
	for _, want := range []string{"id: 8\n", "id: 9\nevent: TurnStarted\n"} {
		if got := readFrame(t, r); !strings.HasPrefix(got, want) {
			t.Errorf("got frame %q, want %q", got, want)
		}
	}
}

// openStream opens a raw stream of events.
func openStream(t *testing.T, d *daemon, path, lastID string) (*bufio.Reader, func()) {
	t.Helper()
	c, err := net.Dial("unix", d.socket)
	if err != nil {
		t.Fatal(err)
	}
	header := ""
	if lastID != "" {
		header = "Last-Event-ID: " + lastID + "\r\n"
	}
	if _, err := fmt.Fprintf(c, "GET %s HTTP/1.0\r\nHost: tend\r\n%s\r\n", path, header); err != nil {
		t.Fatal(err)
	}
	r := bufio.NewReader(c)
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if line == "\r\n" {
			return r, func() { _ = c.Close() }
		}
	}
}

// readFrame reads lines up to an empty one.
func readFrame(t *testing.T, r *bufio.Reader) string {
	t.Helper()
	frame := ""
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			t.Fatalf("after %q: %v", frame, err)
		}
		if line == "\n" {
			return frame
		}
		frame += line
	}
}

// cutter is a listener whose connections break after a random number of bytes,
// in the middle of a frame too.
type cutter struct{ net.Listener }

func (c cutter) Accept() (net.Conn, error) {
	conn, err := c.Listener.Accept()
	return &cutConn{Conn: conn, left: 500 + rand.IntN(20_000)}, err
}

type cutConn struct {
	net.Conn
	left int
}

func (c *cutConn) Write(p []byte) (int, error) {
	if len(p) <= c.left {
		c.left -= len(p)
		return c.Conn.Write(p)
	}
	_, _ = c.Conn.Write(p[:c.left])
	_ = c.Conn.Close()
	return 0, io.ErrClosedPipe
}

// Connections that break anywhere lose nothing and repeat nothing, while
// entries are being committed.
func TestEventsSurviveBrokenConnections(t *testing.T) {
	f := newFake()
	path := socketPath(t)
	l, err := ListenUnix(path, quiet)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	wg.Go(func() {
		if err := Serve(ctx, cutter{l}, New(Config{Service: f, Log: quiet})); err != nil {
			t.Error(err)
		}
	})
	const total = 600
	f.commit("01A", 1)
	wg.Go(func() {
		for range total - 1 {
			f.commit("01A", 1)
		}
	})
	c := api.NewClient(path)
	defer c.Close()
	wantRange(t, collect(t, c, 0, api.EventFilter{}, total), 1, total)
}

// A subscriber that reads nothing delays nobody, and gets everything when it
// reads on.
func TestSlowSubscriberOnlyLags(t *testing.T) {
	f := newFake(full())
	d := start(t, Config{Service: f})
	slow, closeSlow := openStream(t, d, "/api/v1/events?since=0", "")
	defer closeSlow()
	const total = 12_000 // some 3 MB, far more than the socket holds
	f.commit("01FULL", total)
	wantRange(t, collect(t, d.client, 0, api.EventFilter{}, total), 1, total)
	if _, err := d.client.Stop(t.Context(), "01FULL"); err != nil {
		t.Errorf("a command meanwhile: %v", err)
	}
	if got := readFrame(t, slow); got != "id: 0\n" {
		t.Errorf("the first frame is %q", got)
	}
	for seq := 1; seq <= total; seq++ {
		if got, want := readFrame(t, slow), fmt.Sprintf("id: %d\n", seq); !strings.HasPrefix(got, want) {
			t.Fatalf("got frame %q, want %q", got, want)
		}
	}
}

func TestManySubscribersAllGetEverything(t *testing.T) {
	f := newFake()
	d := start(t, Config{Service: f})
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			var got []int64
			for e, err := range d.client.Events(t.Context(), 0, api.EventFilter{}) {
				if err != nil {
					t.Error(err)
					return
				}
				if got = append(got, e.Seq); e.Seq == 300 {
					break
				}
			}
			for i, seq := range got {
				if seq != int64(i+1) {
					t.Errorf("event %d is %d", i, seq)
					return
				}
			}
		})
	}
	for range 300 {
		f.commit("01A", 1)
	}
	wg.Wait()
}

// A store that fails in the middle of a stream cuts it: what is missing must
// not look like the end.
func TestStreamIsCutWhenTheJournalFails(t *testing.T) {
	f := newFake()
	f.commit("01A", 3)
	d := start(t, Config{Service: f})
	f.failWith(session.ErrStoreUnavailable)
	client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", d.socket)
	}}}
	defer client.CloseIdleConnections()
	res, err := client.Get("http://tend/api/v1/events?since=0&follow=false")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if body, err := io.ReadAll(res.Body); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("the stream ended with %v after %q", err, body)
	}
	f.failWith(nil)
	wantRange(t, collect(t, d.client, 0, api.EventFilter{NoFollow: true}, -1), 1, 3)
}
