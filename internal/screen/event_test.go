package screen

import (
	"fmt"
	"strings"
)

// show writes events one per line.
func show(events []Event) string {
	var b strings.Builder
	for _, e := range events {
		fmt.Fprintf(&b, "%T%+v\n", e, e)
	}
	return b.String()
}
