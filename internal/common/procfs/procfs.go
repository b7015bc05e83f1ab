// Package procfs reads from /proc what the kernel says about processes. If there is no
// /proc, or it is that of another process namespace, it finds no processes. It also says how
// many processes a program may have, and keeps threads for when there are no more.
package procfs

import (
	"bytes"
	"iter"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// A Stat is the content of /proc/PID/stat (proc_pid_stat(5)).
type Stat struct {
	Name    string // of its program, at most 15 bytes; it chooses them itself
	State   byte   // R runs, S and D sleep, T and t are stopped, Z and X have ended
	Parent  int    // its number; 0 for none that can be seen
	Group   int
	Session int
	Threads int
	Start   uint64 // ticks since the boot: the number of a process may be used again
}

// Ended reports whether the process has ended and was not waited for yet. Its other threads
// may go on without the first one, whose state this is.
func (s Stat) Ended() bool { return s.ended() && s.Threads < 2 }

// Headless reports whether only threads other than the first one go on.
func (s Stat) Headless() bool { return s.ended() && s.Threads > 1 }

// ended reports whether the first thread has ended.
func (s Stat) ended() bool { return s.State == 'Z' || s.State == 'X' }

// Stopped reports whether a signal or a debugger has stopped the process.
func (s Stat) Stopped() bool { return s.State == 'T' || s.State == 't' }

// Own reports whether /proc belongs to this process's namespace. Another one has other
// numbers, and a signal by them would reach other processes.
func Own() bool {
	pid, err := os.Readlink("/proc/self")
	return err == nil && pid == strconv.Itoa(os.Getpid())
}

// Read returns what the kernel says about the process, and whether it exists.
func Read(pid int) (Stat, bool) {
	if !Own() {
		return Stat{}, false
	}
	return read(pid)
}

// maxAncestors ends the walk up a process tree that changes during it.
const maxAncestors = 1000

// Ancestors yields the process with that number and the processes above it by number, from
// the nearest to the first that cannot be read.
func Ancestors(pid int) iter.Seq2[int, Stat] {
	return func(yield func(int, Stat) bool) {
		if !Own() {
			return
		}
		for range maxAncestors {
			s, ok := read(pid)
			if !ok || !yield(pid, s) {
				return
			}
			pid = s.Parent
		}
	}
}

// read is Read without the check of the namespace.
func read(pid int) (Stat, bool) {
	fd, err := syscall.Open("/proc/"+strconv.Itoa(pid)+"/stat", syscall.O_RDONLY|syscall.O_CLOEXEC,
		0)
	if err != nil {
		return Stat{}, false
	}
	defer syscall.Close(fd)
	var text [1024]byte // one read gives all that counts
	n, err := syscall.Read(fd, text[:])
	if err != nil || n <= 0 {
		return Stat{}, false
	}
	return parse(text[:n])
}

// All returns all processes that can be seen, by number.
func All() map[int]Stat {
	if !Own() {
		return nil
	}
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	all := make(map[int]Stat, len(names))
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			if s, ok := read(pid); ok {
				all[pid] = s
			}
		}
	}
	return all
}

// Below returns the processes below root, parents before their children.
func Below(root int) (list []int) {
	all, children := All(), map[int][]int{}
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

// Children returns the children of a process (proc(5), /proc/PID/task/TID/children), of this one
// if pid is 0.
func Children(pid int) (pids []int) {
	dir := "/proc/self/task/"
	if pid != 0 {
		dir = "/proc/" + strconv.Itoa(pid) + "/task/"
	}
	tasks, _ := os.ReadDir(dir)
	for _, t := range tasks {
		list, _ := os.ReadFile(dir + t.Name() + "/children")
		for _, word := range strings.Fields(string(list)) {
			if pid, err := strconv.Atoi(word); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// parse reads the text of a stat file. The name is in parentheses and may contain any
// byte, so the fields begin after the last parenthesis.
func parse(text []byte) (s Stat, ok bool) {
	from, to := bytes.IndexByte(text, '('), bytes.LastIndexByte(text, ')')
	if from < 0 || to < from {
		return s, false
	}
	const start = 19 // field 22 of the file, counted from behind the name
	var fields [start + 1][]byte
	rest := text[to+1:]
	for i := range fields {
		rest = bytes.TrimLeft(rest, " \n")
		end := bytes.IndexAny(rest, " \n")
		if end < 0 {
			end = len(rest)
		}
		if end == 0 {
			return s, false
		}
		fields[i], rest = rest[:end], rest[end:]
	}
	s = Stat{Name: string(text[from+1 : to]), State: fields[0][0], Parent: number(fields[1]),
		Group: number(fields[2]), Session: number(fields[3])}
	s.Threads = number(fields[17])
	s.Start, _ = strconv.ParseUint(string(fields[start]), 10, 64)
	return s, true
}

// number returns the decimal number in text, 0 for none.
func number(text []byte) int {
	n, _ := strconv.Atoi(string(text))
	return n
}

// Reading returns the descriptor that a process waits on in read(2), "" if it does not wait in
// one, and whether the kernel tells (proc(5), /proc/PID/syscall).
func Reading(pid int) (fd string, told bool) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/syscall")
	if err != nil {
		return "", false
	}
	fields := strings.Fields(string(text))
	if len(fields) < 2 || fields[0] != strconv.Itoa(syscall.SYS_READ) {
		return "", true
	}
	n, err := strconv.ParseUint(strings.TrimPrefix(fields[1], "0x"), 16, 31)
	return strconv.FormatUint(n, 10), err == nil
}
