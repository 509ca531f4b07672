package spool

import (
	"io"
	"os"
	"time"
)

// The bounds of one hook: an agent waits for it.
const (
	readLimit = 16 << 20        // of a payload, in bytes; what is over is not read
	readWait  = 2 * time.Second // for the payload
)

// Hook is the hook command: it appends the payload, which is what can be read
// from in, or args if there are any, to the spool of the run in dir. It prints
// nothing and has no error: an agent must never suffer for us. Without a run, or
// with one that is gone, nothing happens.
func Hook(in *os.File, dir string, args []string) {
	via := "hook"
	var payload []byte
	if len(args) > 0 {
		via, payload = "notify", []byte(args[0])
	} else {
		payload = read(in)
	}
	if st, err := os.Stat(dir); dir == "" || err != nil || !st.IsDir() {
		return
	}
	_ = Append(dir, time.Now(), via, payload)
}

// read takes what comes on in, for at most readWait.
func read(in *os.File) []byte {
	got := make(chan []byte, 1)
	go func() {
		b, _ := io.ReadAll(io.LimitReader(in, readLimit)) // a broken pipe leaves what came
		got <- b
	}()
	t := time.NewTimer(readWait)
	defer t.Stop()
	select {
	case b := <-got:
		return b
	case <-t.C:
		return nil
	}
}
