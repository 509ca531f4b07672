package screen

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// headless is a running @xterm/headless.
type headless struct {
	in  io.WriteCloser
	out *bufio.Reader
}

// newHeadless starts node; where it was not installed the test is skipped,
// except in CI, where that is an error.
func newHeadless(t testing.TB) *headless {
	t.Helper()
	if _, err := os.Stat("testdata/oracle/node_modules/@xterm/headless"); err != nil {
		missing(t, "@xterm/headless is not installed: run make setup (npm ci in internal/screen/testdata/oracle)")
	}
	node, err := exec.LookPath("node")
	if err != nil {
		missing(t, "node is not installed: see make setup")
	}
	cmd := exec.Command(node, "headless.mjs")
	cmd.Dir = "testdata/oracle"
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		_ = cmd.Wait()
	})
	return &headless{in, bufio.NewReaderSize(out, 1<<20)}
}

type headlessAnswer struct {
	Col, Row int
	Lines    [][][2]string
	History  []string
	Crash    string
}

func (h *headless) ask(t testing.TB, cols, rows int, data string, resize ...int) headlessAnswer {
	t.Helper()
	q := map[string]any{"cols": cols, "rows": rows, "data": base64.StdEncoding.EncodeToString([]byte(data))}
	if len(resize) == 2 {
		q["resize"] = resize
	}
	var a headlessAnswer
	h.call(t, q, &a)
	return a
}

func (h *headless) call(t testing.TB, question, answer any) {
	t.Helper()
	if err := json.NewEncoder(h.in).Encode(question); err != nil {
		t.Fatal(err)
	}
	line, err := h.out.ReadBytes('\n')
	if err != nil {
		t.Fatalf("headless.mjs ended over %q: %v", question, err)
	}
	if err := json.Unmarshal(line, answer); err != nil {
		t.Fatal(err)
	}
}

func (a headlessAnswer) view(cols int) view {
	v := view{col: min(a.Col, cols-1), row: a.Row}
	for _, cells := range a.Lines {
		b := lineBuilder{ends: true}
		for _, c := range cells {
			b.add(c[0], c[1])
		}
		v.lines = append(v.lines, b.String())
	}
	return v
}

// xtermTokens are those in which xterm.js and this package are of one mind;
// differences.txt tells of the others.
var xtermTokens = strings.Split("a|bc|hello world |0123456789012345678901234567890123456789|\x1b[m|\x1b[1;31m|\x1b[44m|\x1b[38;5;200;48;2;1;2;3m|\r|\n|\r\n|\b|\t|\x0e|\x0f|"+
	"\x1b(0|\x1b(B|\x1b)0|qx|\x1bD|\x1bM|\x1bE|\x1bH|\x1b[H|\x1b[5;7H|\x1b[99;99H|\x1b[3G|\x1b[2d|\x1b[A|\x1b[2B|\x1b[3C|\x1b[2D|\x1b[J|\x1b[1J|\x1b[2J|\x1b[K|\x1b[1K|\x1b[2K|"+
	"\x1b[X|\x1b[5X|\x1b[@|\x1b[3@|\x1b[P|\x1b[2P|\x1b[L|\x1b[2L|\x1b[M|\x1b[2M|\x1b[S|\x1b[2S|\x1b[I|\x1b[g|\x1b[3g|\x1b[2;4r|\x1b[r|\x1b[3;99r|"+
	"\x1b[4h|\x1b[4l|\x1b[?2026h|\x1b[?2026l|\x1b]0;t\x07|\xff|\x18|世|界世|é|e\u0301|─", "|")

func xtermStream(data []byte) string {
	var b strings.Builder
	for _, c := range data {
		b.WriteString(xtermTokens[int(c)%len(xtermTokens)])
	}
	return b.String()
}

func checkXterm(t *testing.T, h *headless, in string, cols, rows int) {
	t.Helper()
	term := New(cols, rows, Options{})
	term.Write([]byte(in))
	answer := h.ask(t, cols, rows, in)
	if answer.Crash != "" {
		return
	}
	if d := compare(answer.view(cols), ours(term, true)); d != "" {
		t.Fatalf("%q at %dx%d\n%s", in, cols, rows, d)
	}
}

func TestXtermRandom(t *testing.T) {
	h := newHeadless(t)
	rng := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		data := make([]byte, 1+rng.IntN(16))
		for i := range data {
			data[i] = byte(rng.IntN(256))
		}
		checkXterm(t, h, xtermStream(data), 20, 5)
	}
}

func FuzzXterm(f *testing.F) {
	h := newHeadless(f)
	f.Add([]byte("abc"))
	f.Fuzz(func(t *testing.T, data []byte) {
		checkXterm(t, h, xtermStream(data[:min(len(data), 60)]), 20, 5)
	})
}
