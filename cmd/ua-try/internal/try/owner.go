//go:build linux

package try

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// Owned returns an error for a folder that another user could have put there or can
// change.
func Owned(dir string) error {
	var st unix.Stat_t
	if err := unix.Stat(dir, &st); err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	if int(st.Uid) != os.Geteuid() || st.Mode&0o022 != 0 {
		return fmt.Errorf("%s belongs to another user or can be written by others", dir)
	}
	return nil
}

// notOthers returns what Owned does, and nil for a folder that does not exist.
func notOthers(dir string) error {
	err := Owned(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
