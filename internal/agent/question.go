package agent

import (
	"strings"
	"unicode"
)

const (
	questionLines = 8    // of a question and its choices
	questionReach = 14   // lines from the last to where the question mark is sought
	plainLines    = 3    // of a screen that shows no question mark
	questionBytes = 1000 // of the whole text
)

// questionKind is a kind that people know.
func questionKind(kind string) string {
	switch kind {
	case "permission", "trust", "login":
		return kind
	}
	return "question"
}

// question is what the screen shows of a question: from the last line with a
// question mark to the last line there is, or else the last lines.
func (w *Watch) question() string {
	var lines []string
	for _, l := range w.term.Text() {
		if l = bare(l); l != "" {
			lines = append(lines, l)
		}
	}
	from := max(len(lines)-plainLines, 0)
	for i := len(lines) - 1; i >= 0 && i >= len(lines)-questionReach; i-- {
		if strings.ContainsAny(lines[i], "?？") {
			from = i
			break
		}
	}
	text := strings.Join(lines[from:min(from+questionLines, len(lines))], "\n")
	if len(text) > questionBytes {
		text = strings.ToValidUTF8(text[:questionBytes], "")
	}
	return text
}

// bare is a line without the box around it and the spaces at its ends, as far
// as it says anything.
func bare(l string) string {
	l = strings.TrimFunc(l, func(r rune) bool { return r == '|' || isFrame(r) || unicode.IsSpace(r) })
	if !strings.ContainsFunc(l, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '?' }) {
		return ""
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return -1
		}
		return r
	}, l)
}

// isFrame: box drawing and block elements.
func isFrame(r rune) bool { return r >= 0x2500 && r <= 0x259f }
