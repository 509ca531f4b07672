package screen

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// paneEnv makes the test binary the program in tmux's pane.
const paneEnv = "TEND_SCREEN_PANE"

func TestMain(m *testing.M) {
	if dir := os.Getenv(paneEnv); dir != "" {
		if err := pane(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// pane prints each file named on the fifo "in", then asks the terminal for
// its status: once the answer is there tmux has read everything, and the fifo
// "out" says so.
func pane(dir string) error {
	if err := exec.Command("stty", "-F", "/dev/tty", "raw", "-echo").Run(); err != nil {
		return err
	}
	in, err := os.Open(filepath.Join(dir, "in"))
	if err != nil {
		return err
	}
	out, err := os.OpenFile(filepath.Join(dir, "out"), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	names := bufio.NewScanner(in)
	for names.Scan() {
		data, err := os.ReadFile(names.Text())
		if err != nil {
			return err
		}
		_, _ = os.Stdout.WriteString("\x18\x1b[?1049l\x1b[?47l\x1bc")
		_, _ = os.Stdout.Write(data)
		_, _ = os.Stdout.WriteString("\x1b[5n")
		if err := readUntil(os.Stdin, "\x1b[0n"); err != nil {
			return err
		}
		fmt.Fprintln(out, "ok")
	}
	return nil
}

// readUntil skips answers to what data asked, up to the one wanted.
func readUntil(r io.Reader, want string) error {
	var got []byte
	for !strings.HasSuffix(string(got), want) {
		var c [1]byte
		if _, err := r.Read(c[:]); err != nil {
			return err
		}
		got = append(got, c[0])
	}
	return nil
}

// tmuxPane is a pane of one size on a server of our own.
type tmuxPane struct {
	dir        string
	cols, rows int
	in         *os.File
	out        *bufio.Reader
	commands   io.Writer // of a control-mode client, which saves a process a look
	answers    *bufio.Reader
}

func newTmuxPane(t *testing.T, cols, rows int) *tmuxPane {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		missing(t, "tmux is not installed: see make setup")
	}
	dir, err := os.MkdirTemp("", "ts") // short: a socket's path is limited
	if err != nil {
		t.Fatal(err)
	}
	p := &tmuxPane{dir: dir, cols: cols, rows: rows}
	t.Cleanup(func() {
		_ = p.cmd("kill-server").Run()
		os.RemoveAll(dir)
	})
	for _, name := range []string{"in", "out"} {
		if err := syscall.Mkfifo(filepath.Join(dir, name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	conf := "set -g status off\nset -g default-terminal xterm-256color\n"
	if err := os.WriteFile(filepath.Join(dir, "conf"), []byte(conf), 0o600); err != nil {
		t.Fatal(err)
	}
	p.tmux(t, "new-session", "-d", "-s", "p", "-x", strconv.Itoa(cols), "-y", strconv.Itoa(rows),
		paneEnv+"="+dir+" exec "+os.Args[0])
	if p.in, err = os.OpenFile(filepath.Join(dir, "in"), os.O_WRONLY, 0); err != nil {
		t.Fatal(err)
	}
	out, err := os.Open(filepath.Join(dir, "out"))
	if err != nil {
		t.Fatal(err)
	}
	p.out = bufio.NewReader(out)
	t.Cleanup(func() {
		p.in.Close()
		out.Close()
	})
	p.control(t)
	return p
}

// control attaches the client that commands and answers belong to.
func (p *tmuxPane) control(t *testing.T) {
	t.Helper()
	client := p.cmd("-C", "attach-session", "-t", "p", "-f", "no-output,ignore-size")
	commands, err := client.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	answers, err := client.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := client.Start(); err != nil {
		t.Fatal(err)
	}
	p.commands, p.answers = commands, bufio.NewReader(answers)
	p.answer(t) // of the attaching itself
	t.Cleanup(func() {
		commands.Close()
		_ = client.Wait()
	})
}

// answer is the lines between the next %begin and %end.
func (p *tmuxPane) answer(t *testing.T) []string {
	t.Helper()
	var lines []string
	for inside := false; ; {
		line, err := p.answers.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "%begin "):
			inside = true
		case strings.HasPrefix(line, "%end "):
			return lines
		case strings.HasPrefix(line, "%error "):
			t.Fatalf("tmux: %q", lines)
		case inside:
			lines = append(lines, line)
		}
	}
}

func (p *tmuxPane) cmd(args ...string) *exec.Cmd {
	c := exec.Command("tmux", append([]string{"-u", "-f", filepath.Join(p.dir, "conf"), "-S", filepath.Join(p.dir, "s")}, args...)...)
	c.Env = []string{"PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "LANG=C.UTF-8", "LC_ALL=C.UTF-8", "HOME=" + p.dir}
	return c
}

func (p *tmuxPane) tmux(t *testing.T, args ...string) string {
	t.Helper()
	out, err := p.cmd(args...).CombinedOutput()
	if err != nil {
		t.Fatalf("tmux %q: %v\n%s", args, err, out)
	}
	return string(out)
}

// show is what the pane shows of data.
func (p *tmuxPane) show(t *testing.T, data string) view {
	t.Helper()
	file := filepath.Join(p.dir, "data")
	if err := os.WriteFile(file, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(p.in, file)
	if _, err := p.out.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(p.commands, `display-message -p -t p "#{cursor_x} #{cursor_y} #{pane_width} #{pane_height}"`)
	head := strings.Join(p.answer(t), "")
	fmt.Fprintln(p.commands, "capture-pane -p -e -N -t p")
	lines := p.answer(t)
	var x, y, w, h int
	if _, err := fmt.Sscan(head, &x, &y, &w, &h); err != nil || w != p.cols || h != p.rows {
		t.Fatalf("tmux says %q of its pane", head)
	}
	v := view{col: min(x, p.cols-1), row: y}
	v.lines = captured(lines, p.cols, p.rows)
	return v
}

// captured is the lines of capture-pane -e: characters, SGR, which goes on
// from line to line, and SO and SI around line drawing.
func captured(lines []string, cols, rows int) []string {
	term := New(cols+2, rows, Options{})
	term.Write([]byte("\x1b)0\x1b[?7l"))
	term.Write([]byte(strings.Join(lines, "\r\n")))
	return ours(term, false).lines
}
