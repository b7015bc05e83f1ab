package main

import (
	"bytes"
	"os"
	"strconv"
	"strings"
)

// descendants is every live process under this one.
func (x *executor) descendants() []process { return processes() }

// processes is every live process under this one, whatever its session.
func processes() []process {
	names, err := readNames("/proc")
	if err != nil {
		return nil
	}
	all := map[int]process{}
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			if p, ok := readProcess(pid); ok {
				all[pid] = p
			}
		}
	}
	self := os.Getpid()
	var ours []process
	for _, p := range all {
		if p.top = top(all, p, self); p.top != 0 && !p.zombie {
			ours = append(ours, p)
		}
	}
	return ours
}

// top is the child of the process self that p is or descends from, 0 for none.
func top(all map[int]process, p process, self int) int {
	for range len(all) {
		if p.parent == self {
			return p.pid
		}
		next, ok := all[p.parent]
		if !ok {
			return 0
		}
		p = next
	}
	return 0
}

func readNames(dir string) ([]string, error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.Readdirnames(-1)
}

// readProcess reads /proc/PID/stat (proc_pid_stat(5)). The second field, the
// program's name in parentheses, may itself hold spaces and parentheses.
func readProcess(pid int) (p process, ok bool) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return p, false
	}
	open, end := bytes.IndexByte(stat, '('), bytes.LastIndexByte(stat, ')')
	if open < 0 || end < open {
		return p, false
	}
	f := strings.Fields(string(stat[end+1:]))
	if len(f) < 4 {
		return p, false
	}
	p.pid, p.name = pid, string(stat[open+1:end])
	p.zombie = f[0] == "Z" || f[0] == "X"
	p.parent, _ = strconv.Atoi(f[1])
	p.session, _ = strconv.Atoi(f[3])
	return p, true
}

// commandLine is what the process was started with, at most 200 bytes.
func commandLine(p process) string {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(p.pid) + "/cmdline")
	b = bytes.TrimRight(b, "\x00")
	if err != nil || len(b) == 0 {
		return p.name
	}
	return string(bytes.ReplaceAll(b[:min(len(b), 200)], []byte{0}, []byte{' '}))
}
