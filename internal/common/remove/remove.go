// Package remove removes trees that commands may have made: deeper than this process may
// have open files, below names longer than a path may be, and with folders whose mode
// forbids it.
package remove

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"ua/internal/common/prog"
)

// All removes the tree at path. It is no error if nothing is there.
func All(path string) error {
	err := os.RemoveAll(path)
	if err == nil {
		return nil
	}
	parent, err2 := os.Open(filepath.Dir(path))
	if err2 != nil {
		return err
	}
	defer parent.Close()
	return At(parent, filepath.Base(path))
}

// At removes the tree at name in a folder, and follows no link. Where package os can't, the
// system's chmod(1) and rm(1) do it, which walk trees of any depth.
func At(parent *os.File, name string) error {
	at := parent.Name()
	if runtime.GOOS == "linux" { // whatever lies at that path by now
		at = fmt.Sprintf("/proc/self/fd/%d", parent.Fd())
	}
	root, err := os.OpenRoot(at)
	if err != nil {
		return err
	}
	defer root.Close()
	if err = root.RemoveAll(name); err == nil {
		return nil
	}
	for _, args := range [][]string{{"chmod", "-R", "u+rwX"}, {"rm", "-rf"}} {
		if info, err := root.Lstat(name); err != nil || !info.IsDir() {
			break // chmod(1) follows a link that it is given
		}
		c := exec.Command(prog.Lookup(args[0]), append(args[1:], "--", name)...)
		c.Dir = at
		_ = c.Run() // what is left is told below
	}
	return root.RemoveAll(name)
}
