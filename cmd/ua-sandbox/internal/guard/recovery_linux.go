package guard

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-sandbox/internal/eventlog"
	"ua/internal/common/confine"
	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/safefile"
)

// notesDir returns the folder of notes. It is one of the secrets, so no command reads or
// writes it. It is created if necessary, but a home is not. A folder that another user
// could write is not used.
func notesDir() (string, bool) {
	dir := run.SandboxNotes()
	if _, err := os.Lstat(dir); err != nil {
		if home, err := os.UserHomeDir(); err != nil || os.Getenv("XDG_STATE_HOME") == "" &&
			!isFolder(home) {
			return "", false
		}
		if os.MkdirAll(dir, 0o700) != nil {
			return "", false
		}
	}
	var stat unix.Stat_t
	if unix.Lstat(dir, &stat) != nil || stat.Mode&unix.S_IFMT != unix.S_IFDIR ||
		int(stat.Uid) != os.Geteuid() || stat.Mode&0o022 != 0 {
		return "", false
	}
	return dir, true
}

// noteAfter is how long a command runs before it gets a note. Most have ended by then,
// and creating and removing a file takes a twentieth of their processor time.
const noteAfter = 50 * time.Millisecond

// noteMax is the largest size of a note in bytes.
const noteMax = 4 << 20

// A Note is kept in the user's state while a command runs, so that the last look can be taken
// by the next sandbox in the same folder if this process is killed. A lock on it means that
// this process is alive.
type Note struct{ over, gone chan bool }

// NewNote leaves a note after the time noteAfter.
func NewNote(n *Look) *Note {
	left := &Note{make(chan bool), make(chan bool)}
	go func() {
		defer close(left.gone)
		select {
		case <-left.over:
			return
		case <-time.After(noteAfter):
		}
		file := writeNote(n)
		if <-left.over; file != nil {
			removeNote(file)
		}
	}()
	return left
}

// removeNote removes a note and gives up its lock.
func removeNote(file *os.File) {
	_ = os.Remove(file.Name())
	file.Close()
}

// Drop removes the note, because the last look has been taken.
func (n *Note) Drop() {
	if n != nil {
		close(n.over)
		<-n.gone
	}
}

// writeNote writes a note and returns its file, which holds the lock, or nil. While it is
// empty, nobody takes it for an abandoned one.
func writeNote(n *Look) *os.File {
	dir, ok := notesDir()
	if !ok {
		return nil
	}
	file, err := os.CreateTemp(dir, "")
	if err != nil {
		return nil
	}
	text, err := json.Marshal(n)
	if err == nil {
		err = unix.Flock(int(file.Fd()), unix.LOCK_EX)
	}
	if err == nil {
		_, err = file.Write(text)
	}
	if err != nil {
		removeNote(file)
		return nil
	}
	return file
}

// MakeUp takes the last look for sandboxes that were killed, and reports whether anything was
// moved. With a folder, it is for those that could write there, in it or around it: who works
// elsewhere does not wait for it.
func MakeUp(env *prog.Env, log *eventlog.Log, at string) (moved bool) {
	notes, ok := notesDir()
	if !ok {
		return false
	}
	entries, _ := os.ReadDir(notes)
	for _, e := range entries {
		if makeUpOne(env, log, filepath.Join(notes, e.Name()), at) {
			moved = true
		}
	}
	return moved
}

// makeUpOne takes the look for one note, unless the process that left it is alive, or it is
// of another folder. A look that cannot be whole is owed no longer once that is said.
func makeUpOne(env *prog.Env, log *eventlog.Log, path, at string) (gone bool) {
	file, err := safefile.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil ||
		!isAt(path, info) {
		return false // who left it lives, or another takes the look
	}
	var n Look
	text, err := io.ReadAll(io.LimitReader(file, noteMax))
	if len(text) == 0 { // it is about to be locked and written, or never will be
		if time.Since(info.ModTime()).Abs() > time.Minute {
			_ = os.Remove(path)
		}
		return false
	}
	if err == nil {
		err = json.Unmarshal(text, &n)
	}
	if err == nil && at != "" && !slices.ContainsFunc(n.Write, func(dir string) bool {
		return confine.Under(at, dir) || confine.Under(dir, at)
	}) {
		return false
	}
	defer os.Remove(path)
	if err != nil {
		env.Warnf("%q: %v: what a killed sandbox left in protected places can't be checked", path, err)
		return false
	}
	n.Account = &Account{Log: log}
	n.take()
	if gone = len(n.Account.told[Moved])+len(n.Account.told[disarmed]) > 0; gone {
		env.Warnf("a sandbox that began at %s was killed; checked what it left in protected places",
			n.Began.Local().Format("Jan _2 15:04:05"))
	}
	n.tell(env)
	return gone
}

// isAt reports whether file is what is at path now.
func isAt(path string, file os.FileInfo) bool {
	info, err := os.Lstat(path)
	return err == nil && os.SameFile(info, file)
}
