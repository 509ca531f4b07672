package holder

import (
	"golang.org/x/sys/unix"
)

// zombie is SZOMB of sys/proc.h.
const zombie = 5

// BootID names this boot of the machine.
func BootID() string {
	s, _ := unix.Sysctl("kern.bootsessionuuid")
	return s
}

func info(pid int) *unix.KinfoProc {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(k.Proc.P_pid) != pid {
		return nil
	}
	return k
}

// started is a process's start time, in microseconds.
func started(k *unix.KinfoProc) uint64 {
	return uint64(k.Proc.P_starttime.Sec)*1e6 + uint64(k.Proc.P_starttime.Usec) //nolint:gosec // a time after 1970
}

// StartOf is a process's start time in microseconds, 0 when it is gone or a
// zombie.
func StartOf(pid int) uint64 {
	k := info(pid)
	if k == nil || k.Proc.P_stat == zombie {
		return 0
	}
	return started(k)
}

// procOf identifies a process, also one that has ended and was not reaped.
func procOf(pid int) Proc {
	k := info(pid)
	if k == nil {
		return Proc{PID: pid}
	}
	return Proc{PID: pid, Start: started(k)}
}

// Alive reports whether this very process runs.
func (p Proc) Alive() bool { return p.PID > 0 && p.Start != 0 && StartOf(p.PID) == p.Start }

// processes lists the living processes of the machine by their parents.
func processes() map[int][]member {
	all, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil
	}
	children := map[int][]member{}
	for i := range all {
		k := &all[i]
		if k.Proc.P_stat == zombie {
			continue
		}
		pid, parent := int(k.Proc.P_pid), int(k.Eproc.Ppid)
		sid, err := unix.Getsid(pid)
		if err != nil {
			sid = -1
		}
		children[parent] = append(children[parent], member{Proc{PID: pid, Start: started(k)}, sid})
	}
	return children
}

// signal reaches this very process or, as far as this system can tell, none.
func (p Proc) signal(sig int) {
	if p.Alive() {
		_ = unix.Kill(p.PID, unix.Signal(sig))
	}
}

// becomeSubreaper: this system has none. A descendant that has left the session
// and lost its parent is not found when the tree is ended.
func becomeSubreaper() error { return nil }
