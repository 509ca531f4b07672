package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"github.com/tendhq/tend/internal/session"
)

// config is what a person can set.
type config struct {
	detachKeys string
	host       string
	logCap     int64
	envAllow   []string
	elevated   []string // agent, or agent:folder
	policy     session.Policy
}

func defaultConfig() config {
	return config{detachKeys: "ctrl-q", host: "pty", logCap: 64 << 20, policy: session.DefaultPolicy()}
}

// mayElevate reports whether a person has approved that this agent acts without
// asking in this folder.
func (c config) mayElevate(agent, dir string) bool {
	return slices.ContainsFunc(c.elevated, func(rule string) bool {
		name, folder, limited := strings.Cut(strings.TrimSpace(rule), ":")
		folder = strings.TrimSuffix(folder, "/")
		return name == agent && (!limited || dir == folder || strings.HasPrefix(dir, folder+"/"))
	})
}

// setting is one key of config.toml. TEND_ and the key in capitals overrides it.
type setting struct {
	key  string
	help string
	show func(config) string
	set  func(*config, string) error
}

// settings is every key there is; `tend help config` prints it.
var settings = []setting{
	{"detach_keys", "the keys that leave an attached terminal: ctrl- and a letter, or several separated by commas",
		func(c config) string { return c.detachKeys }, func(c *config, v string) error {
			_, err := parseKeys(v)
			c.detachKeys = v
			return err
		}},
	{"host", "where sessions run: pty",
		func(c config) string { return c.host }, func(c *config, v string) error { return oneOf(&c.host, v, "pty") }},
	{"log_cap", "how much output of a run is kept, such as 64MiB; at least 16MiB",
		func(c config) string { return fmt.Sprintf("%dMiB", c.logCap>>20) }, func(c *config, v string) error { return parseSize(&c.logCap, v) }},
	{"env_allow", "names of environment variables that agents get besides the usual ones, separated by commas; * matches any text",
		func(c config) string { return strings.Join(c.envAllow, ",") }, func(c *config, v string) error {
			c.envAllow = strings.FieldsFunc(v, func(r rune) bool { return r == ',' || r == ' ' })
			for _, pattern := range c.envAllow {
				if _, err := path.Match(pattern, ""); err != nil {
					return fmt.Errorf("%q is no pattern: * matches any text", pattern)
				}
			}
			return nil
		}},
	{"allow_elevated", "agents that may act without asking, separated by commas: the name of one, or name:/path for one project and what is below",
		func(c config) string { return strings.Join(c.elevated, ",") }, func(c *config, v string) error {
			c.elevated = strings.FieldsFunc(v, func(r rune) bool { return r == ',' })
			return nil
		}},
	{"sweep", "close sessions that ended cleanly by themselves: true or false",
		func(c config) string { return strconv.FormatBool(!c.policy.NoSweep) }, func(c *config, v string) error {
			b, err := strconv.ParseBool(v)
			if err != nil {
				return errors.New("it can be true, false")
			}
			c.policy.NoSweep = !b
			return nil
		}},
	number("max_resumes", "how often a crashed agent is resumed before you are asked", func(p *session.Policy) *int { return &p.MaxResumes }),
	number("max_crashes", "how many crashes within crash_window are too many to resume", func(p *session.Policy) *int { return &p.MaxCrashes }),
	duration("startup_timeout", "starting without being ready", func(p *session.Policy) *time.Duration { return &p.StartupTimeout }),
	duration("stall", "working without progress", func(p *session.Policy) *time.Duration { return &p.Stall }),
	duration("tool_stall", "the same while a tool or a job runs", func(p *session.Policy) *time.Duration { return &p.ToolStall }),
	duration("prompt_accepted", "a submitted prompt that the agent does not take", func(p *session.Policy) *time.Duration { return &p.PromptAccepted }),
	duration("resume_proof", "a resumed agent that does not prove itself", func(p *session.Policy) *time.Duration { return &p.ResumeProof }),
	duration("resume_settle", "being ready that proves a resume", func(p *session.Policy) *time.Duration { return &p.ResumeSettle }),
	duration("backoff", "the wait before the first resume; it doubles with each", func(p *session.Policy) *time.Duration { return &p.BackoffBase }),
	duration("backoff_max", "the longest wait before a resume", func(p *session.Policy) *time.Duration { return &p.BackoffMax }),
	duration("healthy", "running well that makes earlier crashes forgotten", func(p *session.Policy) *time.Duration { return &p.Healthy }),
	duration("crash_window", "the time within which crashes are counted", func(p *session.Policy) *time.Duration { return &p.CrashWindow }),
	duration("exit_truth", "looking for the truth about an unseen end", func(p *session.Policy) *time.Duration { return &p.ExitTruth }),
	duration("min_lifetime", "an end sooner after the start is a failed start; 0s turns the rule off", func(p *session.Policy) *time.Duration { return &p.MinLifetime }),
	duration("sweep_age", "an end sooner after the start is never swept", func(p *session.Policy) *time.Duration { return &p.SweepAge }),
	duration("sweep_settle", "the wait before an ended session is swept", func(p *session.Policy) *time.Duration { return &p.SweepSettle }),
}

