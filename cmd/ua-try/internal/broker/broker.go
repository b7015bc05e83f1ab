//go:build linux

// Package broker lets a command in a sandbox have a try. Landlock lets nobody mount
// (landlock(7)), so a server outside makes the view and runs the command in it, in a
// sandbox that is as narrow as that of the process that asks.
//
// A client sends one byte with its standard input, output and error (SCM_RIGHTS,
// unix(7)), then a Request as a line of JSON, and then a byte for each signal. The answer
// is a Reply, on a line. When the connection ends, the command is ended.
package broker

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-try/internal/tree"
)

// A Request asks for a command in a try, or for a verb on a try that was made so.
type Request struct {
	Token  string      `json:"token"`
	Verb   string      `json:"verb,omitempty"`  // "" runs the command
	Flags  []string    `json:"flags,omitempty"` // of the verb
	Words  []tree.Name `json:"words"`           // the command, or the verb's operands
	Dir    tree.Name   `json:"dir,omitempty"`   // where the command starts
	Env    []tree.Name `json:"env,omitempty"`   // what it finds in its environment
	Except []tree.Name `json:"except,omitempty"`
	Quiet  bool        `json:"quiet,omitempty"`
}

// A Reply says how the command or the verb ended.
type Reply struct {
	Status int       `json:"status"`
	Signal int       `json:"signal,omitempty"` // that ended the command
	Try    tree.Name `json:"try,omitempty"`    // the try's folder
	Error  string    `json:"error,omitempty"`  // it was not run, or that is not known
	Hint   string    `json:"hint,omitempty"`
}

// decode reads a request. Its words become arguments, which end at a zero byte, so a word
// with one is an error.
func decode(line []byte) (q Request, err error) {
	if err := json.Unmarshal(line, &q); err != nil {
		return q, err
	}
	for _, list := range [][]tree.Name{q.Words, q.Env, q.Except, {q.Dir}} {
		for _, word := range list {
			if strings.IndexByte(string(word), 0) >= 0 {
				return q, errors.New("a word with a zero byte")
			}
		}
	}
	for _, kv := range q.Env {
		if strings.IndexByte(string(kv), '=') <= 0 {
			return q, errors.New("a variable without a name")
		}
	}
	return q, nil
}

// readLine reads from the socket up to a newline and leaves what follows it, which is
// signals. A line of more than requestMax bytes is an error.
func readLine(fd int) ([]byte, error) {
	var line []byte
	chunk := make([]byte, 64<<10)
	for {
		n, err := retry(func() (n int, err error) {
			if n, _, err = unix.Recvfrom(fd, chunk, unix.MSG_PEEK); err == nil && n > 0 {
				if end := bytes.IndexByte(chunk[:n], '\n'); end >= 0 {
					n = end + 1
				}
				n, err = unix.Read(fd, chunk[:n])
			}
			return n, err
		})
		if err == nil && n == 0 {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return nil, err
		}
		if end := bytes.IndexByte(chunk[:n], '\n'); end >= 0 {
			return append(line, chunk[:end]...), nil
		}
		line = append(line, chunk[:n]...)
		if len(line) > requestMax {
			return nil, errors.New("too long")
		}
	}
}

// writeAll writes all of text to the socket. A closed one is an error and no SIGPIPE.
func writeAll(fd int, text []byte) error {
	for len(text) > 0 {
		n, err := retry(func() (int, error) {
			return unix.SendmsgN(fd, text, nil, nil, unix.MSG_NOSIGNAL)
		})
		if err != nil {
			return err
		}
		text = text[n:]
	}
	return nil
}

// retry calls do again for as long as signals interrupt it (EINTR).
func retry(do func() (int, error)) (int, error) {
	for {
		if n, err := do(); err != unix.EINTR {
			return n, err
		}
	}
}
