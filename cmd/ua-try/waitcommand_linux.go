package main

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// wait waits for the command, tells how it ended, and then waits for the processes that
// it left behind.
func (o *order) wait(command int) {
	ended, gone := make(chan unix.WaitStatus, 1), make(chan bool)
	go func() {
		for {
			var status unix.WaitStatus
			pid, err := unix.Wait4(-1, &status, 0, nil)
			switch {
			case err == unix.EINTR:
			case err != nil:
				close(gone)
				return
			// Any other is a process that the command has left behind.
			case pid == command && !status.Stopped():
				ended <- status
			}
		}
	}()
	r := report{Ended: true, Status: int(<-ended)}
	select {
	case <-gone:
		unix.Close(o.Lock)
	case <-time.After(grace):
		r.Running = true
	}
	r.Network, r.Outside, r.Deleted = o.spoken.all(), o.written.list(), o.changed.deleted()
	o.tell(r)
	if r.Running {
		letGo()
		<-gone
	}
}

// letGo closes the caller's standard files in this process. A reader waits until all who
// have the other end have closed it, and this process only waits.
func letGo() {
	null, err := unix.Open(os.DevNull, unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	for fd := range 3 {
		_ = unix.Dup3(null, fd, 0)
	}
	unix.Close(null)
}
