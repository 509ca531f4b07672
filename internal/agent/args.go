package agent

import (
	"slices"
	"strings"
)

// arg is one flag of a command line with its values, or one word that is no
// flag.
type arg struct {
	name  string // of the flag as given, without =value; "" for a word
	text  string // the word, or the flag's (last) value
	words []string
}

// flags is what a program's flags take: nothing, ':' one value, '?' perhaps one,
// '*' values until the next flag.
type flags map[string]byte

// flagTable reads flags written as in "--verbose --model: --resume? --tools*".
func flagTable(text string) flags {
	out := flags{}
	for _, f := range strings.Fields(text) {
		switch last := f[len(f)-1]; last {
		case ':', '?', '*':
			out[f[:len(f)-1]] = last
		default:
			out[f] = 0
		}
	}
	return out
}

// split tells flags from words. A flag that is not known is taken to have a
// value if the next word is no flag: a value that is taken for a prompt would be
// lost on a resume, and the other way round it is only kept.
func (f flags) split(argv []string) []arg {
	var out []arg
	for i := 0; i < len(argv); i++ {
		w := argv[i]
		switch name, value, joined := strings.Cut(w, "="); {
		case w == "--":
			out = append(out, arg{name: w, words: []string{w}})
			for _, word := range argv[i+1:] {
				out = append(out, arg{text: word, words: []string{word}})
			}
			return out
		case !strings.HasPrefix(w, "-") || w == "-":
			out = append(out, arg{text: w, words: []string{w}})
		case joined:
			out = append(out, arg{name: name, text: value, words: []string{w}})
		default:
			n := f.values(w, argv[i+1:])
			a := arg{name: w, words: argv[i : i+1+n : i+1+n]}
			if n > 0 {
				a.text = argv[i+n]
			}
			out = append(out, a)
			i += n
		}
	}
	return out
}

// values is how many words after a flag are its values.
func (f flags) values(flag string, rest []string) (n int) {
	takes, known := f[flag]
	if !known {
		takes = '?'
	}
	switch {
	case takes == 0 || len(rest) == 0:
		return 0
	case takes == ':':
		return 1
	}
	for n < len(rest) && !strings.HasPrefix(rest[n], "-") && (n == 0 || takes == '*') {
		n++
	}
	return n
}

// anyOf reports whether one of these flags is given.
func anyOf(args []arg, names ...string) bool {
	return slices.ContainsFunc(args, func(a arg) bool { return slices.Contains(names, a.name) })
}

// goingOn is args for a conversation that is named anew: without the first prompt
// and without the flags that named one before.
func goingOn(args []arg, names []string) []arg {
	return slices.DeleteFunc(args, func(a arg) bool { return a.name == "" || slices.Contains(names, a.name) })
}

// join is a command line again, behind what it begins with.
func join(begin []string, args []arg) []string {
	for _, a := range args {
		begin = append(begin, a.words...)
	}
	return begin
}

// shellWords is a command line for a POSIX shell, each word quoted.
func shellWords(words []string) string {
	var out []string
	for _, w := range words {
		out = append(out, "'"+strings.ReplaceAll(w, "'", `'\''`)+"'")
	}
	return strings.Join(out, " ")
}
