package api

import (
	"fmt"
	"time"
)

const timeLayout = "2006-01-02T15:04:05.000Z"

// Time is an instant on the wire: RFC 3339 in UTC with exactly three decimals,
// cut, not rounded, so that nothing seems to come before its cause.
type Time struct{ time.Time }

// TimeOf is t for the wire; a zero t is a zero Time, which is left out.
func TimeOf(t time.Time) Time { return Time{t} }

// String is the wire form, "" for the zero Time.
func (t Time) String() string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(timeLayout)
}

// MarshalJSON writes the wire form; the zero Time, which every field leaves
// out, is null.
func (t Time) MarshalJSON() ([]byte, error) {
	if t.IsZero() {
		return []byte("null"), nil
	}
	return []byte(`"` + t.String() + `"`), nil
}

// UnmarshalJSON reads any RFC 3339 time.
func (t *Time) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*t = Time{}
		return nil
	}
	var std time.Time
	if err := std.UnmarshalJSON(b); err != nil {
		return fmt.Errorf("read time: %w", err)
	}
	*t = Time{std.UTC()}
	return nil
}
