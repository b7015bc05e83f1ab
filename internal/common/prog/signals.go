package prog

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Notify relays the signals to c, except SIGHUP and SIGINT if the caller has had us ignore
// them, as nohup(1) does: the runtime leaves these ignored.
func Notify(c chan<- os.Signal, signals ...os.Signal) {
	for _, s := range signals {
		if signal.Ignored(s) {
			continue
		}
		signal.Notify(c, s)
		if s == syscall.SIGQUIT && c != quit {
			signal.Stop(quit)
		}
	}
}

// Stop undoes a Notify, in a program where c alone got the signals: they do again what they
// did before.
func Stop(c chan<- os.Signal) {
	signal.Stop(c)
	if os.Getenv("GOTRACEBACK") == "" {
		Notify(quit, syscall.SIGQUIT)
	}
}

// quit gets SIGQUIT while Notify has given it to no other channel.
var quit = make(chan os.Signal, 1)

// endAtQuit has SIGQUIT (Ctrl-\) end the program with a line and the status 131. The
// runtime would print the stacks of all goroutines and exit with 2, as it does for who has
// set GOTRACEBACK, to see them.
func (env *Env) endAtQuit() {
	if os.Getenv("GOTRACEBACK") != "" || tight() {
		return
	}
	Notify(quit, syscall.SIGQUIT)
	go func() {
		<-quit
		env.Warnf("stopped by %v", syscall.SIGQUIT)
		os.Exit(128 + int(syscall.SIGQUIT))
	}()
}

// tight reports whether there may be no room for the two threads that the first Notify takes.
// Without them the runtime ends the program, before it can say how many it needs.
func tight() bool {
	var l unix.Rlimit
	return unix.Getrlimit(unix.RLIMIT_NPROC, &l) == nil && l.Cur < 64
}

// Interruptible returns a context that ends at SIGINT, SIGTERM, SIGHUP or SIGQUIT, unless the
// caller (nohup, a background job) has had them ignored. Its cause is then an Exit of
// 128+n (signal(7)).
func Interruptible() (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	go func() {
		if sig, ok := (<-signals).(syscall.Signal); ok {
			cancel(Exit(128 + int(sig)))
		}
		// A group's signal and the driver's come together: they are one. Who
		// asks again later means it.
		time.Sleep(time.Second)
		Stop(signals)
	}()
	return ctx, func() { cancel(nil) }
}

// leastFree is how many descriptors a program needs when it begins: two for the poller of
// Go's runtime, which ends the program with a stack trace if it gets none, and some for
// the first files.
const leastFree = 6

// descriptorsLeft returns an error with the status TryLater if too few descriptors are
// left. One file tells whether the system has room for more, and its copies cost less.
func descriptorsLeft() error {
	var taken [leastFree]int
	n := 0
	defer func() {
		for _, fd := range taken[:n] {
			_ = syscall.Close(fd)
		}
	}()
	for ; n < leastFree; n++ {
		var fd int
		var err error
		if n == 0 {
			fd, err = syscall.Open(os.DevNull, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
		} else {
			fd, err = unix.FcntlInt(uintptr(taken[0]), unix.F_DUPFD_CLOEXEC, 0)
		}
		if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
			return Errorf(TryLater, "%w", err).Hintf("%d more are needed: see ulimit -n", leastFree)
		} else if err != nil {
			return nil
		}
		taken[n] = fd
	}
	return nil
}
