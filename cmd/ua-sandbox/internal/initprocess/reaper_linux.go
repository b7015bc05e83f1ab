package initprocess

import (
	"errors"
	"os"
	"strconv"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-sandbox/internal/control"
	"ua/cmd/ua-sandbox/internal/layer"
	"ua/internal/common/procfs"
)

// A reaper waits for the command and for everything that it has left behind.
type reaper struct {
	command int
	own     bool // there is a pid namespace: all processes but this one are the command's
	view    *layer.View
	first   map[int]uint64 // the processes that are the command itself, with when they began
	done    atomic.Bool
	orphan  atomic.Bool // the parent is gone
}

// listen renews overlays and passes signals on to the command as the parent asks, and ends
// everything when the parent is gone. The end of file on the socket means that.
func (r *reaper) listen(ctl control.Socket) {
	for {
		packet, _, err := ctl.Read()
		if err != nil {
			r.orphan.Store(true)
			r.end()
			return
		}
		switch {
		case packet[0] == control.AskOwn:
			r.first = running()
			_ = ctl.Tell(control.Report{Answer: true, So: true})
		case packet[0] == control.AskQuiet:
			_ = ctl.Tell(control.Report{Answer: true, So: r.quiet()})
		case packet[0] == control.AskRenew && len(packet) == 5:
			renewed := r.quiet()
			if renewed {
				renewed, _ = renewOverlay(r.view, packet) // if it fails, the old one stays
			}
			_ = ctl.Tell(control.Report{Answer: true, So: renewed})
		case !r.done.Load():
			_ = unix.Kill(r.command, unix.Signal(packet[0]))
		}
	}
}

// quiet reports whether nothing runs in the sandbox but its command: ua-exec, which waits, and
// its supervisor.
func (r *reaper) quiet() bool {
	for pid, began := range running() {
		if pid != r.command && r.first[pid] != began {
			return false
		}
	}
	return procfs.Own()
}

// running returns the processes in the sandbox that have not ended, with when they began.
func running() map[int]uint64 {
	list := map[int]uint64{}
	for _, pid := range procfs.Below(os.Getpid()) {
		if p, there := procfs.Read(pid); there && !p.Ended() {
			list[pid] = p.Start
		}
	}
	return list
}

// wait returns the command's status once no process of the sandbox is left, or once the
// others cannot be ended.
func (r *reaper) wait() unix.WaitStatus {
	var status, other unix.WaitStatus
	for {
		pid, err := unix.Wait4(-1, &other, 0, nil)
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return status
		// A process that has itself traced (PTRACE_TRACEME) stops, and is still alive.
		case pid == r.command && !other.Stopped():
			status = other
			r.done.Store(true)
			pid, err := unix.Wait4(-1, &other, unix.WNOHANG, nil)
			if pid >= 0 && err == nil && !r.end() {
				return status // nobody can end the others, and they may go on for ever
			}
		}
	}
}

// end kills all processes of the sandbox, and reports whether it could: where /proc belongs
// to another PID namespace, nothing tells their numbers.
func (r *reaper) end() bool {
	switch {
	case r.own:
		_ = unix.Kill(-1, unix.SIGKILL)
	case procfs.Own():
		killTree()
	default:
		_ = unix.Kill(r.command, unix.SIGKILL)
		return false
	}
	return true
}

// killTree kills all descendants of this process. Without a PID namespace no single call
// does that. They are stopped one by one, so that none forks, until no new one is found,
// and are then killed.
func killTree() {
	stopped := map[int]bool{}
	for found := true; found; {
		found = false
		for _, pid := range procfs.Below(os.Getpid()) {
			if !stopped[pid] {
				stopped[pid], found = true, true
				_ = unix.Kill(pid, unix.SIGSTOP)
			}
		}
	}
	for pid := range stopped {
		_ = unix.Kill(pid, unix.SIGKILL)
	}
}

// renewOverlay renews the overlay of a git folder, as the parent asks.
func renewOverlay(v *layer.View, packet []byte) (bool, error) {
	i, n := int(packet[1]), int(packet[2])|int(packet[3])<<8|int(packet[4])<<16
	for _, c := range v.Mounts {
		if c.Kind != layer.GitOverlay {
			continue
		}
		if i--; i < 0 {
			return v.Renew(c, c.Upper+"."+strconv.Itoa(n))
		}
	}
	return false, errors.New("no such overlay")
}
