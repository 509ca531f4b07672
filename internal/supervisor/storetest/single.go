package storetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tendhq/tend/internal/session"
	"github.com/tendhq/tend/internal/supervisor"
)

func testEmpty(t *testing.T, st supervisor.Store) {
	if got := load(t, st); len(got) != 0 {
		t.Errorf("Load = %v, want none", got)
	}
	if got := head(t, st); got != 0 {
		t.Errorf("Head = %d, want 0", got)
	}
	if got := journal(t, st, "", 0, 10); len(got) != 0 {
		t.Errorf("Journal = %v, want none", got)
	}
	if got, err := st.Archived(t.Context(), "", 0); err != nil || len(got) != 0 {
		t.Errorf("Archived = %v, %v, want none", got, err)
	}
	if _, err := st.Get(t.Context(), "01JNONE"); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("Get of no session = %v, want ErrNotFound", err)
	}
}

// fill sets every field that reflection reaches to a value that is not zero.
func fill(v reflect.Value, n *int) {
	*n++
	switch {
	case v.Type() == reflect.TypeFor[time.Time]():
		v.Set(reflect.ValueOf(start.Add(time.Duration(*n) * time.Millisecond)))
		return
	case v.Type() == reflect.TypeFor[json.RawMessage]():
		v.Set(reflect.ValueOf(json.RawMessage(fmt.Sprintf(`{"n":%d}`, *n))))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), n)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), n)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0), n)
		fill(v.Index(1), n)
	case reflect.String:
		v.SetString(fmt.Sprintf("text %d", *n))
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*n))
	case reflect.Uint64:
		v.SetUint(1<<63 + uint64(*n)) // boot clocks are unsigned
	case reflect.Float64:
		v.SetFloat(float64(*n) / 8)
	case reflect.Bool:
		v.SetBool(true)
	default:
		panic("storetest: no value for " + v.Type().String())
	}
}

func testRoundTrip(t *testing.T, st supervisor.Store) {
	var c session.Change
	n := 0
	fill(reflect.ValueOf(&c).Elem(), &n)
	c.Session.ID, c.Session.Rev, c.PrevRev = New(1).ID, 1, 0
	c.Session.Life.Closed = nil
	c.Entry.Session, c.Entry.Rev = c.Session.ID, 1
	_, c.Entry.Seq = commit(t, st, c)
	same(t, "Get", get(t, st, c.Session.ID), c.Session)
	same(t, "Load", load(t, st), []session.Session{c.Session})
	same(t, "Journal", journal(t, st, "", 0, 10), []session.Entry{c.Entry})
	same(t, "Journal of the session", journal(t, st, c.Session.ID, 0, 10), []session.Entry{c.Entry})
}

func same[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	if reflect.DeepEqual(got, want) {
		return
	}
	g, _ := json.MarshalIndent(got, "", " ")
	w, _ := json.MarshalIndent(want, "", " ")
	t.Errorf("%s: got\n%s\nwant\n%s", what, g, w)
}

// testAbsentIsNotZero: nil stays nil, 0 stays 0, no time becomes 1970.
func testAbsentIsNotZero(t *testing.T, st supervisor.Store) {
	zero := 0
	for i, exit := range []*session.Exit{nil, {At: start}, {At: start, Code: &zero}, {At: start, Signal: &zero}, {At: start, Code: &zero, Signal: &zero}} {
		s := New(i)
		s.Process.Exit = exit
		s, _ = commit(t, st, Step(s, "Created"))
		same(t, fmt.Sprint("exit ", i), get(t, st, s.ID), s)
	}
	bare := session.Session{ID: "01JBARE", Rev: 1}
	commit(t, st, session.Change{Session: bare, Entry: session.Entry{Session: bare.ID, Rev: 1}})
	same(t, "bare session", get(t, st, bare.ID), bare)
	es := journal(t, st, bare.ID, 0, 1)
	same(t, "bare entry", es, []session.Entry{{Seq: es[0].Seq, Session: bare.ID, Rev: 1}})
}

func testTextIsKept(t *testing.T, st supervisor.Store) {
	texts := []string{"", "ünïcode 👩‍👩‍👧", "'; DROP TABLE sessions; --", "a\x00b", "\x1b[31m\u2028\u0085", "\ufeff%_?", strings.Repeat("long ", 1<<18)}
	for i, text := range texts {
		s := New(i)
		s.Why, s.Spec.Argv = text, []string{"sh", text}
		c := Step(s, "Created")
		detail, err := json.Marshal(map[string]string{"text": text})
		if err != nil {
			t.Fatal(err)
		}
		c.Entry.Why, c.Entry.Ignored, c.Entry.Effects, c.Entry.Detail = text, text, []string{text}, detail
		_, c.Entry.Seq = commit(t, st, c)
		same(t, "session", get(t, st, s.ID), c.Session)
		same(t, "entry", journal(t, st, s.ID, 0, 1), []session.Entry{c.Entry})
	}
}

func testCompareAndSet(t *testing.T, st supervisor.Store) {
	old := create(t, st, 1)
	s, _ := commit(t, st, Step(old, "Ready"))
	stale := []session.Change{Step(old, "Stale"), Step(New(1), "Created")}
	ahead := s
	ahead.Rev += 3
	missing := New(2)
	missing.Rev = 4
	for _, c := range append(stale, Step(ahead, "Ahead"), Step(missing, "NoRow")) {
		if _, err := st.Commit(t.Context(), c); !errors.Is(err, session.ErrConflict) {
			t.Errorf("%s: %v, want ErrConflict", c.Entry.Event, err)
		}
	}
	same(t, "after conflicts", get(t, st, s.ID), s)
	commit(t, st, Step(s, "Busy"))
}

