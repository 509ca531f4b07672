package holder

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
)

// Frame types. A frame is one byte of type, four of length, and the payload.
// A client that meets a type it does not know passes over it; a holder ends the
// connection, so a newer client looks at the version in the hello first.
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
	FReply     = 'r' // holder: Reply, to each input, resize, stop and ack
	FError     = 'e' // holder: Problem, before it ends the connection
)

// MaxFrame bounds a payload in bytes; a longer one ends the connection. What a
// client sends besides input is bounded by maxRequest.
const MaxFrame = 4 << 20

const maxRequest = 64 << 10

// MaxInput is how much one input frame can carry, in bytes.
const MaxInput = MaxFrame - maxRequest

// The roles. Only a daemon acknowledges the end; a preview only looks, and is
// no viewer.
const (
	RoleDaemon  = "daemon"
	RoleViewer  = "viewer"
	RolePreview = "preview"
)

// Hello begins a connection.
type Hello struct {
	Version int    `json:"version"`
	Role    string `json:"role"`
	Run     int    `json:"run"`
}

// InputHeader says who types, and under which conditions.
type InputHeader struct {
	By             string `json:"by"`
	QuietMS        int64  `json:"quietMs,omitempty"`
	IfNoUnfinished bool   `json:"ifNoUnfinished,omitempty"`
	FreeAtMS       int64  `json:"freeAtMs,omitempty"` // what a person typed before is no unfinished line
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
	Stopped bool   `json:"stopped,omitempty"` // state T
	Full    string `json:"full,omitempty"`    // why output cannot be written now
	Held    int    `json:"held,omitempty"`    // bytes of output that wait in memory
}

// Problem is why a connection is ended.
type Problem struct {
	Why    string `json:"why"` // wrongRun, version, request
	Detail string `json:"detail"`
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

// ReadFrame reads one frame of at most MaxFrame bytes.
func ReadFrame(r io.Reader) (kind byte, payload []byte, err error) {
	return readFrame(r, func(byte) int { return MaxFrame })
}

// readRequest reads one frame of a client.
func readRequest(r io.Reader) (kind byte, payload []byte, err error) {
	return readFrame(r, func(kind byte) int {
		if kind == FInput {
			return MaxFrame
		}
		return maxRequest
	})
}

// readFrame takes memory as bytes come, not as the length promises.
func readFrame(r io.Reader, limit func(kind byte) int) (kind byte, payload []byte, err error) {
	var head [5]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}
	n := int(binary.BigEndian.Uint32(head[1:]))
	if n > limit(head[0]) {
		return 0, nil, errFrame
	}
	for len(payload) < n {
		had := len(payload)
		payload = append(payload, make([]byte, min(n-had, chunk))...)
		if _, err := io.ReadFull(r, payload[had:]); err != nil {
			return 0, nil, err
		}
	}
	return head[0], payload, nil
}
