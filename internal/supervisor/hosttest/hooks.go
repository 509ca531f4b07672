package hosttest

import (
	"strings"

	"github.com/tendhq/tend/internal/session"
)

// hooksAreRead: an agent finds its run's folder in its environment, its files in
// there, and what its hooks append is told.
func hooksAreRead(k *kit) {
	l := k.script(`cat "$TEND_RUN/settings" "$1"; read x
		printf '%s\n' '{"seq":1,"at":"2026-12-01T10:00:00Z","via":"hook","payload":{"event":"one"}}' >>"$TEND_RUN/hooks.jsonl"; read x
		printf '%s\n%s' '{"seq":2,"via":"hook","payload":{"event":"two"}}' '{"seq":3,"via"' >>"$TEND_RUN/hooks.jsonl"; read x`)
	l.Argv = append(l.Argv, "sh", session.RunFolder+"/settings")
	l.Env = append(l.Env, "TEND_RUN="+session.RunFolder)
	l.Files = []session.LaunchFile{{Name: "settings", Data: "made for this run\n"}}
	ref := k.startLaunch(l)
	r := k.follow(ref, 0)
	k.until(r, "its own file, twice", func(r *reading) bool { return strings.Count(r.out.String(), "made for this run") == 2 })
	news, leave := k.ListenHooks(ref)
	defer leave()
	first := k.hooks(ref, 0)
	if len(first) != 0 {
		k.Fatalf("hooks of nobody: %+v", first)
	}
	enter := session.Input{By: session.FromPerson, Data: []byte("\r")}
	k.ok(k.Write(k.ctx, ref, enter))
	got := k.moreHooks(ref, news, 0)
	if len(got) != 1 || string(got[0].Payload) != `{"event":"one"}` || got[0].At.IsZero() || got[0].Torn {
		k.Fatalf("%+v", got)
	}
	k.ok(k.Write(k.ctx, ref, enter))
	got = k.moreHooks(ref, news, got[0].Offset)
	if len(got) != 1 || string(got[0].Payload) != `{"event":"two"}` {
		k.Fatalf("a line that has no end yet is none: %+v", got)
	}
	if again := k.hooks(ref, got[0].Offset); len(again) != 0 {
		k.Fatalf("taken and read again: %+v", again)
	}
}

func (k *kit) hooks(ref session.RunRef, offset int64) []session.HookFired {
	k.Helper()
	list, err := k.ReadHooks(k.ctx, ref, offset)
	k.ok(err)
	return list
}

// moreHooks waits for hooks after offset.
func (k *kit) moreHooks(ref session.RunRef, news <-chan struct{}, offset int64) []session.HookFired {
	k.Helper()
	for {
		if list := k.hooks(ref, offset); len(list) > 0 {
			return list
		}
		select {
		case <-news:
		case <-k.ctx.Done():
			k.Fatal("no news of a hook")
		}
	}
}
