package stage

import (
	"bytes"
	"errors"
	"os"

	"ua/internal/common/event"
	"ua/internal/common/prog"
)

// Ends are the two ends of a pipe.
type Ends struct{ R, W *os.File }

// Pipe returns a new pipe.
func Pipe() (p Ends, err error) {
	if p.R, p.W, err = os.Pipe(); err != nil {
		err = prog.Errorf(StartStatus(err), "%w", err)
	}
	return p, err
}

// Pipes returns the pipes of a program's standard input and output.
func Pipes() (in, out Ends, err error) {
	if in, err = Pipe(); err == nil {
		out, err = Pipe()
	}
	return in, out, err
}

// Lines hands every line of f, as a copy, to do, and closes f. What is no event goes on
// too: the journal's writer says so. A line that is too long to go anywhere becomes an
// error event of the stage.
func Lines(f *os.File, stage string, do func([]byte)) {
	defer f.Close()
	r := event.NewReader(f)
	for {
		line, err := r.Line()
		var long *event.Malformed
		if errors.As(err, &long) {
			do(event.Error(stage, long.Error(), false))
			continue
		}
		if err != nil {
			return
		}
		if len(line) > 0 {
			do(bytes.Clone(line))
		}
	}
}
