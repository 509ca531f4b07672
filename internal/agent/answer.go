package agent

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/tendhq/tend/internal/session"
)

// choice is one line of a numbered list that a dialog offers.
type choice struct {
	number int
	label  string
}

// choices is the lowest list on the screen that counts from 1 and has two lines
// at least: Claude Code, Codex and Gemini CLI ask in this way, and take the
// number as a key.
func (w *Watch) choices() []choice {
	var list, last []choice
	for _, l := range w.term.Text() {
		c, ok := choiceOf(l)
		switch {
		case ok && c.number == 1:
			list = []choice{c}
		case ok && len(list) > 0 && c.number == len(list)+1:
			list = append(list, c)
		default:
			continue // a choice may take several lines
		}
		if len(list) > 1 {
			last = list
		}
	}
	return last
}

func choiceOf(line string) (choice, bool) {
	l := strings.TrimLeftFunc(bare(line), func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("❯›>●○◯•*", r) })
	if len(l) < 3 || l[0] < '1' || l[0] > '9' || l[1] != '.' && l[1] != ')' || l[2] != ' ' {
		return choice{}, false
	}
	return choice{int(l[0] - '0'), strings.TrimSpace(l[3:])}, true
}

// The first words by which dialogs offer what a person means.
var (
	saysAlways = []string{"always", "don't ask again", "don’t ask again", "allow all", "for this session", "trust all", "auto-accept"}
	saysYes    = []string{"yes", "allow", "approve", "proceed", "continue", "trust", "accept"}
	saysNo     = []string{"no", "deny", "reject", "cancel", "exit", "quit", "decline"}
)

// Answer encodes an answer to the question on the screen as it is now. Where it
// offers numbered choices the answer must be one of them: yes, always, no, a
// number, or how its text begins. A dialog of which an agent's own word tells is
// waited for: the word may come before it is drawn. Else the text is typed and
// submitted.
func (w *Watch) Answer(text string) ([]byte, error) {
	if w.traits.answering != "" && w.shows(w.traits.answering) > 0 {
		if keys := w.traits.answers[strings.ToLower(strings.TrimSpace(text))]; keys != "" {
			return []byte(keys), nil
		}
		return nil, &session.PasteError{Why: "it offers yes, always and no: answer with one of them"}
	}
	list := w.choices()
	if len(list) == 0 && w.speaks() && w.known.state == session.WaitingOnInput && w.known.ask != "question" {
		return nil, &session.PasteError{Why: "its dialog is not on the screen: attach and look"}
	}
	if len(list) == 0 {
		b, err := w.Paste(text)
		if err != nil {
			return nil, err
		}
		return append(b, '\r'), nil
	}
	if c, ok := pickChoice(list, strings.ToLower(strings.TrimSpace(text))); ok {
		return []byte{byte('0' + c.number)}, nil
	}
	var all []string
	for _, c := range list {
		all = append(all, fmt.Sprintf("%d. %s", c.number, cut(c.label, 60)))
	}
	return nil, &session.PasteError{Why: fmt.Sprintf("it offers %s: answer with yes, always, no, a number or the beginning of one", strings.Join(all, " · "))}
}

func pickChoice(list []choice, text string) (choice, bool) {
	for _, c := range list {
		label := strings.ToLower(c.label)
		always := containsAny(label, saysAlways)
		var ok bool
		switch text {
		case "":
		case "yes", "y":
			ok = beginsAny(label, saysYes) && !always
		case "always":
			ok = always && !beginsAny(label, saysNo)
		case "no", "n":
			ok = beginsAny(label, saysNo)
		default:
			ok = text == fmt.Sprint(c.number) || len(text) > 1 && strings.HasPrefix(label, text)
		}
		if ok {
			return c, true
		}
	}
	return choice{}, false
}

func beginsAny(s string, words []string) bool {
	for _, w := range words {
		if rest, ok := strings.CutPrefix(s, w); ok && (rest == "" || !unicode.IsLetter([]rune(rest)[0])) {
			return true
		}
	}
	return false
}

func containsAny(s string, words []string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}
