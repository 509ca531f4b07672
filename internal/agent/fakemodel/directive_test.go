package fakemodel

import "testing"

func TestParse(t *testing.T) {
	for text, want := range map[string]Directive{
		"":                           {},
		"hello":                      {},
		"please SAY it":              {},
		"SAYING nothing":             {},
		"SAY hello  there ":          {Verb: Say, Arg: "hello  there"},
		"SAY":                        {Verb: Say},
		"first\n  SAY second\nthird": {Verb: Say, Arg: "second"},
		"TOOL echo SAY hi":           {Verb: Tool, Arg: "echo SAY hi"},
		"SUBAGENT SAY hi":            {Verb: Subagent, Arg: "SAY hi"},
		"ERR429":                     {Verb: Err, N: 429},
		"ERR529 for a while":         {Verb: Err, Arg: "for a while", N: 529},
		"ERR200":                     {},
		"HANG\r\n":                   {Verb: Hang},
		"SLOW 3":                     {Verb: Slow, Arg: "3", N: 3},
		"SLOW":                       {Verb: Slow, N: 10},
		"SLOW 99999999":              {Verb: Slow, Arg: "99999999", N: maxSlow},
		"DROP":                       {Verb: Drop},
	} {
		if got := Parse(text); got != want {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
}

func TestUntagged(t *testing.T) {
	for text, want := range map[string]string{
		"plain": "plain",
		"<system-reminder>SAY a</system-reminder>":          "",
		"<system-reminder>\na\n</system-reminder>\n\nSAY b": "SAY b",
		"a <b> c":                "a <b> c",
		"a <x y=1>b</x> c <z> d": "a  c <z> d",
		"<environment_context><cwd>/x</cwd></environment_context>": "",
		"if a < b then": "if a < b then",
	} {
		if got := untagged(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestNewest(t *testing.T) {
	old, model := item{person, "SAY old"}, item{from: assistant}
	tagged := item{person, "<system-reminder>SAY no</system-reminder>"}
	for name, c := range map[string]struct {
		items      []item
		text, gave string
		isResult   bool
	}{
		"nothing":         {},
		"one prompt":      {items: []item{old}, text: "SAY old"},
		"the newest":      {items: []item{old, {person, "SAY new"}}, text: "SAY new"},
		"answered before": {items: []item{old, model}},
		"after an answer": {items: []item{old, model, {person, "SAY new"}}, text: "SAY new"},
		"tags pass":       {items: []item{old, tagged, {other, "SAY no"}}, text: "SAY old"},
		"a result":        {items: []item{old, model, {result, "out"}, tagged}, gave: "out", isResult: true},
		"words after a result": {
			items: []item{old, model, {result, "no"}, {person, "SAY new"}}, text: "SAY new",
		},
	} {
		text, gave, isResult := newest(c.items)
		if text != c.text || gave != c.gave || isResult != c.isResult {
			t.Errorf("%s: %q, %q, %v", name, text, gave, isResult)
		}
	}
}
