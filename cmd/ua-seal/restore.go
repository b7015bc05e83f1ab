package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// look returns what the globs match: of each path its kind, its mode and what it holds. With
// stamps, also what tells that it was changed and changed back.
func (s *seal) look(stamps bool) map[string]string {
	found := map[string]string{}
	s.visit(func(p string, info fs.FileInfo) {
		if is, _ := s.matches(p); !is {
			return
		}
		found[p] = what(p, info)
		if stamps && !info.IsDir() {
			found[p] += changed(info)
		}
	})
	return found
}

// what returns the kind and the mode of a path, and what it holds.
func what(p string, info fs.FileInfo) string {
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		target, _ := os.Readlink(p)
		return "link " + target
	case !info.Mode().IsRegular():
		return info.Mode().String()
	}
	sum := sha256.New()
	f, err := os.Open(p)
	if err == nil {
		_, err = io.Copy(sum, f)
		f.Close()
	}
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%v %x", info.Mode(), sum.Sum(nil))
}

// visit calls do for the paths that globs may match, a folder before what is in it.
func (s *seal) visit(do func(p string, info fs.FileInfo)) {
	_ = filepath.WalkDir(".", func(p string, e fs.DirEntry, err error) error {
		if e == nil || err != nil || p == "." {
			return nil
		}
		info, err := e.Info()
		if err != nil {
			return nil
		}
		do(p, info)
		_, below := s.matches(p)
		if e.IsDir() && (!below || e.Name() == ".git" && !slices.ContainsFunc(s.Globs,
			func(g string) bool { return strings.Contains(g, ".git") })) {
			return fs.SkipDir
		}
		return nil
	})
}

// differ returns the paths that are not the same in both.
func differ(a, b map[string]string) (list []string) {
	for p, what := range a {
		if b[p] != what {
			list = append(list, p)
		}
	}
	for p := range b {
		if _, known := a[p]; !known {
			list = append(list, p)
		}
	}
	slices.Sort(list)
	return list
}

// union returns all of both lists, each once.
func union(a, b []string) []string {
	list := append(a, b...)
	slices.Sort(list)
	return slices.Compact(list)
}

// restore makes the sealed paths what they were, and returns those that were not. What they
// had become goes to the folder moved of the seal, where back finds it.
func (s *seal) restore() (changed []string, err error) {
	for _, p := range sorted(s.Paths) { // a folder that nobody may enter hides what is in it
		if now, err := os.Lstat(p); err == nil && now.IsDir() && s.Paths[p][0] == 'd' &&
			now.Mode().String() != s.Paths[p] {
			changed = append(changed, p)
			at, err := s.note(p)
			if err == nil { // the folder of the note keeps the mode
				err = errors.Join(os.Mkdir(filepath.Join(at, "mode"), 0o700),
					os.Chmod(filepath.Join(at, "mode"), now.Mode()))
			}
			if was, gone := os.Stat(filepath.Join(s.at, "files", p)); err == nil && gone == nil {
				err = os.Chmod(p, was.Mode())
			}
			if err != nil {
				return nil, err
			}
		}
	}
	differing := differ(s.Paths, s.look(false))
	for _, p := range differing {
		for i := range strings.Split(p, "/")[1:] { // its folders have to be folders
			above := strings.Join(strings.Split(p, "/")[:i+1], "/")
			if info, err := os.Lstat(above); s.Paths[p] == "" || err == nil && info.IsDir() {
				continue
			}
			if err := errors.Join(s.setAside(above), os.Mkdir(above, 0o755)); err != nil {
				return nil, err
			}
		}
		err := s.setAside(p)
		if err == nil && s.Paths[p] != "" {
			err = duplicate(filepath.Join(s.at, "files", p), p)
		}
		if err != nil {
			return nil, err
		}
	}
	return union(changed, differing), nil
}

// sorted returns the paths, a folder before what is in it.
func sorted(paths map[string]string) (list []string) {
	return differ(paths, nil)
}

// setAside moves what is at a path into a note.
func (s *seal) setAside(p string) error {
	at, err := s.note(p)
	if _, gone := os.Lstat(p); err == nil && gone == nil {
		err = move(p, filepath.Join(at, "was"))
	}
	return err
}

// note makes the next folder of moved, which tells the path.
func (s *seal) note(p string) (at string, err error) {
	noted, _ := os.ReadDir(filepath.Join(s.at, "moved"))
	at = filepath.Join(s.at, "moved", fmt.Sprintf("%09d", len(noted)))
	return at, errors.Join(os.MkdirAll(at, 0o700),
		os.WriteFile(filepath.Join(at, "path"), []byte(p), 0o600))
}

// back puts back what restore has moved, the last first. What somebody else has put in the
// place of a sealed path meanwhile is kept in the folder left of the seal.
func (s *seal) back() error {
	noted, _ := os.ReadDir(filepath.Join(s.at, "moved"))
	for _, e := range slices.Backward(noted) {
		at := filepath.Join(s.at, "moved", e.Name())
		text, err := os.ReadFile(filepath.Join(at, "path"))
		p := string(text)
		if mode, none := os.Stat(filepath.Join(at, "mode")); none == nil {
			err = os.Chmod(p, mode.Mode())
		} else if err == nil {
			err = s.clear(p)
		}
		if _, gone := os.Lstat(filepath.Join(at, "was")); err == nil && gone == nil {
			err = move(filepath.Join(at, "was"), p)
		}
		if err != nil {
			return fmt.Errorf("%q, which is kept in %s: %w", p, at, err)
		}
		if err := os.RemoveAll(at); err != nil {
			return err
		}
	}
	return nil
}

// clear takes a copy of the seal away from its path.
func (s *seal) clear(p string) error {
	info, err := os.Lstat(p)
	if err != nil {
		return nil
	}
	if info.IsDir() && os.Remove(p) == nil {
		return nil
	}
	if !info.IsDir() && what(p, info) == s.Paths[p] {
		return os.Remove(p)
	}
	left := filepath.Join(s.at, "left", strconv.Itoa(os.Getpid()), p)
	if err := os.MkdirAll(filepath.Dir(left), 0o700); err != nil {
		return err
	}
	return move(p, left)
}

// move moves a path, also to another file system.
func move(from, to string) error {
	if os.Rename(from, to) == nil {
		return nil
	}
	if text, err := exec.Command("mv", "--", from, to).CombinedOutput(); err != nil {
		return fmt.Errorf("mv: %s", text)
	}
	return nil
}

// duplicate copies a file, a link or a folder, but not what is in it.
func duplicate(from, to string) error {
	info, err := os.Lstat(from)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(to), 0o700)
	}
	switch {
	case err != nil:
		return err
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(from)
		return errors.Join(err, os.Symlink(target, to))
	case info.IsDir():
		err = os.MkdirAll(to, 0o700)
	case info.Mode().IsRegular():
		var in, out *os.File
		if in, err = os.Open(from); err != nil {
			return err
		}
		defer in.Close()
		if out, err = os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600); err != nil {
			return err
		}
		_, err = io.Copy(out, in)
		err = errors.Join(err, out.Close(), os.Chtimes(to, info.ModTime(), info.ModTime()))
	}
	if owner := info.Sys().(*syscall.Stat_t); os.Geteuid() == 0 {
		err = errors.Join(err, os.Lchown(to, int(owner.Uid), int(owner.Gid)))
	}
	return errors.Join(err, os.Chmod(to, info.Mode()))
}
