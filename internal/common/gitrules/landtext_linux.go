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

	"ua/internal/common/safefile"
	"ua/internal/common/tree"
)

// changedOutside reports whether somebody else has changed a file of the git folder since
// the overlay was made.
func (l *Landing) changedOutside(name string) bool {
	f, err := l.Lower.At(name).Lstat()
	if err != nil || f == nil || l.landed[name] == stampOf(f) ||
		f.Ctime < l.view.since {
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

// packedOutside reports whether somebody else has given a ref another value meanwhile, and packed
// it: then it has no file of its own.
func (l *Landing) packedOutside(c change) bool {
	all := l.common(c.owner)
	packed, name := all+"packed-refs", strings.TrimPrefix(c.name, all)
	log := all + "logs/" + name
	return c.kind == Ref && !has(l.Lower, c.name) && l.changedOutside(packed) &&
		bytes.Contains(read(l.Lower, packed, maxIndex), []byte(" "+name+"\n")) &&
		(!has(l.Lower, log) || l.changedOutside(log))
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
			_ = l.Lower.At(c.name).Unlink()
		} else if c.kind == PackedRefs {
			l.refuse(c.name, conflict)
		}
		return
	}
	text, err := l.upper.At(c.name).Read(maxIndex)
	if err != nil {
		l.refuse(c.name, tree.Cause(err).Error())
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
		return safefile.ErrTooLarge.Error()
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
		if len(words) < 3 || !isHash(words[0]) || !isHash(words[1]) ||
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
	err := withLock(l.Lower, c.name, func(at, lock tree.Place, f *os.File) error {
		if l.changedOutside(c.name) || l.packedOutside(c) {
			return errors.New(conflict)
		}
		mode := tree.Mode(0o644) // nothing that lands is a program
		if up, err := l.upper.At(c.name).Lstat(); err == nil && up != nil {
			mode &= up.Mode
		}
		_, err := f.Write(text)
		err = errors.Join(err, unix.Fchmod(int(f.Fd()), uint32(mode)))
		if err == nil {
			err = lock.Rename(at, 0)
		}
		if errors.Is(err, unix.EISDIR) {
			removeEmpty(at)
			err = lock.Rename(at, 0)
		}
		return err
	})
	if err != nil {
		why := tree.Cause(err).Error()
		if c.kind == Ref {
			why += "; the command's value is " + strings.TrimSpace(string(text))
		}
		if c.kind != Data {
			l.refuse(c.name, why)
		}
		return
	}
	if f, err := l.Lower.At(c.name).Lstat(); err == nil && f != nil {
		l.landed[c.name] = stampOf(f)
	}
}

// withLock calls do with the place of a file while it holds git's lock on it, and with that.
// The lock is gone afterwards.
func withLock(d *tree.Root, name string, do func(at, lock tree.Place, f *os.File) error) error {
	dir, base, err := makeParent(d, name)
	if err != nil {
		return err
	}
	defer dir.Close()
	lock := dir.At(base + ".lock")
	for began := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		f, err := lock.Create(0o644)
		busy := errors.Is(err, unix.EEXIST)
		if busy && time.Since(began) < patience {
			continue
		}
		if busy {
			return errors.New("another git holds the lock on it")
		}
		if err != nil {
			return err
		}
		own(lock)
		err = do(dir.At(base), lock, f)
		_ = lock.Unlink() // unless it has become the file
		f.Close()
		return err
	}
}
