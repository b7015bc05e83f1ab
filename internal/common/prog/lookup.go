package prog

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Sibling returns the absolute path of one of our programs: the file beside this program, or
// that of LookOutside, or "". If the system does not say which file this program is, as in a
// chroot without /proc, the system's folders come first: with / as the working directory,
// every folder on PATH is skipped.
func Sibling(name string, writable ...string) string {
	if self, err := os.Executable(); err == nil {
		if path := filepath.Join(filepath.Dir(self), name); Runnable(path) {
			return path
		}
	} else {
		for _, dir := range systemFolders {
			if path := filepath.Join(dir, name); Runnable(path) && !ownWrite(dir) {
				return path
			}
		}
	}
	return changeableBy(writable).find(name, func(string) bool { return false })
}

// FindSibling returns Sibling's path, or an error that the program is missing.
func FindSibling(name string) (path string, err error) {
	if path = Sibling(name); path == "" {
		return "", Errorf(NotFound, "%s: not found beside this program or on PATH", name).
			Hintf("make install puts all programs into one folder")
	}
	return path, nil
}

// systemFolders hold the programs of the system.
var systemFolders = [...]string{"/usr/bin", "/bin", "/usr/local/bin"}

// Lookup returns the absolute path of a program that runs outside of any sandbox: in a
// folder of the system, or else as LookOutside finds it, or "". It skips a folder on PATH
// that the user can write, since a command could have put another program there. Root can
// write all folders, so for root that condition is about folders that others can write.
func Lookup(name string, writable ...string) string {
	for _, dir := range systemFolders {
		if path := filepath.Join(dir, name); Runnable(path) {
			return path
		}
	}
	return changeableBy(writable).find(name, ownWrite)
}

// ownWrite reports whether this user can write the folder, or for root whether another
// user can.
func ownWrite(dir string) bool {
	if os.Geteuid() != 0 {
		return unix.Access(dir, unix.W_OK) == nil
	}
	var stat unix.Stat_t
	return unix.Stat(dir, &stat) != nil || stat.Uid != 0 || stat.Mode&0o022 != 0
}

// Runnable reports whether path is a regular file that somebody may execute.
func Runnable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// Nearest returns the name in list that is closest to word. It returns "" if none is
// within a third of the word's length in edits.
func Nearest(word string, list []string) string {
	best, at := "", len(word)/3+1
	for _, name := range list {
		if d := distance(word, name); d <= at && (best == "" || d < at) {
			best, at = name, d
		}
	}
	return best
}

// distance returns the Levenshtein distance of two words in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		last := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			last, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, last+cost)
		}
	}
	return row[len(b)]
}

// Cause returns the reason in an error of package os or os/exec, without the operation and the
// names of paths and programs, which the caller says itself.
func Cause(err error) error {
	var start *exec.Error
	if errors.As(err, &start) {
		err = start.Err
	}
	if e, ok := err.(*fs.PathError); ok {
		return e.Err
	}
	return err
}
