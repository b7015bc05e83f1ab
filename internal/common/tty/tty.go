// Package tty says whose turn it is on a terminal: a question has it alone until its answer.
// Else a line that a command has caused could move the question away, or an answer go to
// another one.
package tty

import (
	"errors"
	"io"
	"os"
	"time"
)

// ErrLate is the error of a turn that did not come in time.
var ErrLate = errors.New("the terminal was not free in time")

// again is how long a question waits between two looks.
const again = 100 * time.Millisecond

// A Device is a terminal that was opened for its turns alone. The zero value is of a terminal
// that has none: every turn is free there.
type Device struct{ file *os.File }

// Of returns the terminal that a file is. Where the system does not tell, or it is no
// pseudo-terminal of this user, nobody waits for another.
func Of(f *os.File) Device { return Device{open(f)} }

// Close gives back what it holds.
func (d Device) Close() {
	if d.file != nil {
		d.file.Close()
	}
}

// Take waits until no question is open on the terminal, and has others wait until the device
// is closed.
func (d Device) Take(end time.Time) error {
	for d.file != nil && !lock(d.file) {
		if time.Now().After(end) {
			return ErrLate
		}
		time.Sleep(again)
	}
	return nil
}

// Print calls print unless a question of another process is open on the terminal, and
// reports whether it did. No question comes while it prints.
func (d Device) Print(print func()) bool {
	if d.file == nil {
		print()
		return true
	}
	if !share(d.file) {
		return false
	}
	defer unlock(d.file)
	print()
	return true
}

// Writer returns a writer to w that waits while a question is open.
func (d Device) Writer(w io.Writer) io.Writer { return writer{d, w} }

type writer struct {
	Device
	to io.Writer
}

func (w writer) Write(p []byte) (n int, err error) {
	for !w.Print(func() { n, err = w.to.Write(p) }) {
		time.Sleep(again)
	}
	return n, err
}
