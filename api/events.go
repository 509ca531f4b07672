package api

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// FromNow starts a stream of events with what happens from now on.
const FromNow int64 = -1

// Heartbeat is how often a silent stream of events gives a sign of life.
const Heartbeat = 15 * time.Second

// How a broken stream is taken up again.
const (
	reconnectWait = 50 * time.Millisecond // doubles up to reconnectMax
	reconnectMax  = 2 * time.Second
	reconnectFor  = 30 * time.Second // then the daemon counts as gone
	silence       = 3 * Heartbeat    // a stream this silent is broken
)

// EventFilter narrows a stream of events.
type EventFilter struct {
	Session string // id, unique id prefix or name; "" = all
	// NoFollow ends the stream after the newest entry there is.
	NoFollow bool
}

// Events yields the journal's entries after sequence number since, oldest
// first, each exactly once, and then goes on with new ones as they are
// committed. A stream that breaks, by a restart of the daemon too, is taken up
// after the last entry yielded. The sequence ends when ctx is done (without an
// error), or with one error: an *Error, or ErrUnreachable when the daemon
// cannot be reached at the start or stays away for 30 s.
func (c *Client) Events(ctx context.Context, since int64, f EventFilter) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		s := &stream{client: c, filter: f, last: since, yield: yield}
		if err := s.run(ctx); err != nil && ctx.Err() == nil {
			yield(Entry{}, err)
		}
	}
}

// errStopped means that the consumer wants no more.
var errStopped = errors.New("stopped by the consumer")

// stream is one iteration over the events, across reconnects.
type stream struct {
	client    *Client
	filter    EventFilter
	last      int64 // the position: entries after it are still to come
	connected bool  // the present attempt got a stream
	yield     func(Entry, error) bool
}

func (s *stream) run(ctx context.Context) error {
	wait, lost := reconnectWait, time.Time{}
	for first := true; ; first = false {
		before := s.last
		s.connected = false
		err := s.once(ctx)
		switch {
		case err == nil || errors.Is(err, errStopped) || ctx.Err() != nil:
			return nil
		case !transient(err) || first && !s.connected:
			return err
		case s.connected:
			lost = time.Now()
		case time.Since(lost) > reconnectFor:
			return err
		}
		if s.last > before {
			wait = reconnectWait
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(wait):
		}
		wait = min(2*wait, reconnectMax)
	}
}

// transient reports whether the same request may work later.
func transient(err error) bool {
	var e *Error
	return errors.Is(err, ErrUnreachable) || errors.As(err, &e) && e.Status == http.StatusServiceUnavailable
}

// once reads one connection to its end. It returns nil only when everything
// that was asked for has been read.
func (s *stream) once(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	res, err := s.client.do(ctx, http.MethodGet, "/events?"+s.query(), http.Header{"Accept": {"text/event-stream"}}, nil)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	s.connected = true
	watchdog := time.AfterFunc(silence, cancel)
	defer watchdog.Stop()
	return s.read(bufio.NewReaderSize(res.Body, 64<<10), func() { watchdog.Reset(silence) })
}

func (s *stream) query() string {
	q := url.Values{}
	if s.last >= 0 {
		q.Set("since", strconv.FormatInt(s.last, 10))
	}
	if s.filter.Session != "" {
		q.Set("session", s.filter.Session)
	}
	if s.filter.NoFollow {
		q.Set("follow", "false")
	}
	return q.Encode()
}

// read takes the frames of an event stream (WHATWG HTML, 9.2.6). A frame
// without data only moves the position.
func (s *stream) read(r *bufio.Reader, alive func()) error {
	id, data := "", ""
	for {
		line, err := r.ReadString('\n')
		if errors.Is(err, io.EOF) && s.filter.NoFollow {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%w: %w", ErrUnreachable, err)
		}
		alive()
		line = strings.TrimRight(line, "\r\n")
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "":
			if err := s.dispatch(id, data); err != nil {
				return err
			}
			id, data = "", ""
		case field == "id":
			id = value
		case field == "data":
			data += value
		}
	}
}

func (s *stream) dispatch(id, data string) error {
	if data == "" {
		return s.moveTo(id)
	}
	var e Entry
	if err := json.Unmarshal([]byte(data), &e); err != nil {
		return fmt.Errorf("read event %s: %w", id, err)
	}
	if e.Seq <= s.last {
		return nil
	}
	s.last = e.Seq
	if !s.yield(e, nil) {
		return errStopped
	}
	return nil
}

func (s *stream) moveTo(id string) error {
	if id == "" {
		return nil
	}
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return fmt.Errorf("read event id: %w", err)
	}
	s.last = max(s.last, n)
	return nil
}
