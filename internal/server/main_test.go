package server

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/tendhq/tend/api"
	"github.com/tendhq/tend/internal/session"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var quiet = slog.New(slog.DiscardHandler)

// daemon is a server on a real socket.
type daemon struct {
	socket string
	client *api.Client
	stop   func() // ends Serve and waits for it
}

func socketPath(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "tend")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return filepath.Join(dir, "s")
}

func start(t *testing.T, cfg Config) *daemon {
	t.Helper()
	return startAt(t, cfg, socketPath(t))
}

func startAt(t *testing.T, cfg Config, path string) *daemon {
	t.Helper()
	if cfg.Log == nil {
		cfg.Log = quiet
	}
	l, err := ListenUnix(path, cfg.Log)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- Serve(ctx, l, New(cfg)) }()
	d := &daemon{socket: path, client: api.NewClient(path)}
	stopped := false
	d.stop = func() {
		if stopped {
			return
		}
		stopped = true
		d.client.Close()
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Serve: %v", err)
		}
	}
	t.Cleanup(d.stop)
	return d
}

// answer is a raw HTTP answer.
type answer struct {
	status int
	header http.Header
	body   string
}

// raw makes a request that the client would not make.
func (d *daemon) raw(t *testing.T, method, path, contentType string, body io.Reader) answer {
	t.Helper()
	tr := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", d.socket)
	}}
	defer tr.CloseIdleConnections()
	req, err := http.NewRequestWithContext(t.Context(), method, "http://tend"+path, body)
	if err != nil {
		t.Fatal(err)
	}
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	res, err := tr.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{status: res.StatusCode, header: res.Header, body: string(data)}
}

func ptr[T any](v T) *T { return &v }

// full is a session in which every optional part is known.
func full() session.Session {
	return session.Session{
		ID: "01FULL", Node: "n", Name: "fix/it", Rev: 7, State: session.Idle, Why: "quiet", Reason: session.Crashed,
		Spec: session.Spec{
			Agent: "generic", Model: "m", Argv: []string{"a", "b"}, Cwd: "/tmp", Host: "pty", Kind: session.Task,
			Policy: session.DefaultPolicy(),
		},
		Process: session.Process{
			Phase: session.Exited, Run: 3, Proof: session.ProcessID{PID: 42}, StartedAt: t0, EndedAt: t0,
			Exit: &session.Exit{Code: ptr(137), Source: "holder", LeftBehind: []int{43}},
		},
		Turn:      session.Turn{Number: 2, Open: true, By: session.FromPerson},
		Waiting:   &session.Waiting{Kind: "question", Text: "which?", Since: t0},
		Attention: &session.Attention{Cause: session.Stalled, Detail: "d", Since: t0, Acknowledged: true},
		Resume:    session.Resume{Attempts: 1, NextAt: t0},
		Queue:     []session.Prompt{{ID: "p", Text: "go", State: session.PromptQueued, At: t0, Sanitised: true}},
		Native:    []session.NativeID{{ID: "nat"}},
		Life:      session.Life{CreatedAt: t0, UpdatedAt: t0, StateAt: t0, Kept: true},
	}
}

// bare is a session of which little is known.
func bare() session.Session {
	return session.Session{
		ID: "01BARE", Name: "b", State: session.Resuming, Spec: session.Spec{Agent: "generic", Host: "pty", Kind: session.Job, Cwd: "/"},
		Process: session.Process{Phase: session.Lost, Run: 1},
		Life:    session.Life{CreatedAt: t0, UpdatedAt: t0, StateAt: t0},
	}
}
