package screen

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"testing"
)

// headless is a running @xterm/headless.
type headless struct {
	in  io.WriteCloser
	out *bufio.Reader
}

// newHeadless starts node; where it was not installed the test is skipped,
// except in CI, where that is an error.
func newHeadless(t *testing.T) *headless {
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
		cmd.Wait()
	})
	return &headless{in, bufio.NewReaderSize(out, 1<<20)}
}

type headlessAnswer struct {
	Col, Row int
	Lines    [][][2]string
	History  []string
}

func (h *headless) ask(t *testing.T, cols, rows int, data string, resize ...int) headlessAnswer {
	t.Helper()
	q := map[string]any{"cols": cols, "rows": rows, "data": base64.StdEncoding.EncodeToString([]byte(data))}
	if len(resize) == 2 {
		q["resize"] = resize
	}
	if err := json.NewEncoder(h.in).Encode(q); err != nil {
		t.Fatal(err)
	}
	line, err := h.out.ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	var a headlessAnswer
	if err := json.Unmarshal(line, &a); err != nil {
		t.Fatal(err)
	}
	return a
}

func (a headlessAnswer) view(cols int) view {
	v := view{col: min(a.Col, cols-1), row: a.Row}
	for _, cells := range a.Lines {
		var b lineBuilder
		for _, c := range cells {
			b.add(c[0], c[1])
		}
		v.lines = append(v.lines, b.String())
	}
	return v
}
