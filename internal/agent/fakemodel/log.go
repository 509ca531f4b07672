package fakemodel

import (
	"context"
	"sync"
	"time"
)

// Kind says what an entry of the log is about.
type Kind string

// The kinds. Each Asked is followed by exactly one of Answered, Failed,
// Dropped and Gone with the same Of.
const (
	Asked    Kind = "asked"    // a request for an answer has arrived, whole
	Answered Kind = "answered" // its answer was written to the end
	Failed   Kind = "failed"   // it was refused with Status
	Dropped  Kind = "dropped"  // the model closed the socket
	Gone     Kind = "gone"     // the client went away first
	Probed   Kind = "probed"   // a request that asks for no answer: HEAD /, the list of models
	Unknown  Kind = "unknown"  // nothing that these APIs have; answered 404
)

// Entry is one thing that happened at a model.
type Entry struct {
	N    int // 1, 2, 3... in the order of the log
	Kind Kind
	Of   int // the N of the Asked that this is about; its own for Asked
	At   time.Time

	API          string // "anthropic", "responses", "chat" or "gemini"
	Method, Path string // without the query, which can hold a key
	Status       int    // of a refusal

	Model     string
	Stream    bool
	Title     bool     // without tools: the agent asks for itself
	Messages  int      // the length of the conversation
	Tools     []string // the names of the tools that the agent offers
	Text      string   // the newest useful text of a person, at most 2 KiB
	Result    string   // of the tool whose result is newest, at most 2 KiB
	HasResult bool     // a tool's result is what there is to answer
	Directive Directive
}

// The bounds of a log.
const (
	keptEntries = 1000
	keptText    = 2 << 10
)

// Log is what happened at one or more models, in order. It keeps the newest
// thousand entries; a gap in N says that more were lost. The zero value is
// ready. All methods may be called from any goroutine.
type Log struct {
	mu      sync.Mutex
	entries []Entry
	last    int           // N of the newest
	cursor  int           // N up to which Next has read
	more    chan struct{} // closed by the next entry; nil if nobody waits
}

// Next returns the entry after the one that the last Next returned, and waits
// for it until ctx is done. All callers share one place in the log.
func (l *Log) Next(ctx context.Context) (Entry, error) {
	for {
		l.mu.Lock()
		for _, e := range l.entries {
			if e.N > l.cursor {
				l.cursor = e.N
				l.mu.Unlock()
				return e, nil
			}
		}
		wait := l.wait()
		l.mu.Unlock()
		select {
		case <-wait:
		case <-ctx.Done():
			return Entry{}, ctx.Err()
		}
	}
}

// Find returns the first entry with N above after that fits, and waits for it
// until ctx is done. It does not move the place of Next. fits is called under
// a lock and must not call the log.
func (l *Log) Find(ctx context.Context, after int, fits func(Entry) bool) (Entry, error) {
	for {
		l.mu.Lock()
		for _, e := range l.entries {
			if e.N > after && fits(e) {
				l.mu.Unlock()
				return e, nil
			}
		}
		after = max(after, l.last)
		wait := l.wait()
		l.mu.Unlock()
		select {
		case <-wait:
		case <-ctx.Done():
			return Entry{}, ctx.Err()
		}
	}
}

// All returns a copy of what is kept, oldest first.
func (l *Log) All() []Entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]Entry(nil), l.entries...)
}

// wait is closed by the next entry. The caller holds the lock.
func (l *Log) wait() <-chan struct{} {
	if l.more == nil {
		l.more = make(chan struct{})
	}
	return l.more
}

// add gives an entry its number and its time. An Asked is about itself.
func (l *Log) add(e Entry) Entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last++
	e.N, e.At = l.last, time.Now()
	if e.Of == 0 {
		e.Of = e.N
	}
	e.Text, e.Result = cut(e.Text), cut(e.Result)
	l.entries = append(l.entries, e)
	if n := len(l.entries); n > keptEntries {
		l.entries = append(l.entries[:0], l.entries[n-keptEntries:]...)
	}
	if l.more != nil {
		close(l.more)
		l.more = nil
	}
	return e
}

func cut(text string) string { return text[:min(len(text), keptText)] }
