package gitrules

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// walk lists the changes below a folder of the upper one, those that remove first. What the git
// folder has there is gone if the folder is opaque, or is in one that is.
func (l *Landing) walk(dir string, opaque bool, list *[]change) error {
	names, err := l.upper.Names(dir, maxChanges)
	if err != nil {
		return err
	}
	if opaque = opaque || l.attr(dir, "opaque"); opaque {
		below, _ := l.Lower.Names(dir, maxChanges)
		for _, name := range below {
			if !slices.Contains(names, name) {
				l.removed(path.Join(dir, name), true, list)
			}
		}
	}
	for _, base := range names {
		name := path.Join(dir, base)
		stat, err := l.upper.Stat(name)
		if err != nil {
			continue
		}
		below, err := l.Lower.Stat(name)
		folder := err == nil && below.Mode&unix.S_IFMT == unix.S_IFDIR
		if len(*list) > maxChanges {
			return fmt.Errorf("more than %d changes", maxChanges)
		}
		switch {
		case l.whiteout(name, stat):
			if err == nil {
				l.removed(name, true, list)
			}
		case stat.Mode&unix.S_IFMT == unix.S_IFDIR:
			if err == nil && !folder {
				l.removed(name, false, list)
			} else if err != nil && l.isLayout(name) {
				l.folders = append(l.folders, name)
			}
			if err := l.walk(name, opaque, list); err != nil {
				return err
			}
		case folder:
			l.removed(name, true, list)
			fallthrough
		default:
			l.add(change{name: name, stamp: stampOf(stat)}, list)
		}
	}
	return nil
}

// whiteout reports whether an entry of the upper folder says that its name is gone.
func (l *Landing) whiteout(name string, stat unix.Stat_t) bool {
	return stat.Mode&unix.S_IFMT == unix.S_IFCHR && stat.Rdev == 0 ||
		stat.Mode&unix.S_IFMT == unix.S_IFREG && stat.Size == 0 && l.attr(name, "whiteout")
}

// attr reports whether the overlay has marked an entry of the upper folder.
func (l *Landing) attr(name, mark string) bool {
	fd, err := l.upper.at(name, unix.O_RDONLY)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	buf := make([]byte, 8)
	n, err := unix.Fgetxattr(fd, "user.overlay."+mark, buf)
	return err == nil && n > 0 && buf[0] == 'y'
}

// removed lists what is gone at a path, a folder with all below it. whole says that nothing
// stands in its place.
func (l *Landing) removed(name string, whole bool, list *[]change) {
	stat, err := l.Lower.Stat(name)
	if err != nil || len(*list) > maxChanges {
		return
	}
	if stat.Mode&unix.S_IFMT != unix.S_IFDIR {
		l.add(change{name: name, gone: true}, list)
		return
	}
	names, _ := l.Lower.Names(name, maxChanges)
	own := l.isOwn(name)
	for _, base := range names {
		at := len(*list)
		l.removed(path.Join(name, base), whole, list)
		for i := range (*list)[at:] {
			(*list)[at+i].with = (*list)[at+i].with || own && whole
		}
	}
}

// isOwn reports whether a folder is a git folder inside of this one.
func (l *Landing) isOwn(name string) bool {
	return (strings.HasPrefix(name, "worktrees/") && strings.Count(name, "/") == 1) ||
		isModule(name) && l.Lower.has(name+"/HEAD")
}

// isModule reports whether a folder may be the git folder of a submodule.
func isModule(name string) bool {
	return strings.HasPrefix(name, "modules/") ||
		strings.HasPrefix(name, "worktrees/") && strings.Contains(name, "/modules/")
}

// layout are the folders that git makes in a git folder, and takes it for one by these.
var layout = []string{"refs", "refs/heads", "refs/tags", "objects", "objects/info", "objects/pack",
	"hooks", "info"}

// isLayout reports whether a folder is one of these, in this git folder or one inside of it.
func (l *Landing) isLayout(name string) bool {
	return slices.ContainsFunc(layout, func(part string) bool {
		own, ok := strings.CutSuffix(name, "/"+part)
		return name == part || ok && isModule(own) && l.upper.has(own+"/HEAD")
	})
}

// add lists a change unless it is none, or may not be.
func (l *Landing) add(c change, list *[]change) {
	c.kind, c.owner = KindOf(c.name, func(dir string) bool {
		return l.upper.has(dir+"/HEAD") || l.Lower.has(dir+"/HEAD")
	})
	l.locked = l.locked || c.kind == InFlight && !c.gone && strings.HasSuffix(c.name, ".lock")
	if c.kind == InFlight || !c.gone && l.unchanged(c) {
		return
	}
	if why := l.others(c); why != "" {
		if strings.HasPrefix(c.owner, "worktrees/") {
			l.refuse(path.Dir(c.owner), why) // once
		} else if c.kind != Data {
			l.refuse(c.name, why)
		}
		return
	}
	*list = append(*list, c)
}

// unchanged reports whether a file was only copied up.
func (l *Landing) unchanged(c change) bool {
	if c.kind == Object || c.kind == Pack || c.kind == Derived {
		return l.Lower.has(c.name)
	}
	old := read(l.Lower, c.name, maxIndex)
	return old != nil && bytes.Equal(old, read(l.upper, c.name, maxIndex))
}

// others says why a change is none of the commands' business: it is of a working tree that
// they do not see, or of a branch that is not theirs.
func (l *Landing) others(c change) string {
	first, rest, _ := strings.Cut(c.name, "/")
	id, _, _ := strings.Cut(rest, "/")
	switch {
	case first == "worktrees" && l.Lower.has("worktrees/"+id) && l.Foreign(id):
		return "of a worktree whose folder is not seen here"
	case c.owner == "" && perTree(c) && l.Foreign(""):
		return "of the main worktree, whose folder is not seen here"
	case l.Branch != "" && c.kind == Ref && first == "refs" && !strings.HasPrefix(c.name, l.Branch):
		return "no branch of this worktree's"
	case l.Branch != "" && c.kind == Data && first == "logs" &&
		!strings.HasPrefix(c.name, "logs/"+l.Branch):
		return "no branch of this worktree's"
	case l.Branch != "" && (c.kind == PackedRefs || c.kind == Config):
		return "of the repository that this worktree was made from"
	}
	return ""
}

// perTree reports whether a file belongs to one working tree of a repository with several
// (gitrepository-layout(5)).
func perTree(c change) bool {
	switch c.kind {
	case Index, Todo:
		return true
	case Ref:
		return c.name == "HEAD" || strings.HasPrefix(c.name, "refs/bisect/") ||
			strings.HasPrefix(c.name, "refs/worktree/") || strings.HasPrefix(c.name, "refs/rewritten/")
	case Data:
		return c.name == "logs/HEAD" || isUpper(c.name) || strings.HasPrefix(c.name, "rebase-") ||
			strings.HasPrefix(c.name, "sequencer/") || c.name == "info/sparse-checkout"
	}
	return false
}
