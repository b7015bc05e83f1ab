package prog

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// ignoredAtEntry has the bit 1<<n for each signal n that whoever started us has had us
// ignore. On Linux entry sets it, on the processors that it is written for; elsewhere it is
// 0, and only of SIGHUP and SIGINT it is known, which the runtime leaves ignored.
var ignoredAtEntry uint64

// KeepIgnored has the signals that were ignored when the program began be ignored again,
// here and in what it starts: the runtime has put handlers in their place, and execve(2)
// makes the default of a handler. The runtime's own ones, those of the program's faults
// and of its children stay.
func KeepIgnored() {
	for _, s := range []syscall.Signal{syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2,
		syscall.SIGPIPE, syscall.SIGALRM, syscall.SIGTERM, syscall.SIGTSTP, syscall.SIGTTIN,
		syscall.SIGTTOU, syscall.SIGXCPU, syscall.SIGXFSZ, syscall.SIGVTALRM, syscall.SIGIO} {
		if ignoredAtEntry&(1<<s) != 0 {
			signal.Ignore(s)
		}
	}
}

// Notify relays the signals to c, except those that the caller had ignored, as
// nohup(1) ignores SIGHUP: those stay ignored (signal(7)).
func Notify(c chan<- os.Signal, signals ...os.Signal) {
	for _, s := range signals {
		if !signal.Ignored(s) {
			signal.Notify(c, s)
		}
	}
}

// Interruptible returns a context that SIGINT, SIGTERM and SIGHUP end, but for those that
// the caller (nohup, a background job) has set to be ignored. Its cause is then an Exit of
// 128+n (signal(7)).
func Interruptible() (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		if sig, ok := (<-signals).(syscall.Signal); ok {
			cancel(Exit(128 + int(sig)))
		}
		// A group's signal and the driver's come together: they are one. Who
		// asks again later means it.
		time.Sleep(time.Second)
		signal.Stop(signals)
	}()
	return ctx, func() { cancel(nil) }
}
