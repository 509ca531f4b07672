package fakeagent

import (
	"errors"
	"io"
	"strings"
	"time"
)

// composer is an input line as agents have it: it echoes what it takes, keeps a
// bracketed paste together, and makes a turn of every submitted text.
func (a *agent) composer(opt string) error {
	silent := strings.Contains(opt, "silent")
	say := func(s string) error {
		if silent {
			return nil
		}
		return a.state(s)
	}
	swallow := strings.Contains(opt, "swallow")
	for {
		if err := say("idle"); err != nil {
			return err
		}
		text, err := a.line("> ", swallow)
		swallow = false
		switch {
		case errors.Is(err, io.EOF) || text == "exit":
			return nil
		case err != nil:
			return err
		}
		if err := a.turn(text, say); err != nil {
			return err
		}
	}
}

func (a *agent) turn(text string, say func(string) error) error {
	if err := say("working"); err != nil {
		return err
	}
	if _, err := io.WriteString(a.out, "\r\nturn: "+strings.ReplaceAll(text, "\n", "\r\n      ")+"\r\n"); err != nil {
		return err
	}
	<-time.NewTimer(100 * time.Millisecond).C
	return say("done")
}

// line reads one submitted text, echoing it after a prompt.
func (a *agent) line(prompt string, swallow bool) (string, error) {
	if _, err := io.WriteString(a.out, "\r\n"+prompt); err != nil {
		return "", err
	}
	var text strings.Builder
	pasting := false
	for {
		r, _, err := a.in.ReadRune()
		if err != nil {
			return text.String(), err
		}
		switch {
		case r == 0x1b:
			on, err := a.pasteMark(pasting)
			if err != nil {
				return "", err
			}
			pasting = on
			continue
		case pasting && (r == '\r' || r == '\n'):
			text.WriteByte('\n')
			_, err = io.WriteString(a.out, "\r\n  ")
		case (r == '\r' || r == '\n') && swallow:
			swallow = false
		case r == '\r' || r == '\n':
			return text.String(), nil
		case r == 3 || r == 21:
			text.Reset()
			_, err = io.WriteString(a.out, "\r\x1b[K"+prompt)
		default:
			text.WriteRune(r)
			_, err = io.WriteString(a.out, string(r))
		}
		if err != nil {
			return "", err
		}
	}
}

// pasteMark reads the rest of a CSI sequence and says whether a paste is open.
func (a *agent) pasteMark(open bool) (bool, error) {
	var seq []byte
	for {
		b, err := a.in.ReadByte()
		if err != nil {
			return open, err
		}
		seq = append(seq, b)
		if b >= 0x40 && b <= 0x7e && len(seq) > 1 {
			break
		}
	}
	switch string(seq) {
	case "[200~":
		return true, nil
	case "[201~":
		return false, nil
	}
	return open, nil
}
