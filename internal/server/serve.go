package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// graceful is how long answers in progress may take when the server stops.
const graceful = 5 * time.Second

// Serve answers requests on l until ctx is done. Then it takes no new ones,
// ends the event streams, lets answers in progress finish for a few seconds,
// and returns nil. It closes l. An error of the listener is returned.
func Serve(ctx context.Context, l net.Listener, h *Handler) error {
	srv := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(h.cfg.Log.Handler(), slog.LevelDebug),
	}
	failed := make(chan error, 1)
	go func() { defer close(failed); failed <- srv.Serve(l) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serve %s: %w", l.Addr(), err)
	case <-ctx.Done():
	}
	h.refuseCommands()
	h.endStreams()
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), graceful)
	defer cancel()
	err := srv.Shutdown(limit)
	if errors.Is(err, context.DeadlineExceeded) {
		err = srv.Close()
	}
	for range failed { // until it has left
	}
	if err != nil {
		return fmt.Errorf("stop serving %s: %w", l.Addr(), err)
	}
	return nil
}
