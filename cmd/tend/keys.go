package main

import (
	"fmt"
	"strings"
)

// parseKeys reads detach keys: ctrl- and a letter, several separated by commas.
func parseKeys(v string) ([]byte, error) {
	var out []byte
	for k := range strings.SplitSeq(v, ",") {
		name, ok := strings.CutPrefix(strings.ToLower(strings.TrimSpace(k)), "ctrl-")
		if !ok || len(name) != 1 || !strings.Contains(`abcdefghijklmnopqrstuvwxyz@\]^_`, name) {
			return nil, fmt.Errorf("%q is no detach key: give ctrl- and a letter, such as ctrl-q", k)
		}
		out = append(out, strings.ToUpper(name)[0]&0x1f)
	}
	return out, nil
}

// showKeys is how people read detach keys.
func showKeys(keys []byte) string {
	var out []string
	for _, k := range keys {
		out = append(out, "Ctrl-"+string(rune(k|0x40)))
	}
	return strings.Join(out, " ")
}
