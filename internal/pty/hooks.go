package pty

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/tendhq/tend/internal/session"
	"github.com/tendhq/tend/internal/spool"
)

// hooksEvery is how soon hooks are looked for where the system does not tell.
const hooksEvery = 2 * time.Second

// ReadHooks returns hooks of a run after an offset of its spool.
func (h *Host) ReadHooks(_ context.Context, ref session.RunRef, offset int64) ([]session.HookFired, error) {
	list, err := spool.Read(h.Dir(ref), offset)
	out := make([]session.HookFired, 0, len(list))
	for _, e := range list {
		out = append(out, session.HookFired{Offset: e.End, At: e.At, Via: e.Via, Payload: e.Payload, Torn: e.Torn})
	}
	return out, err
}

// ListenHooks tells when a run's spool may have grown.
func (h *Host) ListenHooks(ref session.RunRef) (news <-chan struct{}, leave func()) {
	ring, leave, err := h.bell.Listen(h.Dir(ref))
	if err != nil {
		return everySoOften(hooksEvery)
	}
	return ring, leave
}

func everySoOften(d time.Duration) (<-chan struct{}, func()) {
	out, end := make(chan struct{}, 1), make(chan struct{})
	go func() {
		t := time.NewTicker(d)
		defer t.Stop()
		for {
			select {
			case out <- struct{}{}:
			case <-end:
				return
			}
			select {
			case <-t.C:
			case <-end:
				return
			}
		}
	}()
	return out, func() { close(end) }
}

func each(list []string, f func(string) string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = f(s)
	}
	return out
}

// lastOfEach is env with the last value of each name, in the order of the first.
func lastOfEach(env []string) []string {
	at := map[string]int{}
	var out []string
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		if i, ok := at[name]; ok {
			out[i] = kv
			continue
		}
		at[name] = len(out)
		out = append(out, kv)
	}
	return slices.Clip(out)
}
