package session

import "time"

// Throttle thins out changes for a screen: the first of a window at once, later
// ones of the window coalesced to the latest and delivered at its edge, which
// opens the next window. A zero Window delivers everything at once. Consumers
// that act on changes read the journal instead.
type Throttle[T any] struct {
	Window  time.Duration
	until   time.Time
	pending *T
}

// Offer hands over a change at a time; ok tells that it is to be delivered now.
func (t *Throttle[T]) Offer(at time.Time, change T) (out T, ok bool) {
	if t.Window > 0 && at.Before(t.until) {
		t.pending = &change
		return out, false
	}
	t.pending = nil
	t.until = at.Add(t.Window)
	return change, true
}

// Due is when the pending change is to be delivered; ok is false without one.
func (t *Throttle[T]) Due() (at time.Time, ok bool) { return t.until, t.pending != nil }

// Flush takes the pending change, at the window's edge or on closing.
func (t *Throttle[T]) Flush(at time.Time) (out T, ok bool) {
	if t.pending == nil {
		return out, false
	}
	out, t.pending = *t.pending, nil
	t.until = at.Add(t.Window)
	return out, true
}
