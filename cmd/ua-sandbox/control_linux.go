package main

import (
	"encoding/json"
	"errors"
	"io"
	"syscall"

	"golang.org/x/sys/unix"
)

// A control is an end of the socket between parent and init: one message a
// packet. The parent sends the plan, then single bytes, the signals to pass on.
// It never closes its end while it lives, so that end of file means its death.
type control int

// A report is what init sends.
type report struct {
	Step   string        `json:"step,omitempty"` // what failed, if something did
	Error  string        `json:"error,omitempty"`
	Errno  syscall.Errno `json:"errno,omitempty"`
	Port   int           `json:"port,omitempty"` // the proxy's listener comes with this one
	Exited bool          `json:"exited,omitempty"`
	Status int           `json:"status,omitempty"` // wait status of the command
	Ready  bool          `json:"ready,omitempty"`  // all layers stand
}

// maxPacket bounds a message; the kernel's default buffer holds as much.
const maxPacket = 1 << 20

// controls makes both ends.
func controls() (parent, child control, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, -1, err
	}
	for _, fd := range fds {
		_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_SNDBUF, maxPacket)
	}
	return control(fds[0]), control(fds[1]), nil
}

// send sends v as JSON, and descriptors with it.
func (c control) send(v any, fds ...int) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return c.write(text, fds...)
}

func (c control) write(packet []byte, fds ...int) error {
	var rights []byte
	if len(fds) > 0 {
		rights = unix.UnixRights(fds...)
	}
	for {
		err := unix.Sendmsg(int(c), packet, rights, nil, unix.MSG_NOSIGNAL)
		if err != unix.EINTR {
			return err
		}
	}
}

// read reads a message and the descriptors that came with it; io.EOF when the
// other end is closed.
func (c control) read(buf []byte) (packet []byte, fds []int, err error) {
	rights := make([]byte, unix.CmsgSpace(4*8))
	for {
		n, rn, flags, _, err := unix.Recvmsg(int(c), buf, rights, unix.MSG_CMSG_CLOEXEC)
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return nil, nil, err
		case n == 0:
			return nil, nil, io.EOF
		case flags&(unix.MSG_TRUNC|unix.MSG_CTRUNC) != 0:
			return nil, nil, errors.New("control: a message is cut")
		}
		messages, err := unix.ParseSocketControlMessage(rights[:rn])
		for _, m := range messages {
			if got, err := unix.ParseUnixRights(&m); err == nil {
				fds = append(fds, got...)
			}
		}
		return buf[:n], fds, err
	}
}

// report reads one report.
func (c control) report(buf []byte) (r report, fds []int, err error) {
	packet, fds, err := c.read(buf)
	if err == nil {
		err = json.Unmarshal(packet, &r)
	}
	return r, fds, err
}
