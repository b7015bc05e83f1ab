// Package privatetmp makes and removes the folders outside that a sandbox needs while it lives.
package privatetmp

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-sandbox/internal/access"
	"ua/internal/common/remove"
	"ua/internal/common/run"
	"ua/internal/common/verdict"
)

// Make makes the folder that the command sees as its tmp. It is on disk, so that a
// large build does not fill the memory. dir is "" if the tmp is in memory, or if no
// folder can be made. This process holds a lock on the folder while it lives, which says
// that it is in use.
func Make(p *access.Policy) (dir string, err error) {
	if p.Tmp.Dir != "" {
		return p.Tmp.Dir, os.MkdirAll(p.Tmp.Dir, 0o700)
	}
	if p.Tmp.Memory || p.Profile == verdict.ProfileNone {
		return "", nil
	}
	if dir, err = os.MkdirTemp(base(), run.SandboxTmp); err != nil {
		return "", nil
	}
	Lock(dir)
	return dir, nil
}

// base returns the folder in which private tmps are made.
func base() string {
	dir, err := filepath.EvalSymlinks(os.TempDir())
	if err != nil {
		return "/tmp"
	}
	return dir
}

// Lock locks a private tmp for as long as this process lives, and reports whether it
// could. The descriptor stays open on purpose: closing it would release the lock
// (flock(2)).
func Lock(dir string) bool {
	fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	if unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB) != nil {
		unix.Close(fd)
		return false
	}
	return true
}

// Sweep removes private tmps of this user that nobody has locked. Both stages of their
// sandbox were killed at the same time. One that is younger than older may not have its
// lock yet.
func Sweep(older time.Duration) {
	in := base()
	dir, err := os.Open(in)
	if err != nil {
		return
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	for _, name := range names {
		path := filepath.Join(in, name)
		var stat unix.Stat_t
		if !strings.HasPrefix(name, run.SandboxTmp) || unix.Lstat(path, &stat) != nil ||
			int(stat.Uid) != os.Getuid() || stat.Mode&unix.S_IFMT != unix.S_IFDIR {
			continue
		}
		if age := time.Since(time.Unix(stat.Ctim.Unix())); age > older && Lock(path) {
			_ = remove.All(path)
		}
	}
}

// Hidden makes a folder that is removed at the end and that commands can't write; "" if
// there is no place for one.
func Hidden(p *access.Policy) string {
	for _, in := range []string{base(), "/var/tmp", "/tmp"} {
		real, err := filepath.EvalSymlinks(in)
		if err != nil || p.Writable(real) {
			continue
		}
		if dir, err := os.MkdirTemp(real, run.SandboxTmp); err == nil {
			Lock(dir)
			return dir
		}
	}
	return ""
}
