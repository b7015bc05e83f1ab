package runner

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-try/internal/try"
	"ua/internal/common/confine"
)

// A place is where a try's folder can be.
type place struct {
	dir  string // "" is the state folder
	out  string // the folder that -o names
	note string // what a person is told of it

	earlier *try.Try // whose place it is
}

// places returns where the changes in the covered folders could be kept, best first, or in
// the folder out, and why the state folder is not among them.
func places(covers []string, out string) (list []place, skipped string) {
	if out != "" {
		out, err := filepath.Abs(out)
		if err == nil {
			err = unfit(out, covers)
		}
		if err != nil {
			return nil, err.Error()
		}
		return []place{{out: out}}, ""
	}
	mine := fmt.Sprintf("ua-tries-%d", os.Geteuid())
	err := unfit(try.Root(), covers)
	if err == nil {
		list = append(list, place{})
	} else {
		skipped = err.Error()
	}
	// Beside the covered folder first: an apply there mostly needs only renames.
	for _, parent := range []string{filepath.Dir(covers[0]), "/var/tmp", "/dev/shm"} {
		dir := filepath.Join(parent, mine)
		if parent == filepath.Dir(covers[0]) {
			dir = filepath.Join(parent, "."+mine)
		}
		if unfit(dir, covers) == nil {
			list = append(list, place{dir: dir,
				note: fmt.Sprintf("the changes are kept in %s: %s", dir, skipped)})
		}
	}
	return list, skipped
}

// unfit returns why the layers of the covers cannot be in a folder, nil if they can.
func unfit(dir string, covers []string) error {
	there := dir // or what there is of the way to it
	real, err := filepath.EvalSymlinks(there)
	for err != nil && there != "/" {
		there = filepath.Dir(there)
		real, err = filepath.EvalSymlinks(there)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", dir, try.Cause(err))
	}
	full := filepath.Join(real, strings.TrimPrefix(dir, there))
	if slices.ContainsFunc(covers, func(c string) bool { return confine.Under(full, c) }) {
		return fmt.Errorf("%s lies in a folder that is covered", dir)
	}
	var fs unix.Statfs_t
	if err := unix.Statfs(real, &fs); err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	if uint32(fs.Type) == unix.OVERLAYFS_SUPER_MAGIC {
		return fmt.Errorf("%s is on an overlay, which can't be the upper layer of another", dir)
	}
	if err := unix.Access(real, unix.W_OK|unix.X_OK); err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	if there == dir {
		return try.Owned(dir)
	}
	return nil
}
