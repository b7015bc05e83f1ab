package main

import (
	"maps"
	"os"
	"slices"
	"sync/atomic"

	"ua/internal/common/procfs"

	"golang.org/x/sys/unix"
)

// A reaper waits for the command and for all that it left behind.
type reaper struct {
	command int
	own     bool // there is a pid namespace: all processes but this one are the command's
	done    atomic.Bool
	orphan  atomic.Bool // the parent is gone
}

// listen passes the parent's signals on to the command, and ends everything
// when the parent is gone.
func (r *reaper) listen(ctl control) {
	for {
		packet, _, err := ctl.read()
		if err != nil {
			r.orphan.Store(true)
			r.end()
			return
		}
		if !r.done.Load() {
			_ = unix.Kill(r.command, unix.Signal(packet[0]))
		}
	}
}

// wait returns the command's status once no process of the sandbox is left.
func (r *reaper) wait() unix.WaitStatus {
	var status, other unix.WaitStatus
	for {
		pid, err := unix.Wait4(-1, &other, 0, nil)
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return status
		// one that has itself traced (PTRACE_TRACEME) stops, and lives
		case pid == r.command && !other.Stopped():
			status = other
			r.done.Store(true)
			if pid, err := unix.Wait4(-1, &other, unix.WNOHANG, nil); pid >= 0 && err == nil {
				r.end()
			}
		}
	}
}

// end kills all processes of the sandbox.
func (r *reaper) end() {
	if r.own {
		_ = unix.Kill(-1, unix.SIGKILL)
		return
	}
	killTree()
}

// killTree kills all descendants of this process. Without a pid namespace there
// is no call for it: they are stopped one by one, so that none makes another,
// until a look finds no new one, and then killed.
func killTree() {
	stopped := map[int]bool{}
	for found := true; found; {
		found = false
		for _, pid := range descendants(os.Getpid()) {
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

// descendants returns the processes below root, by /proc: of one parent's the lowest
// number first.
func descendants(root int) (list []int) {
	all, children := procfs.All(), map[int][]int{}
	for _, pid := range slices.Sorted(maps.Keys(all)) {
		parent := all[pid].Parent
		children[parent] = append(children[parent], pid)
	}
	list = append(list, children[root]...)
	for i := 0; i < len(list); i++ {
		list = append(list, children[list[i]]...)
	}
	return list
}
