//go:build linux

package try

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/tree"
)

// List returns the tries in the root, newest first.
func List() ([]*Try, error) {
	if err := notOthers(Root()); err != nil {
		return nil, prog.Errorf(prog.Trouble, "%w", err).
			Hintf("as another user, such as root, set HOME to that user's, or name a try's folder")
	}
	entries, err := os.ReadDir(Root())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var tries []*Try
	for i := len(entries) - 1; i >= 0; i-- {
		if t, err := Open(filepath.Join(Root(), entries[i].Name())); err == nil {
			tries = append(tries, t)
		}
	}
	return tries, err
}

// Find returns the try that name stands for: run.Last or "" for the newest, an ID, the
// start or the last part of exactly one ID, or the path of a try's folder.
func Find(name string) (*Try, error) {
	if strings.ContainsRune(name, '/') {
		t, err := Open(name)
		if err == nil && !t.ours() {
			err = errors.New("not among this user's tries")
		}
		if err != nil {
			return nil, prog.Errorf(prog.Trouble, "%q: no try: %w", name, tree.Cause(err))
		}
		return t, nil
	}
	tries, err := List()
	if err != nil {
		return nil, err
	}
	var found []*Try
	for i, t := range tries {
		// The list is sorted, newest first.
		if (name == "" || name == run.Last) && i == 0 || t.ID == name {
			return t, nil
		}
		if name != "" && (strings.HasPrefix(t.ID, name) || strings.HasSuffix(t.ID, "-"+name)) {
			found = append(found, t)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return nil, prog.Errorf(prog.Trouble, "%q: matches %d tries", name,
			len(found)).Hintf("%s and %s are two of them", found[0].ID, found[1].ID)
	case len(tries) == 0:
		return nil, prog.Errorf(prog.Trouble, "there are no tries").
			Hintf("ua-try -- command makes one")
	}
	return nil, prog.Errorf(prog.Trouble, "%q: no such try", name).
		Hintf("ua-try ls lists the tries")
}

// ours reports whether the root knows the try. A command can make a folder that looks
// like a try, and its changes would land wherever that says. Where the root cannot be
// written, a try is known only by its place, which no other user can have made.
func (t *Try) ours() bool {
	mine := notOthers(Root()) == nil
	if real, err := filepath.EvalSymlinks(filepath.Join(Root(), t.ID)); err == nil && mine {
		return real == t.Dir
	}
	if mine && os.MkdirAll(Root(), 0o700) == nil && unix.Access(Root(), unix.W_OK) == nil {
		return false
	}
	place := filepath.Dir(t.Dir)
	name := strings.TrimPrefix(filepath.Base(place), ".")
	var st unix.Stat_t
	return name == fmt.Sprintf("ua-tries-%d", os.Geteuid()) && unix.Lstat(place, &st) == nil &&
		int(st.Uid) == os.Geteuid() && st.Mode&0o022 == 0
}
