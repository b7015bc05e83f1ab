package prog

import (
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"
)

// Sibling returns the absolute path of one of our programs: the file beside this program,
// or the first one on PATH, or "". Folders on PATH that a command in a sandbox may write,
// those of writable among them, are skipped, as in Lookup. If the system does not say which
// file this program is, as in a chroot without /proc, the system's folders come first: with
// / as the working directory, every folder on PATH is skipped.
func Sibling(name string, writable ...string) string {
	self, err := os.Executable()
	if err == nil {
		if path := filepath.Join(filepath.Dir(self), name); Runnable(path) {
			return path
		}
		return onPath(name, append(changeable(), writable...))
	}
	for _, dir := range systemFolders {
		if path := filepath.Join(dir, name); Runnable(path) && !ownWrite(dir) {
			return path
		}
	}
	return onPath(name, append(changeable(), writable...))
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
// folder of the system, or else on PATH, or "". It skips a folder on PATH that is not
// absolute, that is in the working directory, in TMPDIR or in one of writable, or that
// the user can write, since a command could have put another program there. Root can
// write all folders, so for root the last condition is about folders that others can
// write.
func Lookup(name string, writable ...string) string {
	for _, dir := range systemFolders {
		if path := filepath.Join(dir, name); Runnable(path) {
			return path
		}
	}
	return onPath(name, append(changeable(), writable...), ownWrite)
}

// changeable returns the folders that a command in a sandbox may write.
func changeable() []string {
	dirs := []string{os.TempDir()}
	if dir, err := os.Getwd(); err == nil {
		dirs = append(dirs, dir)
	}
	return dirs
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

// onPath returns the first program of that name in a folder on PATH that is absolute, which
// nobody who can write one of the writable folders has chosen, and that no refuse refuses.
func onPath(name string, writable []string, refuse ...func(dir string) bool) string {
	folders, ways := spots(writable...), ways{}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		path := filepath.Join(dir, name)
		real, err := filepath.EvalSymlinks(path)
		if !filepath.IsAbs(dir) || err != nil || !Runnable(real) || ways.lead(path, folders) {
			continue
		}
		bad := slices.ContainsFunc([]string{dir, filepath.Dir(real)}, func(dir string) bool {
			return slices.ContainsFunc(refuse, func(refuses func(string) bool) bool {
				return refuses(dir)
			})
		})
		if !bad {
			return path
		}
	}
	return ""
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
