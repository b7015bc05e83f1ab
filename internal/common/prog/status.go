package prog

import (
	"errors"
	"fmt"
	"syscall"
)

// Exit statuses (ua(1), EXIT STATUS). A program that runs another one returns that one's
// status, or 128+n for signal n.
const (
	No          = 1   // no, or the task failed
	Trouble     = 2   // usage, bad input, bad configuration
	TryLater    = 75  // trouble that may pass (EX_TEMPFAIL of sysexits.h)
	Limit       = 124 // a time or budget limit ended it
	LoaderUsage = 125 // the chain loader's own usage
	NotConfined = 126 // not run: the sandbox could not be applied
	NotFound    = 127 // the command was not found
)

// An Exit is an error that ends the program with its status and prints nothing.
type Exit int

// Error returns the status in words.
func (e Exit) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// Status returns the exit status for a system error: TryLater if processes, memory or
// descriptors were lacking, which passes, and Trouble otherwise.
func Status(err error) int {
	for _, passing := range []error{syscall.EAGAIN, syscall.ENOMEM, syscall.EMFILE,
		syscall.ENFILE} {
		if errors.Is(err, passing) {
			return TryLater
		}
	}
	return Trouble
}
