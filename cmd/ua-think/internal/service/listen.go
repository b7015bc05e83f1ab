package service

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"syscall"

	"ua/internal/common/prog"
)

// maxSocketPath is the longest path of a Unix socket (unix(7), sun_path).
const maxSocketPath = 107

// ListenUnix listens on a Unix socket that only its owner can connect to. A socket on
// which nobody listens any more is replaced. The mode is set by the umask, since chmod
// after the bind would leave a moment in which anybody could connect.
func ListenUnix(path string) (net.Listener, error) {
	if len(path) > maxSocketPath {
		return nil, prog.Errorf(prog.Trouble, "%q: a socket's path has at most %d bytes",
			path, maxSocketPath).Hintf("use a folder with a shorter path")
	}
	if info, err := os.Lstat(path); err == nil {
		if info.Mode().Type() != fs.ModeSocket {
			return nil, prog.Errorf(prog.Trouble, "%q: a file is there that is not a socket", path)
		}
		if c, err := net.Dial("unix", path); err == nil {
			c.Close()
			return nil, prog.Errorf(prog.Trouble, "%q: another program is listening there", path)
		}
		if err := os.Remove(path); err != nil {
			return nil, prog.Errorf(prog.Trouble, "%q: %v", path, errors.Unwrap(err))
		}
	}
	old := syscall.Umask(0o177)
	l, err := net.Listen("unix", path)
	syscall.Umask(old)
	if err != nil {
		return nil, prog.Errorf(prog.Trouble, "%q: %v", path, cause(err))
	}
	return l, nil
}

// ListenTCP listens on HOST:PORT, which must be an address of this machine.
func ListenTCP(address string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if ip := net.ParseIP(host); err != nil || host != "localhost" && !ip.IsLoopback() {
		return nil, prog.Errorf(prog.Trouble, "--listen: %q is not a loopback address",
			address).Hintf("write 127.0.0.1:PORT")
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, prog.Errorf(prog.Trouble, "%q: %v", address, cause(err))
	}
	return l, nil
}

// ListenFD listens on a socket that the caller has opened as descriptor fd.
func ListenFD(fd int) (net.Listener, error) {
	f := os.NewFile(uintptr(fd), "socket")
	if f == nil {
		return nil, prog.Errorf(prog.Trouble, "--socket-fd: %d is not a descriptor", fd)
	}
	defer f.Close()
	l, err := net.FileListener(f)
	if err != nil {
		return nil, prog.Errorf(prog.Trouble, "--socket-fd: descriptor %d: %v", fd, cause(err))
	}
	return l, nil
}

// cause returns the innermost error, without the addresses that package net adds.
func cause(err error) error {
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	return err
}
