package stage

import (
	"bytes"
	"errors"
	"os"

	"ua/internal/common/event"
	"ua/internal/common/prog"
)

// Ends holds the two ends of a pipe.
type Ends struct{ R, W *os.File }

// Pipe returns a new pipe. Its error has an exit status.
func Pipe() (p Ends, err error) {
	if p.R, p.W, err = os.Pipe(); err != nil {
		err = prog.Errorf(StartStatus(err), "%w", err)
	}
	return p, err
}

// Pipes returns one pipe for a program's standard input and one for its output.
func Pipes() (in, out Ends, err error) {
	if in, err = Pipe(); err == nil {
		out, err = Pipe()
	}
	return in, out, err
}

// Lines calls do with a copy of every line of f, and closes f. A line that is no event is
// passed on, since the journal's writer reports it. A line that is too long becomes an
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
