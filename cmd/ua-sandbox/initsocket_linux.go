package main

import (
	"io"
	"os"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"
)

// A control is one end of the socket between parent and init. Each message is one packet.
// The parent sends the plan, and then single bytes, the signals to pass on. It never
// closes its end while it lives, so that end of file means that it has died.
type control int

// A report is a message from init.
type report struct {
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

// controls makes both ends. Packets keep their boundaries (unix(7), SOCK_SEQPACKET).
func controls() (parent, child control, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, -1, err
	}
	return control(fds[0]), control(fds[1]), nil
}

// write sends a packet, with descriptors (unix(7), SCM_RIGHTS). If it is larger than the
// socket takes, it goes as a file, with a packet of one byte.
func (c control) write(packet []byte, fds ...int) error {
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
func (c control) send(packet []byte, fds []int) error {
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

// read reads a packet and its descriptors. The error is io.EOF when the other end is
// closed. The size is asked for first, since a packet that does not fit is cut.
func (c control) read() (packet []byte, fds []int, err error) {
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
func (c control) receive(packet, rights []byte, flags int) (n, rn int, err error) {
	for {
		n, rn, _, _, err = unix.Recvmsg(int(c), packet, rights, flags)
		if err != unix.EINTR {
			return n, rn, err
		}
	}
}

// report reads one report.
func (c control) report() (r report, fds []int, err error) {
	packet, fds, err := c.read()
	if err == nil {
		err = unpack(packet, &r)
	}
	return r, fds, err
}
