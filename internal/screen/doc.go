// Package screen is tend's terminal: bytes become cells, a cursor and modes;
// cells become plain text, repaint bytes and a fingerprint of what is shown.
// The output filter stands on the same parser.
//
// It follows ECMA-48, the VT510 manual and xterm's ctlseqs, with UAX #29
// grapheme clusters and UAX #11 widths. Where those are silent or terminals
// differ it does what xterm.js and tmux agree on; the differences that remain
// are listed, with the reason, beside the oracle tests.
//
// It refuses to do I/O, to read a clock, to start goroutines and to take
// locks: a Terminal belongs to one goroutine. It answers no device query
// itself; it reports the query and the answer a terminal would give, and
// whoever owns the input decides. It draws no images and keeps no clipboard.
package screen
