package store

import (
	"errors"
	"os"
	"syscall"

	"ua/internal/common/prog"
)

// OwnFolder returns an error for a folder that belongs to another user, who could replace
// files in it.
func OwnFolder(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return prog.Errorf(prog.Trouble, "%q: not a folder", dir)
	}
	if uid := info.Sys().(*syscall.Stat_t).Uid; int(uid) != os.Geteuid() {
		return prog.Errorf(prog.Trouble, "%q: the folder belongs to user %d", dir, uid).
			Hintf("a journal must be in a folder of its writer's own: mkdir one")
	}
	return nil
}

// OpenOwn opens a regular file of the user for appending, never through a symbolic link
// in the last place of the path. mode holds the flags of open(2). O_NONBLOCK keeps a FIFO
// from blocking the open.
func OpenOwn(path string, mode int) (*os.File, error) {
	f, err := os.OpenFile(path, mode|os.O_APPEND|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o600)
	if errors.Is(err, syscall.ELOOP) {
		return nil, prog.Errorf(prog.Trouble, "%q: is a symbolic link, which is not followed", path)
	}
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = prog.Errorf(prog.Trouble, "%q: not a regular file", path)
	case int(info.Sys().(*syscall.Stat_t).Uid) != os.Geteuid():
		err = prog.Errorf(prog.Trouble, "%q: belongs to user %d", path,
			info.Sys().(*syscall.Stat_t).Uid)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
