package screen

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
)

// A checkpoint is checkpointMagic, a version, then as uvarints columns, rows
// and history limit, then a Snapshot with all the history in packed pieces,
// each after its length as uvarint, and a CRC-32 of all before it. The
// snapshot is exact (a property the fuzz tests hold), so
// there is no second description of the state to keep in step.
const (
	checkpointMagic   = "tendscreen"
	checkpointVersion = 1
	maxHistory        = 1 << 24
	pieceSize         = 1<<16 - 1
)

// ErrCheckpoint says that bytes are no checkpoint this version can read: to
// be answered by replaying the log from the start.
var ErrCheckpoint = errors.New("screen: not a readable checkpoint")

// Checkpoint is the whole state, history and unfinished input included, for
// Restore. It holds no events and no receiver of them.
func (t *Terminal) Checkpoint() []byte {
	b := append([]byte(checkpointMagic), checkpointVersion)
	for _, n := range [...]int{t.cols, t.rows, t.history.limit} {
		b = binary.AppendUvarint(b, uint64(n))
	}
	table := new([tableSize]uint16)
	for shot := t.Snapshot(-1); len(shot) > 0; {
		n := min(len(shot), pieceSize)
		packed := compress(nil, shot[:n], table)
		b = append(binary.AppendUvarint(b, uint64(len(packed))), packed...)
		shot = shot[n:]
	}
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
}

// Restore is the terminal that Checkpoint was taken of; its errors wrap
// ErrCheckpoint.
func Restore(b []byte) (*Terminal, error) {
	head := len(checkpointMagic) + 1
	if len(b) < head+4 || string(b[:head-1]) != checkpointMagic {
		return nil, fmt.Errorf("%w: no header", ErrCheckpoint)
	}
	if b[head-1] != checkpointVersion {
		return nil, fmt.Errorf("%w: version %d", ErrCheckpoint, b[head-1])
	}
	body := b[:len(b)-4]
	if crc32.ChecksumIEEE(body) != binary.BigEndian.Uint32(b[len(body):]) {
		return nil, fmt.Errorf("%w: damaged", ErrCheckpoint)
	}
	body = body[head:]
	var sizes [3]int
	for i, limit := range [...]uint64{maxSide, maxSide, maxHistory} {
		n, size := binary.Uvarint(body)
		if size <= 0 || n > limit {
			return nil, fmt.Errorf("%w: size out of range", ErrCheckpoint)
		}
		sizes[i], body = int(n), body[size:]
	}
	opts := Options{History: sizes[2]}
	if sizes[2] == 0 {
		opts.History = -1
	}
	t := New(sizes[0], sizes[1], opts)
	for len(body) > 0 {
		n, size := binary.Uvarint(body)
		if size <= 0 || n > uint64(len(body)-size) {
			return nil, fmt.Errorf("%w: cut", ErrCheckpoint)
		}
		t.parser.parse(t, decompress(nil, body[size:size+int(n)]))
		body = body[size+int(n):]
	}
	return t, nil
}
