// Package report has bash and ua-sandbox tell of a command by descriptors of their own:
// nothing that the command prints can pass for what they say.
package report

import (
	"syscall"

	"ua/cmd/ua-exec/internal/pipe"
)

// The descriptors of a command's programs: high ones, which no script takes for its own.
const (
	NetLogFD  = 185
	NotRunFD  = 186
	StatusFD  = 187
	PreludeFD = 188
	ScriptFD  = 189
)

// A told is the pipe of one of these descriptors. A nil one tells nothing.
type told struct{ fd, r, w int }

func newTold(fd int) (*told, error) {
	r, w, err := pipe.Raw()
	if err != nil {
		return nil, err
	}
	return &told{fd, r, w}, nil
}

// Give adds the descriptor to those of a command, and to theirs what only the command needs.
func (t *told) Give(f pipe.Files, theirs *pipe.Ends) pipe.Files {
	theirs.Add(pipe.Descriptor(t.w))
	return f.Put(t.fd, uintptr(t.w))
}

// read returns what was told, at most so many bytes, and ends the pipe.
func (t *told) read(most int) []byte {
	if t == nil {
		return nil
	}
	defer syscall.Close(t.r)
	b := make([]byte, most)
	n, err := syscall.Read(t.r, b)
	if err != nil || n <= 0 {
		return nil
	}
	return b[:n]
}
