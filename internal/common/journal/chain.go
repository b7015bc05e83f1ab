package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"hash"
)

// A Hash is the first 16 bytes of the SHA-256 of a stored line without its newline, in
// hex. A journal's first line follows the hash First.
type Hash [32]byte

// First is the "prev" of a journal's first line.
const First = "00000000000000000000000000000000"

// The members that a Sealer and a Stub add, and their lengths in bytes with the hash.
const (
	prevKey     = `,"prev":"`
	redactedKey = `,"redacted":"`
	prevLen     = len(prevKey) + len(Hash{}) + len(`"}`)
	redactedLen = len(redactedKey) + len(Hash{}) + len(`"`)
)

// A Sealer chains one line to the other. It can compute nearly all of a line's hash
// before the hash of the line before is known.
type Sealer struct {
	sum  hash.Hash
	body []byte // of the line, without its last brace
	hash [sha256.Size]byte
}

// Begin takes a line, a JSON object with at least one member, which must stay valid until
// End. Blanks around the line and an existing "prev" are left out.
func (s *Sealer) Begin(line []byte) {
	line = bytes.TrimSpace(line)
	s.body = line[:len(line)-1]
	if _, ok := Prev(line); ok {
		s.body = line[:len(line)-prevLen]
	}
	if s.sum == nil {
		s.sum = sha256.New()
	}
	s.sum.Reset()
	s.sum.Write(s.body)
}

// End appends the line to dst with the member "prev" at its end, which chains it to the
// line before. It returns the line's hash too.
func (s *Sealer) End(dst []byte, prev Hash) ([]byte, Hash) {
	from := len(dst)
	dst = append(dst, s.body...)
	dst = append(append(append(dst, prevKey...), prev[:]...), `"}`...)
	line := dst[from:]
	h, ok := Redacted(line)
	if !ok {
		s.sum.Write(line[len(s.body):])
		hex.Encode(h[:], s.sum.Sum(s.hash[:0])[:len(h)/2])
	}
	return dst, h
}

// Prev returns the hash that line gives for the line before it.
func Prev(line []byte) (h Hash, ok bool) {
	i := len(line) - prevLen
	if i <= 0 || !bytes.HasPrefix(line[i:], []byte(prevKey)) || !bytes.HasSuffix(line, []byte(`"}`)) {
		return h, false
	}
	copy(h[:], line[i+len(prevKey):])
	return h, isHex(h)
}

// Redacted returns the hash of the line that this stub replaces.
func Redacted(line []byte) (h Hash, ok bool) {
	i := len(line) - prevLen - redactedLen
	if i <= 0 || !bytes.HasPrefix(line[i:], []byte(redactedKey)) ||
		line[len(line)-prevLen-1] != '"' {
		return h, false
	}
	copy(h[:], line[i+len(redactedKey):])
	_, ok = Prev(line)
	return h, ok && isHex(h)
}

// Sum returns the hash of a stored line. For the stub of a redacted line it is the hash
// of that line, so that the chain still holds.
func Sum(line []byte) (h Hash) {
	if h, ok := Redacted(line); ok {
		return h
	}
	sum := sha256.Sum256(line)
	hex.Encode(h[:], sum[:len(h)/2])
	return h
}

// A Trail follows the chain along lines that are read in order. The zero value begins in the
// middle of a journal.
type Trail struct {
	last  Hash
	known bool // last is that of the line before
}

// Beginning returns the trail of a journal that is read from its first line.
func Beginning() (t Trail) {
	copy(t.last[:], First)
	t.known = true
	return t
}

// Holds takes the next line as it is stored, nil for one that could not be read. It reports
// whether the line follows the one before it, which counts as true where that is not known.
// The torn rest of a line follows any.
func (t *Trail) Holds(line []byte, torn bool) bool {
	was, known := t.last, t.known
	if t.known = line != nil; t.known {
		t.last = Sum(line)
	}
	if line == nil || torn {
		return true
	}
	prev, ok := Prev(line)
	return ok && (!known || prev == was)
}

// Bare returns line without the member "prev" that a Sealer adds.
func Bare(line []byte) []byte {
	if _, ok := Prev(line); ok {
		i := len(line) - prevLen
		return append(line[:i:i], '}')
	}
	return line
}

// Unmarked returns a stub without "redacted". Its "prev" has to be gone already (Bare).
func Unmarked(line []byte) []byte {
	if tail := len(line) - redactedLen - 1; tail > 0 &&
		bytes.HasPrefix(line[tail:], []byte(redactedKey)) {
		return append(line[:tail:tail], '}')
	}
	return line
}

// isHex reports whether h is hexadecimal digits in small letters.
func isHex(h Hash) bool {
	for _, c := range h {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// Stub returns what remains of a redacted line: line with the hash of the one that it
// replaces and the hash prev of the line before.
func Stub(line []byte, was, prev Hash) []byte {
	line = Unmarked(bytes.TrimSpace(line))
	out := append(bytes.Clone(line[:len(line)-1]), redactedKey...)
	out = append(append(append(out, was[:]...), '"'), prevKey...)
	return append(append(out, prev[:]...), `"}`...)
}
