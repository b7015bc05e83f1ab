package prog

import (
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
)

// Sibling is the absolute path of one of our programs: the file beside this
// program, or the first one on PATH, or "" where there is neither. A folder on
// PATH that is not absolute is passed over, as package os/exec does.
func Sibling(name string) string {
	if self, err := os.Executable(); err == nil {
		if path := filepath.Join(filepath.Dir(self), name); Runnable(path) {
			return path
		}
	}
	if path, err := exec.LookPath(name); err == nil && filepath.IsAbs(path) {
		return path
	}
	return ""
}

// Runnable says whether path is a regular file that somebody may execute.
func Runnable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// Notify relays the signals to c, except those that the caller had ignored, as
// nohup(1) ignores SIGHUP: those stay ignored (signal(7)).
func Notify(c chan<- os.Signal, signals ...os.Signal) {
	for _, s := range signals {
		if !signal.Ignored(s) {
			signal.Notify(c, s)
		}
	}
}
