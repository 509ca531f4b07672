package agent

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/tendhq/tend/internal/screen"
)

// printed counts the lines that were printed, to tell those of the present
// turn.
type printed struct {
	lines     int64 // line feeds in this run
	mark      int64 // lines when the turn began
	candidate int64 // lines when the next turn probably began
	probable  bool  // candidate is set
}

// maybe notes that a turn seems to begin here, unless it began at an Enter
// before.
func (p *printed) maybe() {
	if !p.probable {
		p.candidate, p.probable = p.lines, true
	}
}

// submitted notes that a turn may begin here.
func (p *printed) submitted() { p.candidate, p.probable = p.lines, true }

// begin: the machine has opened a turn.
func (p *printed) begin() {
	p.maybe()
	p.mark, p.probable = p.candidate, false
}

// Terminal is the emulated terminal. It is for looking at, from the same
// goroutine; writing to it is Feed's.
func (w *Watch) Terminal() *screen.Terminal { return w.term }

// Recent is the plain text printed since the turn began, at most n lines. A program that redraws its screen may print more than it shows;
// then it is what the end of the screen shows, which may reach further back.
func (w *Watch) Recent(n int) string {
	if w.term.Modes().AltScreen {
		return strings.Join(w.term.Plain(n), "\n")
	}
	since := w.turn.lines - w.turn.mark
	if w.turn.mark == 0 {
		since++ // the first line of a run belongs to it, the line of a prompt does not
	}
	text := w.term.Text()
	for y := w.term.Cursor().Row; y >= 0 && text[y] == ""; y-- {
		since-- // Plain leaves empty lines at the end out
	}
	return strings.Join(w.term.Plain(int(min(max(since, 0), int64(n)))), "\n")
}

// A checkpoint is a checkpoint of package screen, then what the stream has said
// beside its cells as JSON, the length of that in four bytes, and this.
const checkpointMark = "tendwatch1"

// heard is what a checkpoint keeps beside the screen.
type heard struct {
	State   string `json:"state,omitempty"`
	Kind    string `json:"kind,omitempty"`
	Shell   rune   `json:"shell,omitempty"`
	Ran     bool   `json:"ran,omitempty"`
	Resting bool   `json:"resting,omitempty"`
	Over    bool   `json:"over,omitempty"`
	Lines   int64  `json:"lines"`
	Mark    int64  `json:"mark"`
}

// Checkpoint is the emulator's whole state and what the agent has said of
// itself, for NewWatch. ScreenPart is the emulator's part.
func (w *Watch) Checkpoint() []byte {
	o := w.word
	tail, err := json.Marshal(heard{
		State: o.state, Kind: o.kind, Shell: o.shell, Ran: o.ran, Resting: o.resting, Over: o.over,
		Lines: w.turn.lines, Mark: w.turn.mark,
	})
	b := w.term.Checkpoint()
	if err != nil {
		return b
	}
	b = append(b, tail...)
	b = binary.BigEndian.AppendUint32(b, uint32(len(tail)))
	return append(b, checkpointMark...)
}

// ScreenPart is the part of a checkpoint that screen.Restore reads.
func ScreenPart(checkpoint []byte) []byte {
	part, _ := splitCheckpoint(checkpoint)
	return part
}

func splitCheckpoint(b []byte) (screenPart, tail []byte) {
	end := len(b) - len(checkpointMark) - 4
	if end < 0 || string(b[end+4:]) != checkpointMark {
		return b, nil
	}
	n := int64(binary.BigEndian.Uint32(b[end:]))
	if n > int64(end) {
		return b, nil
	}
	return b[:end-int(n)], b[end-int(n) : end]
}

func (w *Watch) restore(checkpoint []byte) error {
	part, tail := splitCheckpoint(checkpoint)
	term, err := screen.Restore(part)
	if err != nil {
		return fmt.Errorf("restoring the screen: %w", err)
	}
	w.term = term
	if tail == nil {
		return nil
	}
	var h heard
	if err := json.Unmarshal(tail, &h); err != nil {
		return errors.New("the end of the checkpoint is damaged")
	}
	w.word = word{state: h.State, kind: h.Kind, shell: h.Shell, ran: h.Ran, resting: h.Resting, over: h.Over}
	w.turn = printed{lines: h.Lines, mark: h.Mark}
	return nil
}
