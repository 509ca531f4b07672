package supervisor

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/oklog/ulid/v2"

	"github.com/tendhq/tend/internal/session"
)

// maxName is the longest display name in bytes.
const maxName = 1000

func newID() session.ID {
	return session.ID(ulid.MustNew(ulid.Timestamp(time.Now()), rand.Reader).String())
}

// Create makes a session and starts it.
func (sup *Supervisor) Create(ctx context.Context, n NewSession) (session.Session, error) {
	if err := sup.check(&n); err != nil {
		return session.Session{}, err
	}
	id := newID()
	name, err := sup.takeName(id, n)
	if err != nil {
		return session.Session{}, err
	}
	s, err := sup.create(ctx, id, name, n)
	if err != nil {
		sup.mu.Lock()
		sup.dropName(id)
		sup.mu.Unlock()
	}
	return s, err
}

// create prepares the first run, makes the session durable and waits until its
// process runs.
func (sup *Supervisor) create(ctx context.Context, id session.ID, name string, n NewSession) (session.Session, error) {
	n.Spec.Posture = sup.posture(n.Spec, n.Env)
	if sup.cfg.Agents[n.Spec.Agent].Streams {
		n.Spec.Port = freePort()
	}
	l, native, err := sup.launchOf(n.Spec, "")
	if err != nil {
		return session.Session{}, err
	}
	l.Name = name
	l.Env = append(append(append(slices.Clone(n.Env), l.Env...), sup.cfg.Env...), "TEND_SESSION="+string(id))
	if err := sup.cfg.Hosts[n.Spec.Host].Prepare(ctx, session.RunRef{ID: id, Run: 1}, l); err != nil {
		return session.Session{}, err
	}
	clean, changed := session.Sanitise(n.Prompt)
	n.Spec.Prompt = clean
	created := session.Event{At: now(), Source: session.FromPerson, What: session.Created{
		ID: id, Node: sup.cfg.Node, Name: name, Spec: n.Spec, Kept: n.Keep, PromptID: string(newID()), Prompt: clean, Sanitised: changed, Native: native,
	}}
	s, effects, err := session.Apply(session.Session{}, created)
	if err != nil {
		return session.Session{}, err
	}
	change := session.Change{Session: s, Entry: entryOf(session.Session{State: session.Starting}, s, created, nil, effects)}
	seq, _, err := sup.saver.commit(ctx, change, true)
	if err != nil {
		return session.Session{}, err
	}
	a := sup.adopt(s)
	sup.feed.advance(seq)
	a.act(s, effects, nil)
	return sup.afterLaunch(ctx, a)
}

