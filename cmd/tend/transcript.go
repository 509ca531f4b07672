package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tendhq/tend/api"
	"github.com/tendhq/tend/internal/agent"
	"github.com/tendhq/tend/internal/agent/transcript"
	"github.com/tendhq/tend/internal/session"
	"github.com/tendhq/tend/internal/spool"
)

// transcriptEvery is how soon a followed record is read again.
const transcriptEvery = 500 * time.Millisecond

// saying is one entry of a transcript as JSON.
type saying struct {
	At     api.Time `json:"at,omitzero"`
	Kind   string   `json:"kind"`
	Text   string   `json:"text,omitempty"`
	Cut    bool     `json:"cut,omitempty"`
	Tool   string   `json:"tool,omitempty"`
	Failed bool     `json:"failed,omitempty"`
	Code   string   `json:"code,omitempty"`
	Turn   string   `json:"turn,omitempty"`
	Agent  string   `json:"agent,omitempty"`
}

func (p *program) transcriptCommand() *cobra.Command {
	follow := false
	c := &cobra.Command{
		Use: "transcript SESSION", Short: "Prompts, answers and tools from the agent's own record", Args: exactly(1, "one session"),
		Long: "Prints what was asked, said and done, as the agent itself has recorded it. Secrets are taken out; lines of the\n" +
			"record that are torn, too long or unknown are skipped and counted at the end. With --json, one entry a line.",
		RunE: func(c *cobra.Command, args []string) error { return p.transcript(c.Context(), args[0], follow) },
	}
	c.Flags().BoolVarP(&follow, "follow", "f", false, "go on with what comes, until the session has ended")
	return c
}

func (p *program) transcript(ctx context.Context, name string, follow bool) error {
	c, s, err := p.named(ctx, name)
	if err != nil {
		return err
	}
	a, err := agent.ByName(s.Agent)
	if err != nil || a.Transcript() == nil {
		return failure{exitFailed, fmt.Sprintf("the records of %s are not understood: tend logs %s shows its terminal", s.Agent, shortID(s.ID))}
	}
	path := p.recordOf(s)
	if path == "" {
		return failure{exitFailed, "the agent has not told of a record yet: it does with its first prompt"}
	}
	f, err := os.Open(path)
	if err != nil {
		return failure{exitFailed, fmt.Sprintf("cannot read its record %s: %v", clean(path), reason(err))}
	}
	defer f.Close()
	r := a.Transcript()
	for {
		if err := p.retell(f, r); err != nil {
			return err
		}
		if s, err = c.Get(ctx, s.ID); !follow || err != nil || s.View.Group == "ended" {
			break
		}
		t := time.NewTimer(transcriptEvery)
		select {
		case <-t.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if st := r.Stats(); err == nil && st.Invalid+st.Long > 0 {
		fmt.Fprintf(p.stderr, "tend: %d lines of the record are torn and %d too long; they were left out\n", st.Invalid, st.Long)
	}
	return err
}

// recordOf is the agent's own record, as the newest hook that names it says.
func (p *program) recordOf(s api.Session) (path string) {
	for run := s.Process.Run; run > 0 && path == ""; run-- {
		dir := p.host().Dir(session.RunRef{ID: session.ID(s.ID), Run: run})
		for at := int64(0); ; {
			list, err := spool.Read(dir, at)
			if err != nil || len(list) == 0 {
				break
			}
			for _, e := range list {
				if named := agent.RecordIn(e.Payload); named != "" {
					path = named
				}
				at = e.End
			}
		}
	}
	return path
}

// retell prints what has come since the last call, piece by piece.
func (p *program) retell(f io.Reader, r *transcript.Reader) error {
	buf := make([]byte, 256<<10)
	for {
		n, err := f.Read(buf)
		_, _ = r.Write(buf[:n]) // never fails
		for e := range r.Entries() {
			if err := p.tell(e); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (p *program) tell(e transcript.Entry) error {
	if p.json {
		return p.print(saying{
			At: api.TimeOf(e.At), Kind: e.Kind.String(), Text: e.Text, Cut: e.Cut, Tool: e.Tool, Failed: e.Failed, Code: e.Code, Turn: e.Turn, Agent: e.Agent,
		})
	}
	head := e.Kind.String()
	for _, more := range []string{e.Tool, e.Code} {
		if more != "" {
			head += " " + clean(more)
		}
	}
	if e.Failed {
		head += " (failed)"
	}
	at := "        "
	if !e.At.IsZero() {
		at = e.At.Local().Format("15:04:05")
	}
	var b strings.Builder
	for i, line := range strings.Split(strings.TrimRight(e.Text, "\n"), "\n") {
		if i == 0 {
			fmt.Fprintf(&b, "%s  %-12s %s\n", at, head, clean(line))
			continue
		}
		fmt.Fprintf(&b, "%s  %-12s %s\n", "        ", "", clean(line))
	}
	_, err := io.WriteString(p.stdout, b.String())
	return err
}
