package prog

import (
	"errors"
	"fmt"
	"syscall"
)

// Exit statuses (ua(1), EXIT STATUS). A program that runs another one gives
// back that one's own status, or 128+n for signal n.
const (
	No          = 1   // no, or the task failed
	Trouble     = 2   // usage, bad input, bad configuration
	TryLater    = 75  // trouble that may pass (EX_TEMPFAIL of sysexits.h)
	Limit       = 124 // a time or budget limit ended it
	LoaderUsage = 125 // the chain loader's own usage
	NotConfined = 126 // not run: the sandbox could not be applied
	NotFound    = 127 // the command was not found
)

// Exit ends the program with the status and no word.
type Exit int

func (e Exit) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// Status returns the exit status of what the system would not do: TryLater where it was out
// of processes, memory or descriptors, which passes, and else Trouble.
func Status(err error) int {
	for _, passing := range []error{syscall.EAGAIN, syscall.ENOMEM, syscall.EMFILE,
		syscall.ENFILE} {
		if errors.Is(err, passing) {
			return TryLater
		}
	}
	return Trouble
}
