package jobserver

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"ua/internal/common/config"
	"ua/internal/common/procfs"
)

// Take waits for a slot of the jobserver that MAKEFLAGS names, and returns nil if there
// is none. Call it before this process opens any file: make tells the numbers of
// descriptors even to a recipe that it has not marked with +, which does not have them.
func Take() *Slot {
	in, out := jobserver(authOf(os.Getenv("MAKEFLAGS")))
	if in == nil {
		return nil
	}
	defer in.Close()
	defer out.Close()
	name := recipe()
	for token := []byte{0}; ; {
		if own := ownSlot(name); own != nil {
			return &Slot{own: own}
		}
		// A byte is a slot; it has to be given back as it came.
		n, err := unix.Read(int(in.Fd()), token)
		if n == 1 {
			return keepSlot(token[0], out)
		}
		if err != unix.EAGAIN && err != unix.EINTR {
			return nil // make is gone
		}
		// The recipe's own slot may become free as well, and nothing reports that, so
		// both are tried again.
		fds := []unix.PollFd{{Fd: int32(in.Fd()), Events: unix.POLLIN}}
		_, _ = unix.Poll(fds, int((50 * time.Millisecond).Milliseconds()))
	}
}

// jobserver opens both ends of make's pipe again through /proc. A new open file
// description can be set not to block without changing make's own.
func jobserver(auth string) (in, out *os.File) {
	from, to := "", ""
	if path, ok := strings.CutPrefix(auth, "fifo:"); ok {
		from, to = path, path
	} else if r, w, ok := strings.Cut(auth, ","); ok {
		from, to = "/proc/self/fd/"+r, "/proc/self/fd/"+w
	}
	// Both ends must be those of one pipe. The numbers could be files of other programs.
	var a, b unix.Stat_t
	if from == "" || unix.Stat(from, &a) != nil || unix.Stat(to, &b) != nil || a.Ino != b.Ino ||
		a.Dev != b.Dev || a.Mode&unix.S_IFMT != unix.S_IFIFO {
		return nil, nil
	}
	r, err := unix.Open(from, unix.O_RDWR|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, nil
	}
	w, err := unix.Open(to, unix.O_WRONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		unix.Close(r)
		return nil, nil
	}
	return os.NewFile(uintptr(r), from), os.NewFile(uintptr(w), to)
}

// recipe returns a name for the recipe that this process belongs to. That is the process
// which make started for it: the topmost ancestor with our MAKELEVEL.
func recipe() string {
	level, pid := os.Getenv("MAKELEVEL"), os.Getpid()
	for {
		p, _ := procfs.Read(pid)
		above := p.Parent
		env, err := os.ReadFile("/proc/" + strconv.Itoa(above) + "/environ")
		if above <= 1 || err != nil || !bytes.Contains(append([]byte{0}, env...),
			[]byte("\x00MAKELEVEL="+level+"\x00")) {
			return fmt.Sprintf("%d-%d", pid, p.Start)
		}
		pid = above
	}
}

// ownSlot takes the recipe's own slot, or returns nil if another process has it. It is
// held by binding an abstract socket name, which the kernel frees however its holder ends
// (unix(7)).
func ownSlot(name string) *os.File {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	address := fmt.Sprintf("@ua-slot-%d-%s", os.Getuid(), name)
	if unix.Bind(fd, &unix.SockaddrUnix{Name: address}) != nil {
		unix.Close(fd)
		return nil
	}
	return os.NewFile(uintptr(fd), address)
}

// givesBack is the shell line of the process that gives a slot back. It waits for the end
// of its standard input, which comes however this process ends.
const givesBack = `cat >/dev/null; printf '%b' "$1" >&3`

// keepSlot starts a process that will give the slot back. If that fails, the slot is
// given back at once, because make waits for all of them.
func keepSlot(token byte, out *os.File) *Slot {
	r, w, err := os.Pipe()
	if err == nil {
		cmd := exec.Command("/bin/sh", "-c", givesBack, "ua-slot", fmt.Sprintf(`\0%03o`, token))
		cmd.Stdin, cmd.ExtraFiles = r, []*os.File{out}
		cmd.Env = config.OutsideEnv(nil)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // no signal of the terminal is for it
		err = cmd.Start()
		r.Close()
		if err == nil {
			return &Slot{keeper: cmd.Process.Pid, leash: w}
		}
		w.Close()
	}
	_, _ = unix.Write(int(out.Fd()), []byte{token})
	return nil
}

// awaitKeeper waits until the slot is given back: make counts its slots when it ends.
func (s *Slot) awaitKeeper() {
	for {
		if _, err := unix.Wait4(s.keeper, nil, 0, nil); err != unix.EINTR {
			return
		}
	}
}
