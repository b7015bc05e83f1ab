//go:build linux

package main

import (
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/common/stage"
)

// address is where the gateway listens. The sandbox has a network of its own, in which the
// port is free, so that an agent's settings can name it.
const address = "127.0.0.1:4141"

// startGateway starts ua-think serve, with these options, on the socket that comes from
// inside, and tells those there once it listens. What it says of each request is noted.
func startGateway(socket *os.File, options []string, note func(line []byte)) (s *stage.Stage,
	done chan struct{}, err error) {
	listener := received(socket)
	if listener == nil {
		return nil, nil, nil // the sandbox has said why
	}
	think, err := stage.Builtin("ua-think", append([]string{"serve", "--any-model", "--socket-fd",
		"3"}, options...)...)
	if err != nil {
		return nil, nil, err
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, nil, prog.Errorf(prog.Trouble, "%v", err)
	}
	out, err := stage.Pipe()
	if err != nil {
		return nil, nil, err
	}
	think.Extra = []*os.File{listener}
	if s, err = think.Start(null, out.W, nil); err != nil {
		return nil, nil, err
	}
	ready := make(chan struct{})
	done = make(chan struct{})
	go func() {
		defer close(done)
		stage.Lines(out.R, "ua-think", func(line []byte) {
			if event.Type(line) == "gateway" {
				close(ready)
			} else {
				note(line)
			}
		})
	}()
	select {
	case <-ready:
		_, err = socket.Write([]byte{0})
	case <-s.Done():
		status, _ := s.Failure()
		err = prog.Exit(status)
	}
	return s, done, err
}

// received returns the file that comes on a socket, nil for none.
func received(socket *os.File) *os.File {
	var data [1]byte
	space := make([]byte, unix.CmsgSpace(4))
	_, n, _, _, err := unix.Recvmsg(int(socket.Fd()), data[:], space, unix.MSG_CMSG_CLOEXEC)
	messages, _ := unix.ParseSocketControlMessage(space[:n])
	if err != nil || len(messages) != 1 {
		return nil
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil || len(fds) != 1 {
		return nil
	}
	return os.NewFile(uintptr(fds[0]), filepath.Base(address))
}
