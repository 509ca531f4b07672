package fakemodel

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestLogIsReadInOrderAndWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l Log
		l.add(Entry{Kind: Asked, Text: "one"})
		if e, err := l.Next(t.Context()); err != nil || e.Text != "one" || e.N != 1 || e.Of != 1 {
			t.Fatalf("%+v, %v", e, err)
		}
		got := make(chan string, 2)
		go func() {
			e, err := l.Next(t.Context())
			got <- e.Text + errText(err)
		}()
		go func() {
			e, err := l.Find(t.Context(), 0, func(e Entry) bool { return e.Text == "three" })
			got <- e.Text + errText(err)
		}()
		synctest.Wait()
		l.add(Entry{Kind: Asked, Text: "two"})
		if s := <-got; s != "two" {
			t.Fatal(s)
		}
		l.add(Entry{Kind: Answered, Of: 1, Text: "three"})
		if s := <-got; s != "three" {
			t.Fatal(s)
		}
	})
}

func TestLogStopsWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l Log
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := l.Next(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
		if _, err := l.Find(ctx, 0, func(Entry) bool { return true }); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
	})
}

func TestLogIsBounded(t *testing.T) {
	var l Log
	for range keptEntries + 5 {
		l.add(Entry{Text: strings.Repeat("x", 2*keptText)})
	}
	all := l.All()
	if len(all) != keptEntries || len(all[0].Text) != keptText {
		t.Fatalf("%d entries of %d bytes", len(all), len(all[0].Text))
	}
	if e, err := l.Next(t.Context()); err != nil || e.N != 6 {
		t.Fatalf("%d, %v: the gap shows what was lost", e.N, err)
	}
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
