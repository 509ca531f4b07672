package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"
)

// maxAnswer bounds what is read of one answer that is not a stream.
const maxAnswer = 256 << 20

// Client talks to the daemon on its Unix socket. Its methods may be called from
// any goroutine. They return *Error for an answer that is no success and an
// error that is ErrUnreachable when there was no answer; a context's own error
// passes as it is. Sessions are named by id, unique id prefix or name.
type Client struct {
	http *http.Client
	base string
}

// NewClient is a client of the daemon at a socket. It connects when first used.
func NewClient(socketPath string) *Client {
	var d net.Dialer
	return &Client{
		base: "http://tend" + Prefix,
		http: &http.Client{
			Transport: &http.Transport{
				DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
					return d.DialContext(ctx, "unix", socketPath)
				},
				DisableCompression: true,
			},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// Close lets go of idle connections. The client can still be used.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// call makes one request and reads the whole answer into out, if it is not nil.
func (c *Client) call(ctx context.Context, method, path string, in, out any) error {
	body, err := encode(in)
	if err != nil {
		return err
	}
	res, err := c.do(ctx, method, path, nil, body)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	data, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return unreachable(ctx, err)
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(data, out); err != nil {
		return fmt.Errorf("read the daemon's answer to %s %s: %w", method, path, err)
	}
	return nil
}

// do makes one request. The answer is a success; its body is open.
func (c *Client) do(ctx context.Context, method, path string, header http.Header, body io.Reader) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, body)
	if err != nil {
		return nil, fmt.Errorf("make request: %w", err)
	}
	for k, v := range header {
		req.Header[k] = v
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := c.http.Do(req)
	if err != nil {
		return nil, unreachable(ctx, err)
	}
	if res.StatusCode < 200 || res.StatusCode > 299 {
		defer res.Body.Close()
		return nil, readError(res)
	}
	return res, nil
}

// readError is the problem in an answer. An answer that holds none comes from
// something that is not tend.
func readError(res *http.Response) error {
	e := &Error{}
	data, err := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	if err == nil && json.Unmarshal(data, e) == nil && e.Code != "" {
		return e
	}
	return &Error{
		Type: "about:blank", Title: http.StatusText(res.StatusCode), Status: res.StatusCode, Code: CodeInternal,
		Message: "the socket answered " + res.Status + " and not as tend does",
	}
}

// unreachable keeps a context's own error and names everything else
// ErrUnreachable, cause included.
func unreachable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	return fmt.Errorf("%w: %w", ErrUnreachable, err)
}

func encode(in any) (io.Reader, error) {
	if in == nil {
		return nil, nil
	}
	data, err := json.Marshal(in)
	if err != nil {
		return nil, fmt.Errorf("encode request: %w", err)
	}
	return bytes.NewReader(data), nil
}

// sessionPath is the path of a session, for names with any bytes in them.
func sessionPath(id, rest string) (string, error) {
	if id == "" || !utf8.ValidString(id) {
		return "", usage("a session is named by its id, a unique start of it, or its name")
	}
	esc := url.PathEscape(id)
	if strings.Trim(esc, ".") == "" { // a path of dots would be cleaned away
		esc = strings.ReplaceAll(esc, ".", "%2E")
	}
	return "/sessions/" + esc + rest, nil
}

func usage(message string) *Error {
	return &Error{
		Type: "tend:error:" + string(CodeUsage), Title: http.StatusText(http.StatusUnprocessableEntity),
		Status: http.StatusUnprocessableEntity, Code: CodeUsage, Message: message,
	}
}
