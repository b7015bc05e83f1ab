// Package control is the socket between the stage outside and init, and what passes on it.
package control

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// A Socket is one end of the socket between parent and init. Each message is one packet.
// The parent sends the plan, and then single bytes, the signals to pass on. It never
// closes its end while it lives, so that end of file means that it has died.
type Socket int

// A Report is a message from init.
type Report struct {
	Step   string // what failed, if something did
	Error  string
	Errno  syscall.Errno
	Port   int  // the proxy's listener comes with this one
	Ready  bool // all layers stand
	Exited bool
	Status int // wait status of the command

	Answer bool // to what the parent has asked for,
	So     bool // which is so
}

// Pair makes both ends. Packets keep their boundaries (unix(7), SOCK_SEQPACKET).
func Pair() (parent, child Socket, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, -1, err
	}
	return Socket(fds[0]), Socket(fds[1]), nil
}

// Write sends a packet, with descriptors (unix(7), SCM_RIGHTS). If it is larger than the
// socket takes, it goes as a file, with a packet of one byte.
func (c Socket) Write(packet []byte, fds ...int) error {
	err := c.send(packet, fds)
	if err != unix.EMSGSIZE {
		return err
	}
	fd, err := unix.MemfdCreate("plan", unix.MFD_CLOEXEC)
	if err != nil {
		return err
	}
	f := os.NewFile(uintptr(fd), "plan")
	defer f.Close()
	if _, err = f.Write(packet); err == nil {
		err = c.send([]byte{0}, append(slices.Clip(fds), fd))
	}
	return err
}

// send sends a packet of a size that the socket takes.
func (c Socket) send(packet []byte, fds []int) error {
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

// Read reads a packet and its descriptors. The error is io.EOF when the other end is
// closed. The size is asked for first, since a packet that does not fit is cut.
func (c Socket) Read() (packet []byte, fds []int, err error) {
	size, _, err := c.receive(nil, nil, unix.MSG_PEEK|unix.MSG_TRUNC)
	if err != nil {
		return nil, nil, err
	}
	packet, rights := make([]byte, size), make([]byte, unix.CmsgSpace(8*4))
	n, rn, err := c.receive(packet, rights, unix.MSG_CMSG_CLOEXEC)
	if err != nil || n == 0 {
		return nil, nil, io.EOF
	}
	messages, err := unix.ParseSocketControlMessage(rights[:rn])
	for _, m := range messages {
		if got, err := unix.ParseUnixRights(&m); err == nil {
			fds = append(fds, got...)
		}
	}
	if last := len(fds) - 1; err == nil && n == 1 && last >= 0 { // or a signal, without any
		packet, err = content(fds[last])
		return packet, fds[:last], err
	}
	return packet[:n], fds, err
}

// content reads a file of write's, and closes it.
func content(fd int) ([]byte, error) {
	f := os.NewFile(uintptr(fd), "plan")
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.NewSectionReader(f, 0, info.Size()))
}

// receive is recvmsg(2), repeated after a signal.
func (c Socket) receive(packet, rights []byte, flags int) (n, rn int, err error) {
	for {
		n, rn, _, _, err = unix.Recvmsg(int(c), packet, rights, flags)
		if err != unix.EINTR {
			return n, rn, err
		}
	}
}

// Report reads one report.
func (c Socket) Report() (r Report, fds []int, err error) {
	packet, fds, err := c.Read()
	if err == nil {
		err = Unpack(packet, &r)
	}
	return r, fds, err
}

// Tell sends a report, with descriptors.
func (c Socket) Tell(r Report, fds ...int) error { return c.Write(Pack(&r), fds...) }

// Err returns the error in the report, with its number if it has one, so that errors.Is
// works on it.
func (r Report) Err() error {
	if r.Errno == 0 {
		return errors.New(r.Error)
	}
	return fmt.Errorf("%s%w", strings.TrimSuffix(r.Error, r.Errno.Error()), r.Errno)
}

// What the parent asks init beside signals, by numbers that none has: for a new overlay, whether
// nothing runs but the command itself, and to remember the processes that this is.
const (
	AskRenew = 200 + iota
	AskQuiet
	AskOwn
)
