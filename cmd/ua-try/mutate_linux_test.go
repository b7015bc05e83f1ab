package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-try/internal/test/trytest"
	"ua/internal/common/tree"
)

// The test binary is also the program that is tried: with these variables it
// makes a tree, or changes the tree in its working folder, by a seed.
const (
	envSeed  = "TRY_TEST_SEED"
	envBuild = "TRY_TEST_BUILD" // folders to make the tree in, and then no changes
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(envSwap); dir != "" {
		swapForEver(dir, os.Getenv(envLure))
	}
	text := os.Getenv(envSeed)
	if text == "" {
		os.Exit(m.Run())
	}
	var seed uint64
	fmt.Sscan(text, &seed)
	unix.Umask(0o022)
	if dirs := os.Getenv(envBuild); dirs != "" {
		for _, dir := range filepath.SplitList(dirs) {
			build(dir, seed)
		}
		os.Exit(0)
	}
	fmt.Print(mutate(seed))
	// The kernel shows other inode numbers for a file's names.
	fmt.Print(describeTree(".", false, false))
	os.Exit(0)
}

// names are names of any bytes.
func names() []string {
	return []string{"a", "b", "c", "d", "e f", "-x", "ü", "nl\nnl", "\xff\xfe", `q"'\`, ".git",
		strings.Repeat("n", 255), "*"}
}

// build makes a tree: folders three deep, files, links, a FIFO, a socket, all
// with old times.
func build(dir string, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 1))
	if err := os.Mkdir(dir, 0o755); err != nil {
		panic(err)
	}
	dirs := []string{dir}
	for range 25 {
		path := filepath.Join(dirs[r.IntN(len(dirs))], names()[r.IntN(len(names()))])
		switch r.IntN(8) {
		case 0, 1, 2:
			if strings.Count(path, "/") < strings.Count(dir, "/")+4 && os.Mkdir(path, 0o755) == nil {
				dirs = append(dirs, path)
			}
		case 3:
			os.Symlink("a", path)
		case 4:
			unix.Mkfifo(path, 0o644)
		case 5:
			unix.Mknod(path, unix.S_IFSOCK|0o755, 0)
		default:
			write(path, fmt.Appendf(nil, "%d\n", r.IntN(10)), 0o644)
		}
	}
	var all []string
	filepath.WalkDir(dir, func(path string, _ os.DirEntry, _ error) error {
		all = append(all, path)
		return nil
	})
	slices.Reverse(all)
	for i, path := range all {
		if r.IntN(8) == 0 {
			unix.Lsetxattr(path, "user.first", []byte("x"), 0)
		}
		if r.IntN(10) == 0 {
			os.Chmod(path, 0o555)
		}
		trytest.At(path).SetMtime(tree.Stamp(1e18 + int64(i)*1e9 + 7))
	}
}

// mutate does some operations in the working folder and tells how they went.
func mutate(seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 2))
	var log strings.Builder
	for range 3 + r.IntN(25) {
		name, err := operation(r)
		var errno unix.Errno
		errors.As(err, &errno)
		fmt.Fprintf(&log, "%s: %v\n", name, errno)
	}
	return log.String()
}

// paths is what is there, sorted.
func paths(dirs bool) (list []string) {
	filepath.WalkDir(".", func(path string, d os.DirEntry, err error) error {
		if err == nil && path != "." && (!dirs || d.IsDir()) {
			list = append(list, path)
		}
		return nil
	})
	if dirs || len(list) == 0 {
		list = append(list, ".")
	}
	slices.Sort(list)
	return list
}

func operation(r *rand.Rand) (string, error) {
	all, dirs := paths(false), paths(true)
	any, dir := all[r.IntN(len(all))], dirs[r.IntN(len(dirs))]
	fresh := filepath.Join(dirs[r.IntN(len(dirs))], names()[r.IntN(len(names()))])
	text := fmt.Appendf(nil, "%d\n", r.IntN(10))
	open := func(flags int) (*os.File, error) {
		return os.OpenFile(any, flags|unix.O_NONBLOCK|unix.O_NOFOLLOW, 0o644)
	}
	modes := []os.FileMode{0o644, 0o600, 0o755, 0o555, 0o444, 0o700, 0o711, 0o755 | os.ModeSetgid}
	switch n := r.IntN(22); n {
	case 0, 1:
		return "write", write(fresh, text, 0o640)
	case 2:
		f, err := open(os.O_WRONLY | os.O_TRUNC)
		if err == nil {
			_, err = f.Write(text)
			f.Close()
		}
		return "overwrite", err
	case 3:
		f, err := open(os.O_WRONLY | os.O_APPEND)
		if err == nil {
			_, err = f.Write(text)
			f.Close()
		}
		return "append", err
	case 4:
		f, err := open(os.O_WRONLY)
		if err == nil {
			_, err = f.WriteAt(text, 1<<20)
			f.Close()
		}
		return "sparse", err
	case 5:
		return "truncate", func() error {
			f, err := open(os.O_WRONLY)
			if err == nil {
				err = f.Truncate(int64(r.IntN(3)))
				f.Close()
			}
			return err
		}()
	case 6:
		// To an overlay a linked file is two, of which one keeps the old mode.
		if f, _ := tree.Lstat(any); f != nil && !f.IsFolder() && f.Links > 1 {
			return "stay", nil
		}
		return "chmod", unix.Fchmodat(unix.AT_FDCWD, any, syscallMode(modes[r.IntN(len(modes))]),
			unix.AT_SYMLINK_NOFOLLOW)
	case 7, 8:
		return "rename", os.Rename(any, fresh)
	case 9:
		return "rename folder", os.Rename(dir, fresh)
	case 10:
		return "exchange", unix.Renameat2(unix.AT_FDCWD, any, unix.AT_FDCWD, all[r.IntN(len(all))],
			unix.RENAME_EXCHANGE)
	case 11:
		return "remove", os.Remove(any)
	case 12:
		if dir == "." {
			return "stay", nil
		}
		return "remove tree", os.RemoveAll(dir)
	case 13:
		return "link", unix.Link(any, fresh)
	case 14:
		return "symlink", os.Symlink(string(text), fresh)
	case 15:
		return "xattr", unix.Lsetxattr(any, "user.second", text, 0)
	case 16:
		return "no xattr", unix.Lremovexattr(any, "user.first")
	case 17:
		return "mtime", trytest.At(any).SetMtime(tree.Stamp(5e17 + int64(r.IntN(100))))
	case 18:
		return "mkdir", os.Mkdir(fresh, 0o755)
	case 19:
		return "mkfifo", unix.Mkfifo(fresh, 0o600)
	case 20:
		if any == "." {
			return "stay", nil
		}
		return "folder for file", errors.Join(os.RemoveAll(any), os.Mkdir(any, 0o700),
			write(any+"/in", text, 0o600))
	default:
		if dir == "." {
			return "stay", nil
		}
		return "file for folder", errors.Join(os.RemoveAll(dir), write(dir, text, 0o600))
	}
}

// write makes a file or writes it anew, without waiting for a FIFO's reader.
func write(path string, text []byte, mode os.FileMode) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC|unix.O_NONBLOCK|unix.O_NOFOLLOW,
		mode)
	if err == nil {
		_, err = f.Write(text)
		f.Close()
	}
	return err
}

func syscallMode(m os.FileMode) uint32 {
	mode := uint32(m.Perm())
	if m&os.ModeSetgid != 0 {
		mode |= unix.S_ISGID
	}
	return mode
}

// snapshot describes a tree: all that can be seen of it but inode numbers, ctimes
// and, unless times are exact, the times of what was changed just now.
func snapshot(root string, exact bool) string { return describeTree(root, exact, true) }

func describeTree(root string, exact, links bool) string {
	var b strings.Builder
	firsts := map[uint64]string{}
	filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		f, _ := tree.Lstat(path)
		if f == nil {
			return nil
		}
		rel, _ := filepath.Rel(root, path)
		when := fmt.Sprint(f.Mtime)
		if !exact && f.Mtime > 16e17 {
			when = "now"
		}
		fmt.Fprintf(&b, "%q %s %o %d:%d %s", rel, f.Type, f.Mode, f.UID, f.GID, when)
		if f.Type == tree.Regular {
			text, err := os.ReadFile(path)
			fmt.Fprintf(&b, " %d %x %v", f.Size, sha256.Sum256(text), err != nil)
		}
		if f.Type == tree.Symlink {
			fmt.Fprintf(&b, " -> %q", f.Target)
		} else if first, ok := firsts[f.Ino]; ok && links && f.Type != tree.Folder {
			fmt.Fprintf(&b, " = %q", first)
		}
		firsts[f.Ino] = rel
		at := trytest.At(path)
		attributes, _ := at.Attributes()
		at.Root.Close()
		for _, name := range []string{"user.first", "user.second"} {
			if value, ok := attributes[name]; ok {
				fmt.Fprintf(&b, " %s=%q", name, value)
			}
		}
		if f.Type != tree.Folder && exact { // what is kept of an applied try counts too
			fmt.Fprintf(&b, " links %d", f.Links)
		}
		b.WriteByte('\n')
		return nil
	})
	return b.String()
}
