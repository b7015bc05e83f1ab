package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"ua/internal/common/prog"
)

// look returns what the globs match: of each path its kind, its mode and what it holds. With
// stamps, also what tells that a file was changed and changed back: its number and the time of
// its last change, which nobody can set. do, if there is one, gets each path that may match or
// have one below it, a folder before what is in it.
func (s *seal) look(stamps bool, do func(p string, info fs.FileInfo)) map[string]string {
	found := map[string]string{}
	_ = filepath.WalkDir(".", func(p string, e fs.DirEntry, err error) error {
		info, gone := fs.FileInfo(nil), err
		if e != nil && gone == nil {
			info, gone = e.Info()
		}
		if gone != nil || p == "." {
			return nil
		}
		if do != nil {
			do(p, info)
		}
		is, below := s.matches(p)
		if is {
			found[p] = what(p, info)
		}
		var st unix.Stat_t
		if is && stamps && !info.IsDir() && unix.Lstat(p, &st) == nil {
			found[p] += fmt.Sprint(" ", st.Ino, st.Ctim)
		}
		if e.IsDir() && (!below || e.Name() == ".git" && !s.git) {
			return fs.SkipDir
		}
		return nil
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

// each returns all of both lists, each once.
func each(a, b []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(slices.Concat(a, b))))
}

// tar runs tar(1) on the paths, to store them in the seal or to have them back. An archive
// keeps what a file has besides its content.
func (s *seal) tar(do string, paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	cmd := exec.Command(prog.Lookup("tar"), do, filepath.Join(s.at, "files.tar"), "--numeric-owner",
		"--no-recursion", "--null", "-T", "-")
	cmd.Env, cmd.Stdin = []string{}, strings.NewReader(strings.Join(paths, "\x00"))
	if said, err := cmd.CombinedOutput(); err != nil {
		return prog.Errorf(prog.Trouble, "tar: %s%w", strings.TrimSpace(string(said)), err)
	}
	return nil
}

// restore makes the sealed paths what they were, and returns those that were not. What they
// had become goes to the folder moved of the seal, where back finds it.
func (s *seal) restore() (changed []string, err error) {
	s.look(false, func(p string, now fs.FileInfo) { // which may hide what is in it
		if was := s.Paths[p]; err == nil && now.IsDir() && strings.HasPrefix(was, "d") &&
			was != now.Mode().String() {
			changed = append(changed, p)
			err = errors.Join(s.note(p, fmt.Sprintf("%o", uint32(now.Mode()))),
				os.Chmod(p, now.Mode()|0o700))
		}
	})
	var lost []string
	aside := map[string]bool{}
	differing := differ(s.Paths, s.look(false, nil))
	for _, p := range differing {
		if s.Paths[p] != "" {
			lost = append(lost, p)
		}
		for i, c := range p + "/" { // the folders above it have to be folders
			if c != '/' || aside[p[:i]] || err != nil {
				continue
			}
			info, gone := os.Lstat(p[:i])
			if gone != nil || !info.IsDir() || i == len(p) && !strings.HasPrefix(s.Paths[p], "d") {
				aside[p[:i]], err = true, s.note(p[:i], "")
			}
		}
	}
	if err == nil && len(differing) > 0 {
		err = s.tar("-xpf", lost)
		if left := differ(s.Paths, s.look(false, nil)); err == nil && len(left) > 0 {
			err = prog.Errorf(prog.Trouble, "%q can't be made what it was", left[0])
		}
	}
	return each(changed, differing), err
}

// note sets aside what is at a path, or only notes its mode. It makes the next folder of
// moved, with the path and what it had become.
func (s *seal) note(p, mode string) error {
	at := filepath.Join(s.at, "moved", fmt.Sprintf("%09d", s.notes))
	s.notes++
	err := errors.Join(os.MkdirAll(at, 0o700),
		os.WriteFile(filepath.Join(at, "mode"), []byte(mode), 0o600),
		os.WriteFile(filepath.Join(at, "path"), []byte(p), 0o600))
	if _, gone := os.Lstat(p); err == nil && gone == nil && mode == "" {
		err = move(p, filepath.Join(at, "was"))
	}
	return err
}

// back puts back what restore has set aside, the last first. What somebody else has put in the
// place of a sealed path meanwhile is kept in the folder left of the seal.
func (s *seal) back() error {
	noted, _ := os.ReadDir(filepath.Join(s.at, "moved"))
	for _, e := range slices.Backward(noted) {
		at := filepath.Join(s.at, "moved", e.Name())
		text, err := os.ReadFile(filepath.Join(at, "path"))
		p := string(text)
		mode, _ := os.ReadFile(filepath.Join(at, "mode"))
		n, bad := strconv.ParseUint(string(mode), 8, 32)
		switch _, gone := os.Lstat(filepath.Join(at, "was")); {
		case p == "": // the hold was killed before it did anything
		case bad == nil:
			err = os.Chmod(p, fs.FileMode(n))
		default:
			if err = s.clear(p); err == nil && gone == nil {
				err = move(filepath.Join(at, "was"), p)
			}
		}
		if err != nil && p != "" {
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
	if (info.IsDir() || what(p, info) == s.Paths[p]) && os.Remove(p) == nil {
		return nil
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
	if text, err := exec.Command(prog.Lookup("mv"), "--", from, to).CombinedOutput(); err != nil {
		return fmt.Errorf("mv: %s%w", text, err)
	}
	return nil
}
