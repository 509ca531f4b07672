package agent

import (
	"strings"
	"testing"
)

// The dialogs as they looked in December 2026.
const (
	claudeBash = " Bash command\r\n\r\n   touch x\r\n   fake command\r\n\r\n Do you want to proceed?\r\n ❯ 1. Yes\r\n" +
		"   2. Yes, and always allow access to proj/ from this project\r\n   3. No\r\n\r\n Esc to cancel · Tab to amend"
	claudeTrust = " Quick safety check: Is this a project you created or one you trust?\r\n\r\n ❯ 1. Yes, I trust this folder\r\n   2. No, exit\r\n\r\n Enter to confirm"
	codexRun    = "  Would you like to run the following command?\r\n\r\n  $ touch x\r\n\r\n› 1. Yes, proceed (y)\r\n" +
		"  2. Yes, and don't ask again for commands that start with `touch x` (p)\r\n  3. No, and tell Codex what to do differently (esc)\r\n"
	codexHooksDialog = "  Hooks need review\r\n› 1. Review hooks\r\n  2. Trust all and continue\r\n  3. Continue without trusting (hooks won't run)\r\n"
	listInProse      = "Steps:\r\n1. Build\r\n2. Test\r\n3. Ship\r\n\r\n │ 1. Yes │\r\n │ 2. No  │\r\n"
)

func TestAnswer(t *testing.T) {
	for _, c := range []struct{ screen, answer, want string }{
		{claudeBash, "yes", "1"}, {claudeBash, "always", "2"}, {claudeBash, "no", "3"}, {claudeBash, "2", "2"}, {claudeBash, "Y", "1"},
		{claudeBash, "yes, and always", "2"}, {claudeBash, "maybe", ""}, {claudeBash, "4", ""}, {claudeBash, "", ""},
		{claudeTrust, "yes", "1"}, {claudeTrust, "no", "2"}, {claudeTrust, "always", ""},
		{codexRun, "yes", "1"}, {codexRun, "always", "2"}, {codexRun, "no", "3"},
		{codexHooksDialog, "review", "1"}, {codexHooksDialog, "always", "2"},
		{listInProse, "no", "2"}, {listInProse, "yes", "1"},
		{"What is your name? ", "Ada", "Ada\r"}, {"Continue? [y/N] ", "y", "y\r"},
	} {
		w := newWatch(t, 100, 30, c.screen)
		got, err := w.Answer(c.answer)
		switch {
		case c.want == "" && (err == nil || got != nil || !strings.Contains(err.Error(), "1. ")):
			t.Errorf("%q to\n%s\nbecame %q, %v: want a refusal that names the choices", c.answer, c.screen, got, err)
		case c.want != "" && (err != nil || string(got) != c.want):
			t.Errorf("%q to\n%s\nbecame %q, %v: want %q", c.answer, c.screen, got, err, c.want)
		}
	}
}
