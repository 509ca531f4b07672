package realagents

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// Program is a real agent that make agents installs.
type Program struct {
	Name    string // its command
	Version string // as pinned in tools/agents
	glob    string // of the native binary, below node_modules
}

// The programs. Both are native: Codex's npm command is a Node process around
// the binary, and Claude Code's needs an install script that does not run here.
var (
	Claude = Program{"claude", "2.1.197", "@anthropic-ai/claude-code-" + platform() + "/claude"}
	Codex  = Program{"codex", "0.171.0", "@openai/codex-" + platform() + "/vendor/*/bin/codex"}
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
	pattern := filepath.Join(root, ".tools", "agents", "node_modules", p.glob)
	found, err := filepath.Glob(pattern)
	if err != nil || len(found) == 0 {
		return "", fmt.Errorf("%s is not installed: run make agents (looked for %s)", p.Name, p.glob)
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
