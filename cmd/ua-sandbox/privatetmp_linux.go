package main

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-sandbox/internal/policy"
	"ua/internal/common/remove"
	agent "ua/internal/common/run"
	"ua/internal/common/verdict"
)

// privateTmp makes the folder that the command sees as its tmp. It is on disk, so that a
// large build does not fill the memory. dir is "" if the tmp is in memory, or if no
// folder can be made. This process holds a lock on the folder while it lives, which says
// that it is in use.
func privateTmp(p *policy.Policy) (dir string, err error) {
	if p.Tmp.Dir != "" {
		return p.Tmp.Dir, os.MkdirAll(p.Tmp.Dir, 0o700)
	}
	if p.Tmp.Memory || p.Profile == verdict.ProfileNone {
		return "", nil
	}
	if dir, err = os.MkdirTemp(tmpBase(), agent.SandboxTmp); err != nil {
		return "", nil
	}
	lock(dir)
	return dir, nil
}

// tmpBase returns the folder in which private tmps are made.
func tmpBase() string {
	base, err := filepath.EvalSymlinks(os.TempDir())
	if err != nil {
		return "/tmp"
	}
	return base
}

// lock locks a private tmp for as long as this process lives, and reports whether it
// could. The descriptor stays open on purpose: closing it would release the lock
// (flock(2)).
func lock(dir string) bool {
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

// sweep removes private tmps of this user that nobody has locked. Both stages of their
// sandbox were killed at the same time. One that is younger than older may not have its
// lock yet.
func sweep(older time.Duration) {
	base := tmpBase()
	dir, err := os.Open(base)
	if err != nil {
		return
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	for _, name := range names {
		path := filepath.Join(base, name)
		var stat unix.Stat_t
		if !strings.HasPrefix(name, agent.SandboxTmp) || unix.Lstat(path, &stat) != nil ||
			int(stat.Uid) != os.Getuid() || stat.Mode&unix.S_IFMT != unix.S_IFDIR {
			continue
		}
		if age := time.Since(time.Unix(stat.Ctim.Unix())); age > older && lock(path) {
			_ = remove.All(path)
		}
	}
}
