package main

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"ua/internal/common/prog"
)

// folder is what a seal knows of a folder: that it is one.
const folder = "folder"

// look returns what is sealed by its name, and the folders above that were there when the seal
// was taken: of each path its kind, its mode and what it holds. With stamps, also what tells that
// a file was changed and changed back: its number and the time of its last change, which nobody
// can set. do gets each folder below which a path may match; later, one that its user may not
// enter is opened. A .git is no match for **.
func (s *seal) look(stamps bool, do func(dir string)) map[string]string {
	found, git := map[string]string{}, strings.Contains(strings.Join(s.Globs, " "), ".git")
	_ = filepath.WalkDir(".", func(p string, e fs.DirEntry, err error) error {
		info, gone := fs.FileInfo(nil), err
		if gone == nil {
			info, gone = e.Info()
		}
		if gone != nil || p == "." {
			return nil
		}
		is, below := s.matches(p)
		if is || s.Paths[p] != "" {
			found[p] = what(p, info, stamps)
		}
		switch {
		case !e.IsDir():
			return nil
		case !below || e.Name() == ".git" && !git:
			return fs.SkipDir
		case s.Paths != nil && unix.Access(p, unix.R_OK|unix.W_OK|unix.X_OK) != nil:
			_ = os.Chmod(p, info.Mode()|0o700)
		}
		do(p)
		return nil
	})
	return found
}

// ignore does nothing with a folder.
func ignore(string) {}

// what returns the kind and the mode of a path, what it holds, and its stamp.
func what(p string, info fs.FileInfo, stamp bool) string {
	if info.IsDir() {
		return folder
	}
	text, err := fmt.Sprint(info.Mode(), " "), error(nil)
	switch sum := sha256.New(); info.Mode().Type() {
	case fs.ModeSymlink:
		var target string
		target, err = os.Readlink(p)
		text += target
	case 0:
		var f *os.File
		if f, err = os.Open(p); err == nil {
			_, err = io.Copy(sum, f)
			f.Close()
		}
		text += fmt.Sprintf("%x", sum.Sum(nil))
	}
	var st unix.Stat_t
	if stamp && unix.Lstat(p, &st) == nil {
		text += fmt.Sprint(" ", st.Ino, st.Ctim)
	}
	return text + strings.TrimPrefix(fmt.Sprint(err), "<nil>")
}

// differ returns the paths that are not the same in both, a folder before what is in it.
func differ(a, b map[string]string) (list []string) {
	all := maps.Clone(a)
	maps.Copy(all, b)
	for _, p := range slices.Sorted(maps.Keys(all)) {
		if a[p] != b[p] {
			list = append(list, p)
		}
	}
	return list
}

// tar runs tar(1) on the paths, to store them in the seal or to have them back. An archive
// keeps what a file has besides its content.
func (s *seal) tar(do string, paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	cmd := exec.Command(prog.Lookup("tar"), do, s.in("files.tar"), "--numeric-owner",
		"--no-recursion", "--null", "-T", "-")
	cmd.Env, cmd.Stdin = []string{}, strings.NewReader(strings.Join(paths, "\x00"))
	if said, err := cmd.CombinedOutput(); err != nil {
		return prog.Errorf(prog.Trouble, "tar: %s%w", strings.TrimSpace(string(said)), err)
	}
	return nil
}

// A note is a path that restore sets aside, and whether something was there. What was there
// has the note's number in the folder moved of the seal.
type note struct {
	Path string `json:"path"`
	Was  bool   `json:"was"`
}

// restore makes the sealed paths what they were, and returns those that were not.
func (s *seal) restore() (changed []string, err error) {
	changed = differ(s.Paths, s.look(false, ignore))
	var lost []string
	var notes []note
	for _, p := range changed {
		notes = append(notes, note{p, there(p)})
		if s.Paths[p] != "" {
			lost = append(lost, p)
		}
	}
	err = os.WriteFile(s.in("moved.json"), text(notes), 0o600)
	for i, n := range notes {
		if err == nil {
			err = move(n.Path, s.in("moved", i))
		}
	}
	if err == nil {
		err = s.tar("-xpf", lost)
	}
	if left := differ(s.Paths, s.look(false, ignore)); err == nil && len(left) > 0 {
		err = prog.Errorf(prog.Trouble, "%q can't be made what it was", left[0])
	}
	return changed, err
}

// back puts back what restore has set aside, the last first. What it finds in its place goes to
// the folder left of the seal: somebody else may have changed it meanwhile. What was there and
// is not in the folder moved, a hold that was killed has left in place, or put back.
func (s *seal) back() error {
	var notes []note
	data, err := os.ReadFile(s.in("moved.json"))
	if err != nil || json.Unmarshal(data, &notes) != nil {
		return nil
	}
	for i, n := range slices.Backward(notes) {
		was := s.in("moved", i)
		if there(was) || !n.Was {
			err = errors.Join(move(n.Path, s.in("left", os.Getpid(), i)), move(was, n.Path))
		}
		if err != nil {
			return fmt.Errorf("%q, which is kept in %s: %w", n.Path, was, err)
		}
	}
	return os.Remove(s.in("moved.json"))
}

// move moves what is at a path, if there is something, also to another file system.
func move(from, to string) error {
	if !there(from) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil || os.Rename(from, to) == nil {
		return err
	}
	if text, err := exec.Command(prog.Lookup("mv"), "--", from, to).CombinedOutput(); err != nil {
		return fmt.Errorf("mv: %s%w", text, err)
	}
	return nil
}
