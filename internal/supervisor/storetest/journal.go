package storetest

import (
	"errors"
	"slices"
	"testing"

	"github.com/tendhq/tend/internal/session"
	"github.com/tendhq/tend/internal/supervisor"
)

// write commits n changes over k sessions and returns the entries.
func write(t *testing.T, st supervisor.Store, n, k int) []session.Entry {
	t.Helper()
	rows := make([]session.Session, k)
	for i := range rows {
		rows[i] = New(i)
	}
	var out []session.Entry
	for i := range n {
		c := Step(rows[i*i%k], "Step")
		rows[i*i%k], c.Entry.Seq = commit(t, st, c)
		out = append(out, c.Entry)
	}
	return out
}

func testJournalPages(t *testing.T, st supervisor.Store) {
	want := write(t, st, 50, 7)
	for i, e := range want {
		if e.Seq <= 0 || i > 0 && e.Seq <= want[i-1].Seq {
			t.Fatalf("sequence numbers %d, %d do not grow", want[max(i-1, 0)].Seq, e.Seq)
		}
	}
	if got := head(t, st); got != want[len(want)-1].Seq {
		t.Errorf("Head = %d, want %d", got, want[len(want)-1].Seq)
	}
	for _, size := range []int{1, 7, 49, 50, 51, 10_000} {
		var got []session.Entry
		for after := int64(0); ; {
			page := journal(t, st, "", after, size)
			if len(page) > size {
				t.Fatalf("%d entries, at most %d were asked for", len(page), size)
			}
			if len(page) == 0 {
				break
			}
			got = append(got, page...)
			after = page[len(page)-1].Seq
		}
		same(t, "pages", got, want)
	}
	if got := journal(t, st, "", want[49].Seq, 10); len(got) != 0 {
		t.Errorf("entries after the newest: %v", got)
	}
	if got := journal(t, st, "", -5, 1); len(got) != 1 || got[0].Seq != want[0].Seq {
		t.Errorf("after a negative number: %v, want the first", got)
	}
}

func testJournalOfOneSession(t *testing.T, st supervisor.Store) {
	all := write(t, st, 60, 7)
	for i := range 7 {
		id := New(i).ID
		want := slices.DeleteFunc(slices.Clone(all), func(e session.Entry) bool { return e.Session != id })
		if got := journal(t, st, id, 0, 100); len(want) > 0 || len(got) > 0 {
			same(t, "journal of "+string(id), got, want)
		}
		for j := range want {
			got := journal(t, st, id, want[j].Seq-1, 2)
			same(t, "page of "+string(id), got, want[j:min(j+2, len(want))])
		}
	}
	if got := journal(t, st, "01JNONE", 0, 10); len(got) != 0 {
		t.Errorf("journal of no session: %v", got)
	}
}

// testValues: what a store returns and takes is the caller's own.
func testValues(t *testing.T, st supervisor.Store) {
	c := Step(New(1), "Created")
	c.Entry.Effects = []string{"StartProcess"}
	commit(t, st, c)
	c.Session.Spec.Argv[0], c.Entry.Effects[0] = "changed", "changed"
	get(t, st, c.Session.ID).Spec.Argv[0] = "changed"
	load(t, st)[0].Spec.Argv[0] = "changed"
	journal(t, st, "", 0, 1)[0].Effects[0] = "changed"
	if got := get(t, st, c.Session.ID).Spec.Argv[0]; got != "sh" {
		t.Errorf("argv[0] = %q: a caller changed what is stored", got)
	}
	if got := journal(t, st, "", 0, 1)[0].Effects[0]; got != "StartProcess" {
		t.Errorf("effects[0] = %q: a caller changed what is stored", got)
	}
}

func testCancelledBefore(t *testing.T, st supervisor.Store) {
	ctx, cancel := contextWithCancel(t)
	cancel()
	for n := range 20 {
		if _, err := st.Commit(ctx, Step(New(n), "Created")); !errors.Is(err, ctx.Err()) {
			t.Fatalf("commit with an ended context: %v, want %v", err, ctx.Err())
		}
	}
	if got := head(t, st); got != 0 {
		t.Errorf("Head = %d: a cancelled commit happened", got)
	}
	if _, err := st.Load(ctx); !errors.Is(err, ctx.Err()) {
		t.Errorf("load with an ended context: %v, want %v", err, ctx.Err())
	}
	create(t, st, 1) // the store is as usable as before
}
