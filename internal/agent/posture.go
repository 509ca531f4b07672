package agent

import (
	"encoding/json"
	"regexp"
	"strings"
)

// SettingsFiles are the files in which this agent's users say how it may act, as
// absolute paths, the strongest last.
func (a *Agent) SettingsFiles(home, cwd string) (out []string) {
	for _, f := range a.settings {
		switch rest, below := strings.CutPrefix(f, "~/"); {
		case below && home != "":
			out = append(out, home+"/"+rest)
		case !below && cwd != "":
			out = append(out, cwd+"/"+f)
		}
	}
	return out
}

// Posture lists by what an agent would act without asking: each in the words of
// the command line or setting that says so. Empty: it asks. settings are the
// contents of the files that SettingsFiles names, in its order; "" for one that is
// not there.
func (a *Agent) Posture(argv, settings []string) []string {
	if a.posture == nil || len(argv) == 0 {
		return nil
	}
	return a.posture(argv[1:], settings)
}

// elevatedMode reports Claude's permission modes in which nobody is asked.
func elevatedMode(mode string) bool {
	return mode == "bypassPermissions" || mode == "dontAsk" || mode == "auto"
}

func claudePosture(argv, settings []string) (out []string) {
	mode := ""
	for _, a := range claudeFlags.split(argv) {
		switch a.name {
		case "--dangerously-skip-permissions", "--allow-dangerously-skip-permissions":
			out = append(out, a.name)
		case "--permission-mode":
			mode = a.text
		case "--settings":
			if m := claudeDefaultMode(a.text); elevatedMode(m) {
				out = append(out, "--settings with defaultMode "+m)
			}
		}
	}
	if elevatedMode(mode) {
		out = append(out, "--permission-mode "+mode)
	}
	if mode != "" {
		return out // it overrides the settings
	}
	for i := len(settings) - 1; i >= 0; i-- {
		if m := claudeDefaultMode(settings[i]); m != "" {
			if elevatedMode(m) {
				out = append(out, "settings with defaultMode "+m)
			}
			break
		}
	}
	return out
}

// claudeDefaultMode is the permission mode that a settings file sets.
func claudeDefaultMode(settings string) string {
	var s struct {
		Permissions struct {
			DefaultMode string `json:"defaultMode"`
		} `json:"permissions"`
	}
	if json.Unmarshal([]byte(settings), &s) != nil {
		return ""
	}
	return s.Permissions.DefaultMode
}

// codexKeys are the settings by which Codex does not ask, as TOML lines.
var codexKeys = regexp.MustCompile(`(?m)^[ \t]*(approval_policy|sandbox_mode)[ \t]*=[ \t]*["']?([a-z-]+)`)

func codexElevated(key, value string) bool {
	return key == "approval_policy" && value == "never" || key == "sandbox_mode" && value == "danger-full-access"
}

func codexPosture(argv, settings []string) (out []string) {
	said := map[string]bool{}
	add := func(key, value, why string) {
		if said[key] = true; codexElevated(key, value) {
			out = append(out, why)
		}
	}
	for _, a := range codexFlags.split(argv) {
		switch a.name {
		case "--dangerously-bypass-approvals-and-sandbox", "--yolo":
			out = append(out, a.name)
		case "-a", "--ask-for-approval":
			add("approval_policy", a.text, a.name+" "+a.text)
		case "-s", "--sandbox":
			add("sandbox_mode", a.text, a.name+" "+a.text)
		case "-c", "--config":
			for _, m := range codexKeys.FindAllStringSubmatch(a.text, -1) {
				add(m[1], m[2], a.name+" "+a.text)
			}
		}
	}
	for _, s := range settings {
		for _, m := range codexKeys.FindAllStringSubmatch(s, -1) {
			if !said[m[1]] && codexElevated(m[1], m[2]) {
				out = append(out, "settings with "+m[1]+" "+m[2])
				said[m[1]] = true
			}
		}
	}
	return out
}
