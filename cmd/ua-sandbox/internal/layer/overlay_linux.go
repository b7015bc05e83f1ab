package layer

import (
	"fmt"
	"os"
	"path/filepath"
)

// An Overlay shows a folder of the user at another place, where it can be written.
// Whatever is written stays there (overlayfs, with userxattr for a user namespace).
type Overlay struct {
	Lower string // the user's
	At    string // in the private tmp
}

// Mount mounts the overlay. Without a Lower it does nothing: tools create their caches
// themselves, and few commands run one that does.
func (o Overlay) Mount() error {
	if _, err := os.Stat(o.Lower); err != nil {
		return nil
	}
	if err := os.MkdirAll(o.At, 0o755); err != nil {
		return err
	}
	changes := filepath.Join(filepath.Dir(o.At), "."+filepath.Base(o.At)+"-changes")
	for _, dir := range []string{"upper", "work"} {
		if err := os.MkdirAll(filepath.Join(changes, dir), 0o755); err != nil {
			return err
		}
	}
	fd, err := overlay(o.Lower, changes)
	if err == nil {
		err = put(fd, o.At)
	}
	if err != nil {
		return fmt.Errorf("overlay of %s: %w", o.Lower, err)
	}
	return nil
}
