// Package syscalls acts on system calls of the command before the kernel does them.
//
// It lets programs rename folders of an overlay's lower layer. The kernel answers EXDEV
// to that unless it may leave redirections, which it may not for ordinary users
// (overlayfs.rst, "Renaming directories"). mv(1) copies then; git and others fail.
//
// A seccomp filter tells of each rename before it happens (seccomp(2),
// SECCOMP_RET_USER_NOTIF). If it is a rename of such a folder, the folder is made again
// in the upper layer, at its place, out of links to its own files, so that what is seen
// stays the same. Then the call continues with the rights of its caller.
//
// A file that is linked in the view has another inode for each name there. So the kernel
// does not see that a rename of one such name to another does nothing, and answers
// ESTALE. Such a call is answered with 0.
//
// The filter also tells of what goes to the network and of writes outside of the
// overlays, since no try can take those back. And it tells of files of the lower layer
// that are changed, since the upper layer alone does not tell a file that replaces one
// from a new one.
package syscalls

import (
	"unsafe"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-try/internal/overlay"
)

// Requests and flags of the listener (linux/seccomp.h).
const (
	notifSetFlags = 0x40082104 // not of every architecture in x/sys

	syncWakeUp = 1 // Linux 6.6
)

// response is struct seccomp_notif_resp.
type response struct {
	id    uint64
	val   int64
	error int32
	flags uint32
}

// atOnce is how many calls are answered at the same time. Looking at a path can take as
// long as the server of a file system takes, and that may be a process of the command
// that waits for an answer itself.
const atOnce = 8

// Serve answers the listener until no process is left that could ask.
func Serve(listener int, covers []overlay.Open, hear Hearer) {
	s := &server{covers: covers, hear: hear}
	for range atOnce - 1 {
		go s.serve(listener)
	}
	s.serve(listener)
}

// serve answers calls one after the other.
func (s *server) serve(listener int) {
	for {
		var n notif
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(listener), unix.SECCOMP_IOCTL_NOTIF_RECV,
			uintptr(unsafe.Pointer(&n)))
		switch errno {
		case 0:
			s.answer(listener, &n)
		case unix.EINTR, unix.ENOENT: // the caller was killed
		default:
			return
		}
	}
}

// answer prepares what a call needs and has the kernel do it.
func (s *server) answer(listener int, n *notif) {
	if n.nr == unix.SYS_CONNECT || n.nr == unix.SYS_SENDTO {
		if to, ok := n.address(); ok {
			s.hear.Spoken(to)
		}
		goOn(listener, n.id)
		return
	}
	list := n.names()
	s.writes(n, list)
	if len(list) != 2 { // no rename
		goOn(listener, n.id)
		return
	}
	names := [2]named(list)
	if s.sameFile(n, names) {
		send(listener, response{id: n.id}) // it does nothing, and that is done
		return
	}
	for _, f := range s.folders(n, names) {
		s.prepare(f)
		f.close()
	}
	goOn(listener, n.id)
}

// goOn has the kernel do the call.
func goOn(listener int, id uint64) {
	send(listener, response{id: id, flags: unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE})
}

// send answers a call. An error means that the caller is gone.
func send(listener int, r response) {
	_, _, _ = unix.Syscall(unix.SYS_IOCTL, uintptr(listener), unix.SECCOMP_IOCTL_NOTIF_SEND,
		uintptr(unsafe.Pointer(&r)))
}
