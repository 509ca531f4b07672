package realagents

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// Program is a real agent that make agents or make agents-soak installs.
type Program struct {
	Name    string // its command
	Version string // as pinned in tools, in the folder of that target
	target  string // of make
	glob    string // of what is executed, below node_modules
}

// The programs. Where there is a native one it is run itself: the npm commands of
// Codex and opencode are Node processes around it, and Claude Code's needs an
// install script that does not run here. Those of agents-soak are for long tests;
// of opencode only the package for Linux on x64 is pinned, which is what opencode-ai
// would start there.
var (
	Claude   = Program{"claude", "2.1.197", "agents", "@anthropic-ai/claude-code-" + platform() + "/claude"}
	Codex    = Program{"codex", "0.171.0", "agents", "@openai/codex-" + platform() + "/vendor/*/bin/codex"}
	Gemini   = Program{"gemini", "0.61.0", "agents-soak", "@google/gemini-cli/bundle/gemini.js"}
	Opencode = Program{"opencode", "1.18.33", "agents-soak", "opencode-" + platform() + "/bin/opencode"}
	Pi       = Program{"pi", "0.74.2", "agents-soak", "@earendil-works/pi-coding-agent/dist/cli.js"}
)

// platform is this machine as npm packages name it.
func platform() string {
	arch := runtime.GOARCH
	if arch == "amd64" {
		arch = "x64"
	}
	return runtime.GOOS + "-" + arch
}

// Path finds the binary in the repository above the working folder of the
// test.
func (p Program) Path() (string, error) {
	root, err := repository()
	if err != nil {
		return "", err
	}
	pattern := filepath.Join(root, ".tools", p.target, "node_modules", p.glob)
	found, err := filepath.Glob(pattern)
	if err != nil || len(found) == 0 {
		return "", fmt.Errorf("%s is not installed: run make %s (looked for %s)", p.Name, p.target, p.glob)
	}
	return found[0], nil
}

// repository is the folder above the working folder that holds the pins.
func repository() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find the repository: %w", err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "tools", "agents", "package-lock.json")); err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", errors.New("no tools/agents above the working folder")
		}
		dir = up
	}
}
