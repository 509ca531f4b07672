package session

import "strconv"

func itoa(n int) string { return strconv.Itoa(n) }

// signalNames are the numbers that Linux on x86 and arm and macOS share, as in
// POSIX signal.h; others differ between systems and stay numbers.
var signalNames = map[int]string{
	1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 8: "SIGFPE",
	9: "SIGKILL", 11: "SIGSEGV", 13: "SIGPIPE", 14: "SIGALRM", 15: "SIGTERM",
}

// SignalName is a signal's name, or "signal N" where systems disagree.
func SignalName(n int) string {
	if s, ok := signalNames[n]; ok {
		return s
	}
	return "signal " + itoa(n)
}