// afterLaunch waits until the first run is launched, or has failed to.
func (sup *Supervisor) afterLaunch(ctx context.Context, a *actor) (session.Session, error) {
	s, err := sup.until(ctx, a, func(s session.Session) bool { return s.Process.Phase != session.Launching })
	if err != nil {
		return s, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if s.Process.Phase == session.NoProcess && a.launchErr != nil {
		return s, a.launchErr
	}
	return s, nil
}

// check refuses what makes no sense before anything is recorded.
func (sup *Supervisor) check(n *NewSession) error {
	spec := &n.Spec
	sup.fillIn(spec)
	agent, known := sup.cfg.Agents[spec.Agent]
	_, hosted := sup.cfg.Hosts[spec.Host]
	switch {
	case len(spec.Argv) == 0 || spec.Argv[0] == "":
		return &InputError{Field: "argv", Message: "no command given"}
	case !known:
		return &InputError{Field: "agent", Message: fmt.Sprintf("no agent called %q", spec.Agent)}
	case !hosted:
		return &InputError{Field: "host", Message: fmt.Sprintf("no host called %q: this daemon has %s", spec.Host, strings.Join(keys(sup.cfg.Hosts), ", "))}
	case len(n.Prompt) > session.MaxPrompt:
		return &InputError{Field: "prompt", Message: fmt.Sprintf("the prompt has %d bytes, at most %d are taken", len(n.Prompt), session.MaxPrompt)}
	case !utf8.ValidString(n.Prompt):
		return &InputError{Field: "prompt", Message: "the prompt is not valid UTF-8"}
	case spec.Kind == session.Job && n.Prompt != "":
		return &InputError{Field: "prompt", Message: "a job takes no prompt: its terminal is read-only"}
	}
	if err := checkName(n.Name); err != nil {
		return err
	}
	spec.Caps = agent.Caps
	return checkDirectory(spec.Cwd)
}

// fillIn sets what the wish leaves open.
func (sup *Supervisor) fillIn(spec *session.Spec) {
	d := sup.cfg.Defaults
	if spec.Agent == "" && d.Agent != nil {
		spec.Agent = d.Agent(spec.Argv)
	}
	if spec.Host == "" {
		spec.Host = d.Host
	}
	if spec.Policy == (session.Policy{}) {
		spec.Policy = d.Policy
	}
	if spec.Size == (session.Size{}) {
		spec.Size = d.Size
	}
	if agent := sup.cfg.Agents[spec.Agent]; spec.Kind == "" && agent.Kind != nil && len(spec.Argv) > 0 {
		spec.Kind = agent.Kind(spec.Argv)
	}
	if spec.Kind == "" {
		spec.Kind = session.Interactive
	}
}

func checkName(name string) error {
	switch {
	case !utf8.ValidString(name):
		return &InputError{Field: "name", Message: "the name is not valid UTF-8"}
	case len(name) > maxName:
		return &InputError{Field: "name", Message: fmt.Sprintf("the name has %d bytes, at most %d are taken", len(name), maxName)}
	case strings.ContainsFunc(name, unprintable):
		return &InputError{Field: "name", Message: "the name has characters that cannot be shown"}
	case likeID.MatchString(name):
		return &InputError{Field: "name", Message: fmt.Sprintf("the name %q looks like the id of a session: choose another", name)}
	}
	return nil
}

// likeID is an id, or as much of one as lists show: a name like this would be
// taken for another session. Ids begin with 0 until the year 3084.
var likeID = regexp.MustCompile(`(?i)^0[0-9a-hjkmnp-tv-z]{9,25}$`)

// unprintable reports control and formatting characters. The joiner of emoji
// sequences is not one.
func unprintable(r rune) bool {
	const zeroWidthJoiner = '\u200d'
	return !unicode.IsPrint(r) && r != zeroWidthJoiner
}

func checkDirectory(dir string) error {
	if !filepath.IsAbs(dir) {
		return &InputError{Field: "cwd", Message: fmt.Sprintf("the directory must be an absolute path: %q", dir)}
	}
	f, err := os.Open(dir)
	if err != nil {
		return &session.LaunchError{Kind: "badDirectory", Detail: fmt.Sprintf("cannot use the directory %s: %v", dir, errors.Unwrap(err))}
	}
	defer f.Close()
	if st, err := f.Stat(); err != nil || !st.IsDir() {
		return &session.LaunchError{Kind: "badDirectory", Detail: dir + " is not a directory"}
	}
	return nil
}

// takeName reserves the wished name, or makes one from the command.
func (sup *Supervisor) takeName(id session.ID, n NewSession) (string, error) {
	sup.mu.Lock()
	defer sup.mu.Unlock()
	name := n.Name
	if name == "" {
		base := filepath.Base(n.Spec.Argv[0])
		if checkName(base) != nil {
			base = "agent"
		}
		name = base
		for i := 2; sup.names[name] != ""; i++ {
			name = fmt.Sprintf("%s-%d", base, i)
		}
	} else if err := sup.nameFree(id, name); err != nil {
		return "", err
	}
	sup.names[name] = id
	return name, nil
}

// nameFree refuses a name that another open session has; mu is held.
func (sup *Supervisor) nameFree(id session.ID, name string) error {
	if owner := sup.names[name]; owner != "" && owner != id {
		return fmt.Errorf("%w: %q is session %s: choose another or rename that one", session.ErrNameTaken, name, owner)
	}
	return nil
}

// renamed keeps the names up to date after a change.
func (sup *Supervisor) renamed(before, after session.Session) {
	if before.Name == after.Name && (before.Life.Closed == nil) == (after.Life.Closed == nil) {
		return
	}
	sup.mu.Lock()
	defer sup.mu.Unlock()
	sup.dropName(after.ID)
	if after.Life.Closed == nil {
		sup.names[after.Name] = after.ID
	}
}

// launchOf is what a host needs to start a run of spec, and the name of the
// conversation where it is known before.
func (sup *Supervisor) launchOf(spec session.Spec, resume string) (l session.Launch, native string, err error) {
	agent, ok := sup.cfg.Agents[spec.Agent]
	if !ok {
		return l, "", fmt.Errorf("no agent called %q", spec.Agent)
	}
	if len(spec.Posture) > 0 && !spec.Elevated {
		return l, "", &session.LaunchError{Kind: "elevated", Detail: fmt.Sprintf("%s would act without asking (%s): tend run --allow-elevated starts it all the same",
			spec.Agent, strings.Join(spec.Posture, ", "))}
	}
	plan, err := agent.Launch(spec, session.LaunchOrder{NativeID: resume, FreshID: newUUID(), Hook: sup.cfg.Hook})
	if err != nil {
		return l, "", &session.LaunchError{Kind: "failed", Detail: err.Error()}
	}
	return session.Launch{
		Argv: plan.Argv, Cwd: spec.Cwd, Env: plan.Env, Files: plan.Files, Size: spec.Size, StopSignal: spec.Caps.StopSignal,
		ReadOnly: spec.Kind == session.Job, Spec: spec,
	}, plan.NativeID, nil
}

// freePort is a port of loopback that nobody uses now, 0 when there is none.
func freePort() int {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0
	}
	defer l.Close()
	if a, ok := l.Addr().(*net.TCPAddr); ok {
		return a.Port
	}
	return 0
}

