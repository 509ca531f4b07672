package server

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tendhq/tend/api"
)

// send writes a raw request to a fresh connection.
func (p *pipes) send(t *testing.T, text string) net.Conn {
	t.Helper()
	c, err := p.dial(t.Context(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestSilentStreamShowsSignsOfLife(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.commit("01A", 3)
		_, client, stop := servePipes(t, Config{Service: f})
		defer stop()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, "GET", "http://tend/api/v1/events", nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := client.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		r, begin := bufio.NewReader(res.Body), time.Now()
		for i := range 5 { // longer than any write deadline
			if got := readFrame(t, r); got != "id: 3\n" {
				t.Errorf("frame %d is %q", i, got)
			}
			if took := time.Since(begin); took != time.Duration(i)*api.Heartbeat {
				t.Errorf("frame %d came after %v", i, took)
			}
		}
	})
}

func TestSubscriberThatTakesNothingIsCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		p, _, stop := servePipes(t, Config{Service: f})
		defer stop()
		c := p.send(t, "GET /api/v1/events?since=0 HTTP/1.1\r\nHost: tend\r\n\r\n")
		begin := time.Now()
		f.commit("01A", 1000)
		<-time.After(writeTimeout + time.Second) // fake time: nobody waits
		_, err := io.Copy(io.Discard, c)
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("got %v", err)
		}
		if took := time.Since(begin); took != writeTimeout+time.Second {
			t.Errorf("it was cut after %v", took)
		}
	})
}

func TestSlowRequestsTimeOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(full())
		p, _, stop := servePipes(t, Config{Service: f})
		defer stop()
		begin := time.Now()
		c := p.send(t, "POST /api/v1/sessions/01FULL/send HTTP/1.1\r\nHost: tend\r\nContent-Type: application/json\r\nContent-Length: 12\r\n\r\n{\"text\"")
		answer, err := io.ReadAll(c)
		if err != nil || !strings.Contains(string(answer), " 408 ") || !strings.Contains(string(answer), `"code":"timeout"`) {
			t.Errorf("a slow body: %q, %v", answer, err)
		}
		if took := time.Since(begin); took < bodyTimeout || took > bodyTimeout+time.Second {
			t.Errorf("the body timed out after %v", took)
		}
		begin = time.Now()
		c = p.send(t, "POST /api/v1/sessions/01FULL/send HTTP/1.1\r\nHost:")
		if _, err := io.ReadAll(c); err != nil {
			t.Errorf("a slow header: %v", err)
		}
		if took := time.Since(begin); took < headerTimeout || took > headerTimeout+time.Second {
			t.Errorf("the header timed out after %v", took)
		}
		if len(f.commands) != 0 {
			t.Error("a half-sent request reached the service")
		}
	})
}

// Stopping lets an answer in progress finish and ends the streams.
func TestServeStopsGracefully(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(full())
		inside, release := make(chan struct{}), make(chan struct{})
		f.hook = func(context.Context) { close(inside); <-release }
		p, client, stop := servePipes(t, Config{Service: f})
		stream := p.send(t, "GET /api/v1/events HTTP/1.1\r\nHost: tend\r\n\r\n")
		ended := make(chan error, 1)
		go func() {
			_, err := io.Copy(io.Discard, stream)
			ended <- err
		}()
		answered := make(chan int, 1)
		go func() {
			req, _ := http.NewRequestWithContext(context.Background(), "POST", "http://tend/api/v1/sessions/01FULL/stop", nil)
			res, err := client.RoundTrip(req)
			if err != nil {
				t.Error(err)
				answered <- 0
				return
			}
			_ = res.Body.Close()
			answered <- res.StatusCode
		}()
		<-inside
		stopped := make(chan struct{})
		go func() { stop(); close(stopped) }()
		if err := <-ended; err != nil {
			t.Errorf("the stream ended with %v", err)
		}
		<-time.After(graceful / 2) // fake time
		close(release)
		if status := <-answered; status != 200 {
			t.Errorf("answered %d", status)
		}
		<-stopped
	})
}

// An answer that never comes does not keep the daemon from ending.
func TestServeStopsInTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(full())
		inside, release := make(chan struct{}), make(chan struct{})
		f.hook = func(context.Context) { close(inside); <-release }
		p, _, stop := servePipes(t, Config{Service: f})
		c := p.send(t, "POST /api/v1/sessions/01FULL/stop HTTP/1.1\r\nHost: tend\r\n\r\n")
		<-inside
		begin := time.Now()
		stop()
		if took := time.Since(begin); took != graceful {
			t.Errorf("it took %v", took)
		}
		close(release)
		_ = c.Close()
	})
}

// A command may take longer than a body or an answer may.
func TestSlowCommandsAreAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(full())
		f.hook = func(ctx context.Context) {
			select {
			case <-ctx.Done():
				t.Errorf("the request ended: %v", ctx.Err())
			case <-time.After(10 * writeTimeout):
			}
		}
		_, client, stop := servePipes(t, Config{Service: f})
		defer stop()
		for range 2 { // the second on the same connection
			req, err := http.NewRequestWithContext(t.Context(), "POST", "http://tend/api/v1/sessions/01FULL/send", strings.NewReader(`{"text":"x"}`))
			if err != nil {
				t.Fatal(err)
			}
			res, err := client.RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.Copy(io.Discard, res.Body); err != nil || res.StatusCode != 200 {
				t.Errorf("answered %d, %v", res.StatusCode, err)
			}
			_ = res.Body.Close()
			<-time.After(idleTimeout / 2)
		}
	})
}

// A stream that was to end with the newest entry does not look complete when
// the daemon ends first.
func TestStoppingCutsAStreamThatLags(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.commit("01A", 3*journalPage)
		p, _, stop := servePipes(t, Config{Service: f})
		c := p.send(t, "GET /api/v1/events?since=0&follow=false HTTP/1.1\r\nHost: tend\r\n\r\n")
		synctest.Wait() // the stream hangs in its first page
		stopped := make(chan struct{})
		go func() { stop(); close(stopped) }()
		synctest.Wait()
		data, err := io.ReadAll(c)
		if err != nil || !strings.Contains(string(data), "id: 1\n") || strings.HasSuffix(string(data), "0\r\n\r\n") {
			t.Errorf("%d bytes, ending in %q, %v", len(data), data[max(0, len(data)-20):], err)
		}
		<-stopped
	})
}
