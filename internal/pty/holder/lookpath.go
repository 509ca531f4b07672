package holder

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// lookPath finds a command as execvp would, by the PATH that the agent gets.
func lookPath(name, cwd string, env []string) (string, error) {
	if strings.ContainsRune(name, '/') {
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(cwd, path)
		}
		return path, executable(path, name)
	}
	path := "/usr/local/bin:/usr/bin:/bin"
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, "PATH="); ok {
			path = v
		}
	}
	var found error
	for _, dir := range filepath.SplitList(path) {
		if dir == "" {
			dir = cwd
		}
		p := filepath.Join(dir, name)
		err := executable(p, name)
		if err == nil {
			return p, nil
		}
		var f *failure
		if errors.As(err, &f) && f.Kind == "notExecutable" {
			found = err
		}
	}
	if found != nil {
		return "", found
	}
	return "", &failure{Failure{"notFound", "no command called " + name + " in PATH: install it, or give its full path"}}
}

func executable(path, name string) error {
	st, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &failure{Failure{"notFound", "there is no " + name}}
	case err != nil:
		return &failure{Failure{"notExecutable", "cannot use " + path + ": " + err.Error()}}
	case st.IsDir():
		return &failure{Failure{"notExecutable", path + " is a directory"}}
	case st.Mode()&0o111 == 0:
		return &failure{Failure{"notExecutable", path + " is not executable: chmod +x makes it so"}}
	}
	return nil
}
