package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/tendhq/tend/internal/session"
)

// The bounds of an agent's stream.
const (
	streamEvent = 1 << 20 // bytes of one event; a longer one is left out
	streamPage  = 1 << 20 // bytes of a page that is read first
	streamWait  = 5 * time.Second
)

// listen delivers an agent's server-sent events: first how things stand, then
// what happens. It talks to this machine alone, and follows no redirection.
func listen(ctx context.Context, s session.Stream, f func(event []byte)) error {
	client := &http.Client{
		Transport:     &http.Transport{ResponseHeaderTimeout: streamWait, DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	body, err := open(ctx, client, s.Events)
	if err != nil {
		return err
	}
	defer body.Close()
	for _, page := range s.First {
		b, err := readPage(ctx, client, page)
		if err != nil {
			return err
		}
		event, err := json.Marshal(map[string]any{"first": page, "body": json.RawMessage(b)})
		if err != nil {
			return fmt.Errorf("read %s: %w", page, err)
		}
		f(event)
	}
	return events(body, f)
}

func open(ctx context.Context, client *http.Client, url string) (io.ReadCloser, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	a, err := client.Do(r)
	if err != nil {
		return nil, err
	}
	if a.StatusCode != http.StatusOK {
		_ = a.Body.Close()
		return nil, fmt.Errorf("%s answered %s", url, a.Status)
	}
	return a.Body, nil
}

func readPage(ctx context.Context, client *http.Client, url string) ([]byte, error) {
	body, err := open(ctx, client, url)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	return io.ReadAll(io.LimitReader(body, streamPage))
}

// events reads the data lines of a stream until it ends.
func events(body io.Reader, f func([]byte)) error {
	lines := bufio.NewReaderSize(body, 64<<10)
	var line []byte
	for {
		part, more, err := lines.ReadLine()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		if len(line)+len(part) <= streamEvent {
			line = append(line, part...)
		}
		if more {
			continue
		}
		if data, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			f(bytes.Clone(bytes.TrimSpace(data)))
		}
		line = line[:0]
	}
}
