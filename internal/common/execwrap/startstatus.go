package execwrap

import (
	"errors"
	"io/fs"
	"os/exec"

	"ua/internal/common/prog"
)

// StartStatus returns the exit status for a command that cannot be started: 127 if it
// does not exist, and 126 if it cannot be run.
func StartStatus(err error) int {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, exec.ErrNotFound) {
		return prog.NotFound
	}
	return prog.NotConfined
}

// StartError returns the error for a command of this name that cannot be started, with
// its status.
func StartError(name string, err error) error {
	status := StartStatus(err)
	if status == prog.NotFound {
		return prog.Errorf(status, "%q: not found", name)
	}
	var looked *exec.Error // names it once more
	if errors.As(err, &looked) {
		err = looked.Err
	}
	return prog.Errorf(status, "%q: %w", name, err)
}
