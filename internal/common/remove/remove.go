// Package remove removes trees that commands may have made: deeper than this process may
// have open files, below names longer than a path may be, and with folders whose mode
// forbids it.
package remove

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"ua/internal/common/prog"
)

// Size returns the total size of the files in a tree, in bytes.
func Size(tree string) (n int64) {
	_ = filepath.WalkDir(tree, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				n += info.Size()
			}
		}
		return nil
	})
	return n
}

// All removes the tree. It is no error if nothing is there.
func All(tree string) error {
	err := os.RemoveAll(tree)
	if err == nil {
		return nil
	}
	parent, err2 := os.Open(filepath.Dir(tree))
	if err2 != nil {
		return err
	}
	defer parent.Close()
	return At(parent, filepath.Base(tree))
}

// At removes the tree at name in a folder, and follows no link. Where package os can't, the
// system's chmod(1) and rm(1) do it, which walk trees of any depth.
func At(parent *os.File, name string) error {
	root, err := os.OpenRoot(path(parent))
	if err != nil {
		return err
	}
	defer root.Close()
	if err = root.RemoveAll(name); err == nil {
		return nil
	}
	if info, gone := root.Lstat(name); gone != nil || !info.IsDir() {
		return err
	}
	_ = root.Chmod(name, 0o700)
	if top, err := root.Open(name); err == nil { // a link in its place leads nowhere else
		run(top, "chmod", "-R", "u+rwX", ".")
		top.Close()
	}
	run(parent, "rm", "-rf", "--", name)
	return root.RemoveAll(name)
}

// run runs a program of the system in a folder. What it leaves is told by who looks after it.
func run(in *os.File, program string, args ...string) {
	c := exec.Command(prog.Lookup(program), args...)
	c.Dir = path(in)
	_ = c.Run()
}

// path returns a path of an open folder, wherever that has been moved.
func path(folder *os.File) string {
	if runtime.GOOS != "linux" {
		return folder.Name()
	}
	return fmt.Sprintf("/proc/self/fd/%d", folder.Fd())
}