// posture is by what an agent would act without asking, as things are now.
func (sup *Supervisor) posture(spec session.Spec, env []string) []string {
	if agent := sup.cfg.Agents[spec.Agent]; agent.Posture != nil {
		return agent.Posture(spec.Argv, spec.Cwd, env)
	}
	return nil
}

// newUUID is a random UUID (version 4), which agents take as a conversation's
// name.
func newUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// Command applies a command; see Commands.
func (sup *Supervisor) Command(ctx context.Context, id session.ID, c session.Command) (session.Session, error) {
	c, err := sup.checkCommand(id, c)
	if err != nil {
		return session.Session{}, err
	}
	if w, ok := c.(session.Answer); ok {
		return sup.answer(ctx, id, w)
	}
	return sup.apply(ctx, id, c)
}

// apply returns when the command is durable.
func (sup *Supervisor) apply(ctx context.Context, id session.ID, c session.Command) (session.Session, error) {
	for {
		a, err := sup.actorOf(ctx, id)
		if err != nil {
			return session.Session{}, err
		}
		s, err := a.ask(ctx, c)
		if !errors.Is(err, errRetired) {
			return s, err
		}
	}
}

// checkCommand completes a command and refuses one that makes no sense.
func (sup *Supervisor) checkCommand(id session.ID, c session.Command) (session.Command, error) {
	switch w := c.(type) {
	case session.Send:
		if w.PromptID == "" {
			w.PromptID = string(newID())
		}
		text, changed := session.Sanitise(w.Text)
		w.Text, w.Sanitised = text, w.Sanitised || changed
		switch {
		case !utf8.ValidString(w.Text):
			return nil, &InputError{Field: "text", Message: "the prompt is not valid UTF-8"}
		case strings.TrimSpace(w.Text) == "":
			return nil, &InputError{Field: "text", Message: "the prompt is empty"}
		case len(w.Text) > session.MaxPrompt:
			return nil, &InputError{Field: "text", Message: fmt.Sprintf("the prompt has %d bytes, at most %d are taken", len(w.Text), session.MaxPrompt)}
		}
		return w, nil
	case session.Rename:
		if w.Name == "" {
			return nil, &InputError{Field: "name", Message: "the new name is empty"}
		}
		if err := checkName(w.Name); err != nil {
			return nil, err
		}
		sup.mu.Lock()
		defer sup.mu.Unlock()
		return w, sup.nameFree(id, w.Name)
	case session.Answer:
		if w.Text == "" && w.Key == "" {
			return nil, &InputError{Field: "text", Message: "the answer is empty: give a text, or a key with --key"}
		}
	}
	return c, nil
}

func keys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