func testMalformedChange(t *testing.T, st supervisor.Store) {
	break_ := func(f func(*session.Change)) session.Change {
		c := Step(New(1), "Created")
		f(&c)
		return c
	}
	for what, c := range map[string]session.Change{
		"no id":             break_(func(c *session.Change) { c.Session.ID, c.Entry.Session = "", "" }),
		"skipped revision":  break_(func(c *session.Change) { c.Session.Rev, c.Entry.Rev = 2, 2 }),
		"same revision":     break_(func(c *session.Change) { c.PrevRev = 1 }),
		"another's entry":   break_(func(c *session.Change) { c.Entry.Session = "01JOTHER" }),
		"entry's revision":  break_(func(c *session.Change) { c.Entry.Rev = 7 }),
		"negative revision": break_(func(c *session.Change) { c.PrevRev, c.Session.Rev, c.Entry.Rev = -1, 0, 0 }),
	} {
		_, err := st.Commit(t.Context(), c)
		if err == nil || errors.Is(err, session.ErrConflict) || errors.Is(err, session.ErrStoreUnavailable) {
			t.Errorf("%s: %v, want an error of its own: trying again never helps", what, err)
		}
	}
	if got := head(t, st); got != 0 {
		t.Errorf("Head = %d after malformed changes, want 0", got)
	}
}

func testRefusedLeavesNothing(t *testing.T, st supervisor.Store) {
	a, b := create(t, st, 1), create(t, st, 2)
	before := head(t, st)
	taken := b
	taken.Name = a.Name
	for _, c := range []session.Change{Step(New(1), "Created"), Step(taken, "Rename")} {
		if _, err := st.Commit(t.Context(), c); err == nil {
			t.Fatalf("%s was not refused", c.Entry.Event)
		}
	}
	if got := head(t, st); got != before {
		t.Errorf("Head = %d after refusals, want %d", got, before)
	}
	if _, seq := commit(t, st, Step(b, "Ready")); seq != before+1 {
		t.Errorf("seq = %d, want %d: a refused change takes no number", seq, before+1)
	}
	if got := len(journal(t, st, a.ID, 0, 10)); got != 1 {
		t.Errorf("%d entries, want 1", got)
	}
}

func testNames(t *testing.T, st supervisor.Store) {
	a, b := create(t, st, 1), create(t, st, 2)
	takes := func(s session.Session, name string) error {
		s.Name = name
		_, err := st.Commit(t.Context(), Step(s, "Rename"))
		return err
	}
	if err := takes(b, a.Name); !errors.Is(err, session.ErrNameTaken) || errors.Is(err, session.ErrConflict) {
		t.Errorf("rename to a taken name: %v, want ErrNameTaken", err)
	}
	if err := takes(New(3), a.Name); !errors.Is(err, session.ErrNameTaken) {
		t.Errorf("create with a taken name: %v, want ErrNameTaken", err)
	}
	if err := takes(a, a.Name); err != nil {
		t.Errorf("keeping its own name: %v", err)
	}
	a = archive(t, st, get(t, st, a.ID), start)
	if err := takes(b, a.Name); err != nil {
		t.Errorf("an archived session holds its name: %v", err)
	}
	reopened := a
	reopened.Life.Closed = nil
	if _, err := st.Commit(t.Context(), Step(reopened, "Reopen")); !errors.Is(err, session.ErrNameTaken) {
		t.Errorf("reopen while the name is taken: %v, want ErrNameTaken", err)
	}
	for n := 4; n < 6; n++ { // no name is not a name
		if err := takes(New(n), ""); err != nil {
			t.Errorf("a session without a name: %v", err)
		}
	}
	if err := takes(New(6), strings.ToUpper(a.Name)); err != nil {
		t.Errorf("names differ by case: %v", err)
	}
}

func testArchive(t *testing.T, st supervisor.Store) {
	var all []session.Session
	for n := range 6 {
		all = append(all, create(t, st, n))
	}
	for i, n := range []int{4, 0, 2} { // archived in this order
		all[n] = archive(t, st, all[n], start.Add(time.Duration(i)*time.Second))
	}
	same(t, "Load", ids(load(t, st)), []session.ID{all[1].ID, all[3].ID, all[5].ID})
	got, err := st.Archived(t.Context(), "", 0)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "Archived", got, []session.Session{all[2], all[0], all[4]})
	got, err = st.Archived(t.Context(), "", 2)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "Archived, 2 of 3", got, []session.Session{all[2], all[0]})
	same(t, "Get of an archived one", get(t, st, all[4].ID), all[4])
	back := all[0]
	back.Life.Closed = nil
	back, _ = commit(t, st, Step(back, "Reopen"))
	same(t, "Load after reopen", load(t, st)[0], back)
}

func testArchiveMatch(t *testing.T, st supervisor.Store) {
	for n := range 12 {
		s := New(n)
		s.Name = []string{"build", "test", "100%", "a_b"}[n%4]
		s.Life.Closed = &session.Closed{At: start.Add(time.Duration(n) * time.Second)}
		commit(t, st, Step(s, "Created"))
	}
	for match, want := range map[string][]int{
		"build":                {8, 4, 0},
		"buil":                 {},
		"BUILD":                {},
		"%":                    {},
		"a%b":                  {},
		"a_b":                  {11, 7, 3},
		string(New(7).ID):      {7},
		"01JTEST" + "00000":    {11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0},
		"1JTEST":               {},
		string(New(1).ID)[:25]: slices.DeleteFunc([]int{11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0}, func(n int) bool { return n > 9 }),
	} {
		wanted := []session.ID{}
		for _, n := range want {
			wanted = append(wanted, New(n).ID)
		}
		got, err := st.Archived(t.Context(), match, 0)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "Archived matching "+match, ids(got), wanted)
	}
}
