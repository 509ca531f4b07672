package server

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"sync"
	"time"

	"github.com/tendhq/tend/api"
	"github.com/tendhq/tend/internal/supervisor"
)

// Limits on what a client may send and how slowly.
const (
	maxBody       = 2 << 20
	headerTimeout = 5 * time.Second
	bodyTimeout   = 20 * time.Second
	writeTimeout  = 30 * time.Second // for one answer, or one write to a stream
	idleTimeout   = 2 * time.Minute
	maxHeader     = 64 << 10
)

// Config is what a Handler is built from.
type Config struct {
	Service supervisor.Service
	// Shutdown is called once, on its own goroutine, when a client asks the
	// daemon to end. From then on commands are answered with stopping.
	Shutdown func(stopAgents bool)
	Version  string
	// Doctor returns the daemon's findings about itself; nil = none.
	Doctor func(ctx context.Context) []api.Check
	Log    *slog.Logger // nil = slog.Default
}

// Handler answers the API's routes. It may serve any number of listeners.
type Handler struct {
	cfg      Config
	mux      *http.ServeMux
	document []byte // the OpenAPI document

	shutdown sync.Once
	drain    sync.Once
	draining chan struct{} // closed when commands are refused
	end      sync.Once
	ended    chan struct{} // closed when streams are to end
}

// New builds the handler of every route.
func New(cfg Config) *Handler {
	if cfg.Log == nil {
		cfg.Log = slog.Default()
	}
	h := &Handler{cfg: cfg, mux: http.NewServeMux(), draining: make(chan struct{}), ended: make(chan struct{})}
	h.register()
	return h
}

// ServeHTTP answers one request. A panic becomes a 500 problem and a line in
// the log that names the request and never its body.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	t := &tracked{ResponseWriter: w, conn: http.NewResponseController(w)}
	defer h.catch(t, r)
	t.Header().Set("X-Content-Type-Options", "nosniff")
	t.Header().Set("Cache-Control", "no-store")
	if r.Method == http.MethodPost && isClosed(h.draining) {
		writeProblem(t, stopping())
		return
	}
	h.mux.ServeHTTP(t, r)
}

// catch ends a request whose handler panicked.
func (h *Handler) catch(t *tracked, r *http.Request) {
	p := recover()
	var broken *net.OpError
	err, _ := p.(error)
	switch {
	case p == nil:
		return
	case errors.Is(err, http.ErrAbortHandler):
		panic(p)
	case r.Context().Err() != nil || errors.As(err, &broken):
		panic(http.ErrAbortHandler) // the client is gone, or takes its answer too slowly
	}
	h.cfg.Log.Error("panic while answering", "method", r.Method, "path", r.URL.Path, "panic", p, "stack", string(debug.Stack()))
	if t.started {
		panic(http.ErrAbortHandler) // a cut answer must not look whole
	}
	writeProblem(t, internal())
}

// refuseCommands answers every later command with stopping.
func (h *Handler) refuseCommands() { h.drain.Do(func() { close(h.draining) }) }

// endStreams ends the event streams.
func (h *Handler) endStreams() { h.end.Do(func() { close(h.ended) }) }

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// tracked knows whether an answer has begun, and gives it its time from then on:
// what a command takes is no fault of the client.
type tracked struct {
	http.ResponseWriter
	conn    *http.ResponseController
	started bool
}

func (t *tracked) begin() {
	if !t.started {
		t.started = true
		_ = t.conn.SetWriteDeadline(time.Now().Add(writeTimeout)) // only a recorder in a test has none
	}
}

func (t *tracked) WriteHeader(status int) {
	t.begin()
	t.ResponseWriter.WriteHeader(status)
}

func (t *tracked) Write(b []byte) (int, error) {
	t.begin()
	return t.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach the connection.
func (t *tracked) Unwrap() http.ResponseWriter { return t.ResponseWriter }