func number(key, help string, field func(*session.Policy) *int) setting {
	return setting{key, help,
		func(c config) string { return strconv.Itoa(*field(&c.policy)) },
		func(c *config, v string) error {
			n, err := strconv.Atoi(v)
			if err != nil || n < 0 || n > 1000 {
				return errors.New("give a whole number from 0 to 1000")
			}
			*field(&c.policy) = n
			return nil
		}}
}

func duration(key, help string, field func(*session.Policy) *time.Duration) setting {
	return setting{key, "how long, such as 90s or 5m: " + help,
		func(c config) string { return field(&c.policy).String() },
		func(c *config, v string) error {
			d, err := time.ParseDuration(v)
			if err != nil || d < 0 {
				return errors.New("give a time such as 90s, 5m or 1h30m")
			}
			*field(&c.policy) = d
			return nil
		}}
}

func oneOf(to *string, v string, allowed ...string) error {
	if !slices.Contains(allowed, v) {
		return fmt.Errorf("it can be %s", strings.Join(allowed, ", "))
	}
	*to = v
	return nil
}

func parseSize(to *int64, v string) error {
	n, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(v, "MiB")), 10, 64)
	if err != nil || n < 16 || n > 1<<20 {
		return errors.New("give a size in MiB, such as 64MiB, at least 16MiB")
	}
	*to = n << 20
	return nil
}

// loadConfig reads config.toml, then the TEND_ variables. A key or value that
// makes no sense is an error with its place.
func loadConfig(file string, env func(string) string) (config, error) {
	c := defaultConfig()
	b, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return c, failure{exitFailed, fmt.Sprintf("cannot read %s: %v", file, reason(err))}
	}
	if err := c.fromFile(file, string(b)); err != nil {
		return c, err
	}
	for _, s := range settings {
		name := "TEND_" + strings.ToUpper(s.key)
		if v := env(name); v != "" {
			if err := s.set(&c, v); err != nil {
				return c, usagef("%s=%q: %v", name, v, err)
			}
		}
	}
	return c, nil
}

func (c *config) fromFile(file, text string) error {
	values := map[string]any{}
	if _, err := toml.Decode(text, &values); err != nil {
		var pe toml.ParseError
		if errors.As(err, &pe) {
			return usagef("%s:%d: %s", file, pe.Position.Line, oneLine(pe.Message))
		}
		return usagef("%s: %v", file, err)
	}
	keys := make([]string, 0, len(values))
	for k := range values {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		i := slices.IndexFunc(settings, func(s setting) bool { return s.key == k })
		if i < 0 {
			return usagef("%s:%d: there is no key %q: tend help config lists them", file, lineOf(text, k), k)
		}
		if err := settings[i].set(c, asText(values[k])); err != nil {
			return usagef("%s:%d: %s: %v", file, lineOf(text, k), k, err)
		}
	}
	return nil
}

func asText(v any) string {
	if list, ok := v.([]any); ok {
		var parts []string
		for _, x := range list {
			parts = append(parts, fmt.Sprint(x))
		}
		return strings.Join(parts, ",")
	}
	return fmt.Sprint(v)
}

// lineOf is the line on which a key, or the table of that name, stands.
func lineOf(text, key string) int {
	at := regexp.MustCompile(`^\s*\[?\[?\s*["']?` + regexp.QuoteMeta(key) + `["']?\s*[].=]`)
	for i, line := range strings.Split(text, "\n") {
		if at.MatchString(line) {
			return i + 1
		}
	}
	return 1
}

func configHelp() string {
	var b strings.Builder
	b.WriteString("Settings are in $XDG_CONFIG_HOME/tend/config.toml (~/.config/tend/config.toml); a TEND_ variable overrides one for\n" +
		"one command. The daemon reads them when it starts: after a change, tend shutdown; the next verb starts it anew,\n" +
		"and agents go on meanwhile. A session keeps the times that it was started with.\n\n" +
		"Every key, with its default:\n\n")
	for _, s := range settings {
		fmt.Fprintf(&b, "%s = %s\n    %s\n    overridden by TEND_%s\n", s.key, literal(s.show(defaultConfig())), s.help, strings.ToUpper(s.key))
	}
	return b.String()
}

// literal is a value as it stands in the file.
func literal(v string) string {
	_, number := strconv.Atoi(v)
	if number == nil || v == "true" || v == "false" {
		return v
	}
	return strconv.Quote(v)
}
