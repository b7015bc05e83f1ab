package layer

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
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
	// These characters have a meaning in the options of overlayfs.
	if strings.ContainsAny(o.Lower+o.At, `:,\`) {
		return fmt.Errorf("%s: overlayfs takes no such name", o.Lower)
	}
	upper := filepath.Join(filepath.Dir(o.At), "."+filepath.Base(o.At)+"-upper")
	work := filepath.Join(filepath.Dir(o.At), "."+filepath.Base(o.At)+"-work")
	for _, dir := range []string{upper, work} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	options := "userxattr,volatile,lowerdir=" + o.Lower + ",upperdir=" + upper + ",workdir=" + work
	if err := unix.Mount("overlay", o.At, "overlay", unix.MS_NOSUID|unix.MS_NODEV,
		options); err != nil {
		return fmt.Errorf("overlay of %s: %w", o.Lower, err)
	}
	return nil
}
