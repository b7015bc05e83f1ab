package agentloop

import (
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"ua/internal/common/style"
)

// changedFooter says how many files of the folder a run without a try has changed. It looks only
// where a command that may write has run, and asks no git: the settings of a repository name
// programs, and commands can write those.
func (l *loop) changedFooter() {
	if !l.wrote || l.o.tries() || l.o.quiet || l.o.json || l.o.depth > 0 || l.o.via != "" {
		return
	}
	n, all := changedSince(".", l.started)
	if n == 0 {
		return
	}
	text := style.Plural(n, "file") + " changed"
	if !all {
		text = "at least " + text
	}
	here, _ := os.Getwd()
	if _, err := os.Lstat(filepath.Join(projectOf(here), ".git")); err != nil {
		text += "; this is not a git repository: with --try, ua undo could take that back"
	}
	l.show.Say("%s", text)
}

// looksAt is how many files and folders are looked at to say how many a run has changed: some
// 10 ms.
const looksAt = 5000

// changedSince counts the files below a folder whose content or mode has changed since, and
// reports whether it has seen all of them. The clock of files may be some milliseconds behind,
// fewer than pass before a command runs.
func changedSince(folder string, since time.Time) (n int64, all bool) {
	seen := 0
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if seen++; seen > looksAt {
			return fs.SkipAll
		}
		switch {
		case err != nil:
			return nil
		case d.IsDir() && d.Name() == ".git":
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		var stat unix.Stat_t
		if unix.Lstat(path, &stat) == nil && !time.Unix(stat.Ctim.Unix()).Before(since) {
			n++
		}
		return nil
	})
	return n, err == nil && seen <= looksAt
}
