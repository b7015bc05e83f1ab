package main

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"ua/internal/common/prog"
	"ua/internal/common/repository"
	agent "ua/internal/common/run"
)

// serve does what is asked for on the socket: at "r" it renews what is outdated, and at "l" it
// lands. Who asks gets a line for each thing that was refused, and an empty one. It has started
// nothing before it asks for the first time, so what runs until then is the command itself.
func (r *repositories) serve(s *parent) {
	defer s.landing.Close()
	for asked, before := make([]byte, 1), false; ; before = true {
		if n, err := s.landing.Read(asked); err != nil || n == 0 {
			return
		}
		if !before && r != nil {
			r.ask(s, []byte{askOwn})
		}
		var refused []string
		if asked[0] == 'r' {
			r.refresh(s, (*repository.Landing).Outdated)
		} else {
			refused = r.land(s)
		}
		answer := strings.Join(append(someOf(refused), ""), "\n") + "\n"
		if _, err := s.landing.WriteString(answer); err != nil {
			return
		}
		if asked[0] != 'r' {
			r.refresh(s, (*repository.Landing).Changed) // while nobody waits
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
	s.o.Env = append(s.o.Env, agent.EnvLandFD+"="+strconv.Itoa(ends[1]))
	_, err = unix.FcntlInt(uintptr(ends[1]), unix.F_SETFD, 0)
	return err
}
