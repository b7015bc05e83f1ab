package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-sandbox/internal/policy"
	"ua/internal/common/prog"
	agent "ua/internal/common/run"
)

// serve does what is asked for on the socket: at "r" it renews what is outdated, and at "l" it
// lands. Who asks gets a line for each thing that was refused, and an empty one.
func (r *repositories) serve(s *parent) {
	defer s.landing.Close()
	for asked := make([]byte, 1); ; {
		if n, err := s.landing.Read(asked); err != nil || n == 0 {
			return
		}
		var refused []string
		if asked[0] == 'r' {
			r.refresh(s)
		} else {
			refused = r.land(s)
			s.look.soon()
		}
		answer := strings.Join(append(someOf(refused), ""), "\n") + "\n"
		if _, err := s.landing.WriteString(answer); err != nil {
			return
		}
		if asked[0] != 'r' {
			r.refresh(s) // while nobody waits
		}
	}
}

// withLanding makes the socket on which the command asks, and tells it the number.
func (s *parent) withLanding() error {
	if !s.o.land {
		return nil
	}
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return prog.Errorf(prog.NotConfined, "socketpair: %w", err)
	}
	s.landing, s.o.fds = os.NewFile(uintptr(ends[0]), "landing"), append(s.o.fds, ends[1])
	s.environ = policy.Setenv(s.environ, agent.EnvLandFD, strconv.Itoa(ends[1]))
	_, err = unix.FcntlInt(uintptr(ends[1]), unix.F_SETFD, 0)
	return err
}

// quiet reports whether nothing runs in the sandbox but its command, which has no child: it is
// ua-exec, and waits.
func (s *parent) quiet() bool {
	command := children(s.init.pid)
	for len(command) == 1 {
		below := children(command[0])
		if len(below) == 0 {
			return true
		}
		if len(below) > 1 || exeOf(below[0]) != exeOf(command[0]) { // a supervisor and its worker
			return false
		}
		command = below
	}
	return false
}

func exeOf(pid int) string {
	path, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	return path
}

// children returns the children of a process (proc_pid_task(5)).
func children(pid int) (list []int) {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		for _, word := range strings.Fields(string(text)) {
			child, _ := strconv.Atoi(word)
			list = append(list, child)
		}
	}
	return list
}
