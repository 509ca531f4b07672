package main

import (
	"strings"
	"syscall"
	"testing"
)

// hostile prints, when told to, what drives or deceives a terminal.
const hostile = `echo ready; read l; printf '\033[?1049h\033[?1000h\033[?2004h\033[?25l\033]0;title\007\033[31mred\033[2;2H\342\200\256evil\033]52;c;aGk=\007END'; read l`

// TestFollowedOutputIsText: what comes while a log is followed is text, with
// colours where they are wanted; raw is raw, and all leave the terminal as it was.
func TestFollowedOutputIsText(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	for name, c := range map[string]struct {
		flags    []string
		env      string
		has, not string // in what comes, at the end
	}{
		"default": {nil, "NO_COLOR=", "\x1b[31mred\n\ufffdevilEND", "\x1b[?|\x1b]|\x1b[2;2H|\u202e"},
		"plain":   {[]string{"--plain"}, "NO_COLOR=", "red\n\ufffdevilEND", "\x1b|\u202e"},
		"raw":     {[]string{"--raw"}, "NO_COLOR=1", "\x1b]52;c;aGk=\aEND", ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := p
			p.T = t
			p.home.env = append(p.home.env[:len(p.home.env):len(p.home.env)], c.env)
			p.tend("run", "--name", name, "--", "sh", "-c", hostile)
			p.tend("wait", name, "--until", "ready,idle", "--timeout", "30s")
			w := p.open(append([]string{"logs", "-f", name}, c.flags...)...)
			w.sees("ready")
			p.tend("send", name, "go")
			w.sees("END")
			if err := w.cmd.Process.Signal(syscall.SIGINT); err != nil {
				t.Fatal(err)
			}
			w.left("")
			all := strings.ReplaceAll(w.raw.String(), "\r\n", "\n") // the terminal's own line ends
			if !strings.Contains(all, c.has) {
				t.Errorf("%q is not in %q", c.has, all)
			}
			for _, bad := range strings.Split(c.not, "|") {
				if bad != "" && strings.Contains(all, bad) {
					t.Errorf("%q came out: %q", bad, all)
				}
			}
			if err := w.cmd.Wait(); err != nil {
				t.Errorf("interrupted: %v", err)
			}
		})
	}
}
