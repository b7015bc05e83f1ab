// Package report lets bash and ua-sandbox report on a command through descriptors of
// their own. Nothing that the command prints can be mistaken for such a report.
package report

import (
	"syscall"

	"ua/cmd/ua-exec/internal/pipe"
)

// The descriptors in the programs of a command. They are high, so that no script takes
// one for its own.
const (
	NetLogFD  = 185
	NotRunFD  = 186
	StatusFD  = 187
	PreludeFD = 188
	ScriptFD  = 189
)

// A channel is the pipe of one of these descriptors. A nil channel reports nothing.
type channel struct{ fd, r, w int }

// newChannel makes the pipe for descriptor fd.
func newChannel(fd int) (*channel, error) {
	r, w, err := pipe.Raw()
	if err != nil {
		return nil, err
	}
	return &channel{fd, r, w}, nil
}

// Give adds the descriptor to those of a command, and to theirs what only the command
// needs.
func (t *channel) Give(f pipe.Files, theirs *pipe.Ends) pipe.Files {
	theirs.Add(pipe.Descriptor(t.w))
	return f.Put(t.fd, uintptr(t.w))
}

// read returns at most so many bytes of what was reported, and closes the pipe. It does
// not wait: a process that holds the other end open must not delay a result.
func (t *channel) read(most int) []byte {
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
