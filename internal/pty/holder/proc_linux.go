package holder

import (
	"bytes"
	"errors"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// BootID names this boot of the machine.
func BootID() string {
	b, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return string(bytes.TrimSpace(b))
}

// stat is the part of /proc/PID/stat that is needed here.
type stat struct {
	state byte
	ppid  int
	sid   int
	start uint64
}

func readStat(pid int) (s stat, err error) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return s, err
	}
	// The name may hold anything, also ") ": fields begin after the last.
	i := bytes.LastIndexByte(b, ')')
	f := bytes.Fields(b[i+1:])
	if i < 0 || len(f) < 20 {
		return s, errors.New("unreadable stat")
	}
	s.state = f[0][0]
	s.ppid, _ = strconv.Atoi(string(f[1]))
	s.sid, _ = strconv.Atoi(string(f[3]))
	s.start, err = strconv.ParseUint(string(f[19]), 10, 64)
	return s, err
}

// StartOf is a process's start time in ticks after boot, 0 when it is gone or a
// zombie.
func StartOf(pid int) uint64 {
	s, err := readStat(pid)
	if err != nil || s.state == 'Z' || s.state == 'X' {
		return 0
	}
	return s.start
}

// procOf identifies a process, also one that has ended and was not reaped.
func procOf(pid int) Proc {
	s, err := readStat(pid)
	if err != nil {
		return Proc{PID: pid}
	}
	return Proc{PID: pid, Start: s.start}
}

// Alive reports whether this very process runs.
func (p Proc) Alive() bool { return p.PID > 0 && p.Start != 0 && StartOf(p.PID) == p.Start }

// processes lists the living processes of the machine by their parents.
func processes() map[int][]member {
	d, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer d.Close()
	names, _ := d.Readdirnames(-1)
	children := map[int][]member{}
	for _, n := range names {
		pid, err := strconv.Atoi(n)
		if err != nil {
			continue
		}
		if s, err := readStat(pid); err == nil && s.state != 'Z' && s.state != 'X' {
			children[s.ppid] = append(children[s.ppid], member{Proc{PID: pid, Start: s.start}, s.sid})
		}
	}
	return children
}

// signal reaches this very process or none.
func (p Proc) signal(sig int) {
	fd, err := unix.PidfdOpen(p.PID, 0)
	if err != nil {
		return
	}
	defer func() { _ = unix.Close(fd) }()
	if p.Alive() {
		_ = unix.PidfdSendSignal(fd, unix.Signal(sig), nil, 0)
	}
}

func becomeSubreaper() error { return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }
