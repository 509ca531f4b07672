package fakemodel

import (
	"regexp"
	"strconv"
	"strings"
)

// Verb is what a directive orders.
type Verb string

// The verbs. None is a prompt without a directive.
const (
	None     Verb = ""
	Say      Verb = "SAY"
	Tool     Verb = "TOOL"
	Subagent Verb = "SUBAGENT"
	Err      Verb = "ERR"
	Hang     Verb = "HANG"
	Slow     Verb = "SLOW"
	Drop     Verb = "DROP"
)

// Directive is one order to the model, as it stands in a prompt.
type Directive struct {
	Verb Verb
	Arg  string // the rest of the line, without spaces around it
	N    int    // the status of Err, the words of Slow
}

// maxSlow bounds the words of SLOW: a quarter of an hour.
const maxSlow = 9000

var order = regexp.MustCompile(`(?m)^[ \t]*(SAY|TOOL|SUBAGENT|ERR([45]\d\d)|HANG|SLOW|DROP)(?:[ \t]+(.*))?[ \t\r]*$`)

// Parse finds the first directive of a text. Every text has a meaning: without
// a directive it is None.
func Parse(text string) Directive {
	m := order.FindStringSubmatch(text)
	if m == nil {
		return Directive{}
	}
	d := Directive{Verb: Verb(m[1]), Arg: strings.TrimSpace(m[3])}
	switch {
	case m[2] != "":
		d.Verb = Err
		d.N, _ = strconv.Atoi(m[2])
	case d.Verb == Slow:
		n, err := strconv.Atoi(d.Arg)
		if err != nil || n < 1 {
			n = 10
		}
		d.N = min(n, maxSlow)
	}
	return d
}

// item is one piece of a conversation, whatever the API calls it.
type item struct {
	from who
	text string
}

// who wrote an item.
type who int

const (
	other     who = iota // the system, or somebody unknown
	person               // text in the person's name
	result               // what a tool gave
	assistant            // the model
)

// newest finds what the model is to answer: the last useful text of a person
// after the model's last words, or the tool's result if that is newer still.
func newest(items []item) (text, gave string, isResult bool) {
	for i := len(items) - 1; i >= 0; i-- {
		switch it := items[i]; it.from {
		case assistant:
			return "", "", false
		case result:
			return "", it.text, true
		case person:
			if text := untagged(it.text); text != "" {
				return text, "", false
			}
		case other:
		}
	}
	return "", "", false
}

var opening = regexp.MustCompile(`<([a-z][a-z0-9_-]*)(?:\s[^<>]*)?>`)

// untagged takes <tag>...</tag> out of a text: what an agent adds to the words
// of a person. A tag that is not closed is the person's.
func untagged(text string) string {
	var kept strings.Builder
	for {
		at := opening.FindStringSubmatchIndex(text)
		if at == nil {
			break
		}
		end := "</" + text[at[2]:at[3]] + ">"
		n := strings.Index(text[at[1]:], end)
		if n < 0 {
			kept.WriteString(text[:at[1]])
			text = text[at[1]:]
			continue
		}
		kept.WriteString(text[:at[0]])
		text = text[at[1]+n+len(end):]
	}
	kept.WriteString(text)
	return strings.TrimSpace(kept.String())
}

// firstWords are at most n words of a text, in one line.
func firstWords(text string, n int) string {
	words := strings.Fields(text)
	return strings.Join(words[:min(n, len(words))], " ")
}
