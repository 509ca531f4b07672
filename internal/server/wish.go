package server

import (
	"crypto/rand"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tendhq/tend/api"
	"github.com/tendhq/tend/internal/session"
	"github.com/tendhq/tend/internal/supervisor"
)

// newSession is the wish in a create request. It only refuses what can have no
// meaning; agent, host and numbers that are absent are the supervisor's to
// choose.
func newSession(r api.CreateRequest) (supervisor.NewSession, error) {
	if !filepath.IsAbs(r.Cwd) {
		return supervisor.NewSession{}, usage(fmt.Sprintf("cwd %q is not an absolute directory", r.Cwd))
	}
	if r.Argv[0] == "" {
		return supervisor.NewSession{}, usage("the command is empty: name a program")
	}
	for _, text := range append([]string{r.Cwd}, r.Argv...) {
		if strings.ContainsRune(text, 0) {
			return supervisor.NewSession{}, usage("a NUL byte cannot be part of a command or a directory")
		}
	}
	env, err := environment(r.Env)
	if err != nil {
		return supervisor.NewSession{}, err
	}
	kind := session.Kind(r.Kind)
	if kind == "" && r.Prompt != "" {
		kind = session.Task
	}
	n := supervisor.NewSession{
		Name: r.Name, Env: env, Prompt: r.Prompt, Keep: r.Keep,
		Spec: session.Spec{
			Agent: r.Agent, Model: r.Model, Argv: r.Argv, Cwd: r.Cwd, Host: r.Host, Kind: kind, Prompt: r.Prompt, Continue: r.Continue,
			Elevated: r.AllowElevated,
		},
	}
	if r.Size != nil {
		n.Spec.Size = session.Size{Cols: r.Size.Cols, Rows: r.Size.Rows}
	}
	return n, nil
}

// environment is env as K=V, sorted.
func environment(env map[string]string) ([]string, error) {
	var out []string
	for k, v := range env {
		if k == "" || strings.ContainsAny(k, "=\x00") || strings.ContainsRune(v, 0) {
			return nil, usage(fmt.Sprintf("%q cannot be an environment variable", k))
		}
		out = append(out, k+"="+v)
	}
	slices.Sort(out)
	return out, nil
}

func sendCommand(r api.SendRequest) session.Send {
	return session.Send{PromptID: rand.Text(), Text: r.Text}
}

func answerCommand(r api.AnswerRequest) (session.Command, error) {
	if (r.Text == "") == (r.Key == "") {
		return nil, usage("an answer is either a text or a key")
	}
	return session.Answer{Text: r.Text, Key: r.Key}, nil
}

func renameCommand(r api.RenameRequest) (session.Command, error) {
	return session.Rename{Name: r.Name}, nil
}

func confirmCommand(r *api.SummaryRequest) (session.Command, error) {
	if r == nil {
		return session.Confirm{}, nil
	}
	return session.Confirm{Summary: r.Summary}, nil
}

func doneCommand(r *api.SummaryRequest) (session.Command, error) {
	if r == nil {
		return session.AgentDone{}, nil
	}
	return session.AgentDone{Summary: r.Summary}, nil
}

func closeCommand(r *api.CloseRequest) (session.Command, error) {
	if r == nil {
		return session.Close{}, nil
	}
	return session.Close{Reason: r.Reason}, nil
}
