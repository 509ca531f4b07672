package holder

import (
	"errors"
	"os"
	"syscall"
	"time"
)

// reap collects every child; it returns when the agent has ended, and goes on
// in the background.
func (h *holder) reap() Exit {
	got := make(chan Exit, 1)
	go func() {
		for {
			var ws syscall.WaitStatus
			pid, err := syscall.Wait4(-1, &ws, syscall.WUNTRACED|wcontinued, nil)
			if errors.Is(err, syscall.EINTR) {
				continue
			}
			if err != nil {
				return
			}
			if pid == h.rec.Agent.PID {
				h.agentChanged(ws, got)
			}
			select {
			case h.reaped <- struct{}{}:
			default:
			}
		}
	}()
	return <-got
}

func (h *holder) agentChanged(ws syscall.WaitStatus, got chan<- Exit) {
	switch {
	case ws.Stopped():
		h.suspended(true)
	case ws.Continued():
		h.suspended(false)
	case ws.Exited():
		close(h.dead)
		c := ws.ExitStatus()
		got <- Exit{Version: Version, Code: &c, At: time.Now().UTC()}
	case ws.Signaled():
		close(h.dead)
		s := int(ws.Signal())
		got <- Exit{Version: Version, Signal: &s, At: time.Now().UTC()}
	}
}

func (h *holder) suspended(on bool) {
	h.mu.Lock()
	changed := h.stopped != on
	h.stopped = on
	h.mu.Unlock()
	if changed {
		h.tell(FSuspended, Flag{On: on})
	}
}

// ended writes the end down before anybody is told.
func (h *holder) ended(e Exit) {
	if !childless() {
		e.LeftBehind = descendants(os.Getpid())
	}
	e.Unwritten = h.log.flush()
	if err := writeReserved(h.dir, ExitFile, e); err != nil {
		go h.writeLater(e) // those who are connected are told all the same
	}
	h.mu.Lock()
	h.exit = &e
	h.mu.Unlock()
	h.log.wake()
}

func (h *holder) writeLater(e Exit) {
	for range time.NewTicker(time.Second).C {
		if WriteFile(h.dir, ExitFile, e) == nil {
			return
		}
	}
}
