package store

import (
	"os"
	"syscall"

	"ua/internal/common/prog"
	"ua/internal/common/safefile"
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
	if uid := owner(info); uid != os.Geteuid() {
		return prog.Errorf(prog.Trouble, "%q: the folder belongs to user %d", dir, uid).
			Hintf("a journal must be in a folder of its writer's own: mkdir one")
	}
	return nil
}

// owner returns the user who has a file.
func owner(info os.FileInfo) int { return int(info.Sys().(*syscall.Stat_t).Uid) }

// OpenOwn opens a regular file of the user as safefile.Append does.
func OpenOwn(path string) (*os.File, error) {
	f, err := safefile.Append(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && owner(info) != os.Geteuid() {
		err = prog.Errorf(prog.Trouble, "%q: belongs to user %d", path, owner(info))
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
