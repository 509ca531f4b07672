package holder

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
)

// Frame types. A frame is one byte of type, four of length, and the payload.
const (
	FHello     = 'h' // both: Hello
	FFollow    = 'f' // client: 8 bytes of offset; output and events from there on
	FInput     = 'i' // client: 4 bytes of header length, InputHeader, bytes
	FResize    = 'z' // client: Size; holder: Sized
	FStop      = 's' // client: StopOrder
	FStatus    = 'q' // client: empty; holder: Status
	FAck       = 'a' // client: empty; the end is on record elsewhere
	FData      = 'd' // holder: 8 bytes of offset, bytes
	FGap       = 'g' // holder: Gap
	FTyped     = 't' // holder: Typed
	FViewers   = 'v' // holder: Count
	FSuspended = 'p' // holder: Flag
	FExit      = 'x' // holder: Exit, after the last output
	FReply     = 'r' // holder: Reply, to input, resize, stop and ack, in order
)

// MaxFrame bounds a payload; a longer one ends the connection.
const MaxFrame = 4 << 20

// Hello begins a connection.
type Hello struct {
	Version int    `json:"version"`
	Role    string `json:"role"` // daemon, viewer, preview
	Run     int    `json:"run"`
}

// InputHeader says who types, and under which conditions.
type InputHeader struct {
	By             string `json:"by"`
	QuietMS        int64  `json:"quietMs,omitempty"`
	IfNoUnfinished bool   `json:"ifNoUnfinished,omitempty"`
}

// Size is a terminal's size.
type Size struct {
	Offset int64 `json:"offset"`
	Cols   int   `json:"cols"`
	Rows   int   `json:"rows"`
}

// StopOrder is the stop policy.
type StopOrder struct {
	Signal  int   `json:"signal"`
	GraceMS int64 `json:"graceMs"`
}

// Status is the holder's view of its run.
type Status struct {
	Record
	Exit    *Exit  `json:"exit,omitempty"`
	Viewers int    `json:"viewers"`
	End     int64  `json:"end"`
	Full    string `json:"full,omitempty"`
}

// Typed tells that somebody typed.
type Typed struct {
	AtMS       int64  `json:"at"`
	By         string `json:"by"`
	Submitted  bool   `json:"submitted,omitempty"`
	Unfinished bool   `json:"unfinished,omitempty"`
}

// Reply answers a request.
type Reply struct {
	Refused string `json:"refused,omitempty"`
	Detail  string `json:"detail,omitempty"`
	Left    []int  `json:"left,omitempty"`
}

var errFrame = errors.New("frame too long")

// WriteFrame writes one frame.
func WriteFrame(w io.Writer, kind byte, parts ...[]byte) error {
	n := 0
	for _, p := range parts {
		n += len(p)
	}
	buf := make([]byte, 5, 5+n)
	buf[0] = kind
	binary.BigEndian.PutUint32(buf[1:], uint32(n)) //nolint:gosec // bounded by the callers
	for _, p := range parts {
		buf = append(buf, p...)
	}
	_, err := w.Write(buf)
	return err
}

// WriteJSON writes one frame whose payload is v.
func WriteJSON(w io.Writer, kind byte, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return WriteFrame(w, kind, b)
}

// ReadFrame reads one frame.
func ReadFrame(r io.Reader) (kind byte, payload []byte, err error) {
	var head [5]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}
	n := binary.BigEndian.Uint32(head[1:])
	if n > MaxFrame {
		return 0, nil, errFrame
	}
	payload = make([]byte, n)
	_, err = io.ReadFull(r, payload)
	return head[0], payload, err
}
