package gitrules

import (
	"bytes"
	"cmp"
	"crypto/sha1"
	"errors"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// changedOutside reports whether somebody else has changed a file of the git folder since
// the overlay was made.
func (l *Landing) changedOutside(name string) bool {
	stat, err := l.Lower.Stat(name)
	if err != nil || l.landed[name] == stampOf(stat) {
		return false
	}
	if stat.Ctim.Nano() < l.view.since.Nano() {
		return false
	}
	base := l.view.bases[name]
	if base == nil {
		return true
	}
	text, err := io.ReadAll(io.NewSectionReader(base, 0, maxIndex))
	then, now := stagedIn(text), stagedIn(read(l.Lower, name, maxIndex))
	return err != nil || then == nil || !bytes.Equal(then, now)
}

// conflict is what is said of a file that somebody else has changed meanwhile.
const conflict = "it was changed outside of the sandbox meanwhile, and that stays"

// text lands a file that is taken as a whole.
func (l *Landing) text(c change) {
	if c.gone {
		switch c.kind {
		case Hooks, Config, Pointer, Unknown:
			if !c.with {
				l.refuse(c.name, "it is protected")
				return
			}
		}
		if !l.changedOutside(c.name) {
			_ = l.Lower.remove(c.name)
		} else if c.kind == PackedRefs {
			l.refuse(c.name, conflict)
		}
		return
	}
	if stat, err := l.upper.Stat(c.name); err != nil || stat.Mode&unix.S_IFMT != unix.S_IFREG {
		l.refuse(c.name, errKind.Error())
		return
	}
	text, err := l.upper.Read(c.name, maxIndex)
	if err != nil {
		l.refuse(c.name, err.Error())
		return
	}
	if why := l.may(c, text); why != "" {
		l.refuse(c.name, why)
		if c.kind == Todo && len(text) <= maxText {
			_, rest := TodoLines(text)
			l.write(c, append(rest, "noop\n"...))
		}
		return
	}
	l.write(c, text)
}

// may says why a text may not land, by the rules of Change.
func (l *Landing) may(c change, text []byte) string {
	switch {
	case c.kind == Data && strings.HasPrefix(c.in(), "logs/"):
		return l.log(c, text)
	case c.kind == Data:
		return ""
	case c.kind != Index && c.kind != Hooks && len(text) > maxText:
		return errLarge.Error()
	}
	return content(c.kind, c.in(), read(l.Lower, c.name, maxIndex), text,
		rules{l.Inside.of(c.owner), strings.Contains(c.owner, "modules/"),
			cmp.Or(sizeIn(l.Lower, l.common(c.owner)), sha1.Size)})
}

// log says why a reflog may not land: each entry that it did not have before has to lead to an
// object that is here, or to none (git-reflog(1)).
func (l *Landing) log(c change, text []byte) string {
	for line := range newLines(read(l.Lower, c.name, maxIndex), text) {
		words := strings.SplitN(line, " ", 3)
		if len(words) < 3 || !isHash(words[1]) ||
			strings.Trim(words[1], "0") != "" && !l.store(c.owner).has(words[1]) {
			return "it leads to no object that is here"
		}
	}
	return ""
}

// patience is how long a lock of somebody else's git is waited for.
const patience = 200 * time.Millisecond

// write puts a text at a path of the git folder, with git's own lock on it, unless somebody
// else has changed what is there.
func (l *Landing) write(c change, text []byte) {
	err := l.Lower.withLock(c.name, func(dir *Folder, base, lock string, f *os.File) error {
		if l.changedOutside(c.name) {
			return errors.New(conflict)
		}
		mode := uint32(0o644)
		if stat, err := l.upper.Stat(c.name); err == nil {
			mode = stat.Mode & 0o777
		}
		_, err := f.Write(text)
		err = errors.Join(err, unix.Fchmod(int(f.Fd()), mode&^0o022))
		if err == nil {
			err = unix.Renameat(dir.fd, lock, dir.fd, base)
		}
		if err == unix.EISDIR {
			dir.removeEmpty(base)
			err = unix.Renameat(dir.fd, lock, dir.fd, base)
		}
		return err
	})
	if err != nil {
		why := err.Error()
		if c.kind == Ref {
			why += "; the command's value is " + strings.TrimSpace(string(text))
		}
		if c.kind != Data {
			l.refuse(c.name, why)
		}
		return
	}
	l.remember(c.name)
}

// remember keeps in mind that a file is as this landing has left it.
func (l *Landing) remember(name string) {
	if stat, err := l.Lower.Stat(name); err == nil {
		l.landed[name] = stampOf(stat)
	}
}

// withLock calls do while it holds git's lock on a file, with the lock's open file. The lock is
// gone afterwards.
func (d *Folder) withLock(name string,
	do func(dir *Folder, base, lock string, f *os.File) error) error {
	dir, base, err := d.makeParent(name)
	if err != nil {
		return err
	}
	defer dir.Close()
	lock := base + ".lock"
	for began := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		fd, err := unix.Openat(dir.fd, lock,
			unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o644)
		if err == unix.EEXIST && time.Since(began) < patience {
			continue
		}
		if err == unix.EEXIST {
			return errors.New("another git holds the lock on it")
		}
		if err != nil {
			return err
		}
		dir.own(fd)
		f := os.NewFile(uintptr(fd), lock)
		err = do(dir, base, lock, f)
		_ = unix.Unlinkat(dir.fd, lock, 0) // unless it has become the file
		f.Close()
		return err
	}
}

// remove removes a file.
func (d *Folder) remove(name string) error {
	dir, base, err := d.parent(name)
	if err != nil {
		return err
	}
	defer dir.Close()
	return unix.Unlinkat(dir.fd, base, 0)
}
