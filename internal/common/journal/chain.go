package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
)

// A Hash is the first 16 bytes of the SHA-256 of a stored line without its
// newline, in hex. A journal's first line follows the zero hash, First.
type Hash [32]byte

// First is what the first line of a journal gives as its "prev".
const First = "00000000000000000000000000000000"

const (
	prevKey     = `,"prev":"`
	redactedKey = `,"redacted":"`
	prevLen     = len(prevKey) + len(Hash{}) + len(`"}`)
	redactedLen = len(redactedKey) + len(Hash{}) + len(`"`)
)

// Seal appends line with the member "prev" at its end, which chains it to the
// line before, and returns the new line's hash. Blanks around the line and a
// "prev" that it has are left out. line is a JSON object with a member.
func Seal(dst, line []byte, prev Hash) ([]byte, Hash) {
	line = Bare(bytes.TrimSpace(line))
	from := len(dst)
	dst = append(dst, line[:len(line)-1]...)
	dst = append(append(append(dst, prevKey...), prev[:]...), `"}`...)
	return dst, Sum(dst[from:])
}

// Prev is the hash that line says is the one of the line before.
func Prev(line []byte) (h Hash, ok bool) {
	i := len(line) - prevLen
	if i <= 0 || !bytes.HasPrefix(line[i:], []byte(prevKey)) || !bytes.HasSuffix(line, []byte(`"}`)) {
		return h, false
	}
	copy(h[:], line[i+len(prevKey):])
	return h, isHex(h)
}

// Redacted is the hash of the line in whose place this stub stands.
func Redacted(line []byte) (h Hash, ok bool) {
	i := len(line) - prevLen - redactedLen
	if i <= 0 || !bytes.HasPrefix(line[i:], []byte(redactedKey)) || line[len(line)-prevLen-1] != '"' {
		return h, false
	}
	copy(h[:], line[i+len(redactedKey):])
	_, ok = Prev(line)
	return h, ok && isHex(h)
}

// Sum is the hash of a stored line: for the stub of a redacted one that of the
// line it stands for, so that the chain still holds.
func Sum(line []byte) (h Hash) {
	if h, ok := Redacted(line); ok {
		return h
	}
	sum := sha256.Sum256(line)
	hex.Encode(h[:], sum[:len(h)/2])
	return h
}

// Bare is line without the member "prev" that Seal adds.
func Bare(line []byte) []byte {
	if _, ok := Prev(line); ok {
		i := len(line) - prevLen
		return append(line[:i:i], '}')
	}
	return line
}

func isHex(h Hash) bool {
	for _, c := range h {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// Stub is what stays of a redacted line: line, which says it in the place of one
// with the hash was, behind one with the hash prev.
func Stub(line []byte, was, prev Hash) []byte {
	line = bytes.TrimSpace(line)
	if tail := len(line) - redactedLen - 1; tail > 0 && bytes.HasPrefix(line[tail:], []byte(redactedKey)) {
		line = append(line[:tail:tail], '}')
	}
	out := append(bytes.Clone(line[:len(line)-1]), redactedKey...)
	out = append(append(append(out, was[:]...), '"'), prevKey...)
	return append(append(out, prev[:]...), `"}`...)
}
