package gitrules

import (
	"bytes"
	"path"
	"slices"
	"strings"
)

// isWorktree reports whether a folder is that of a linked worktree.
func isWorktree(name string) bool {
	return strings.HasPrefix(name, "worktrees/") && strings.Count(name, "/") == 1
}

// isModule reports whether a folder is the git folder of a submodule.
func (l *Landing) isModule(name string) bool {
	return mayBeModule(name) && has(l.Lower, name+"/HEAD") && has(l.Lower, name+"/objects")
}

// mayBeModule reports whether a folder may be the git folder of a submodule.
func mayBeModule(name string) bool {
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
		return name == part || ok && mayBeModule(own) && has(l.upper, own+"/HEAD")
	})
}

// add lists a change unless it is none, or may not be.
func (l *Landing) add(c change, list *[]change) {
	c.kind, c.owner = KindOf(c.name, func(dir string) bool {
		return has(l.upper, dir+"/HEAD") || has(l.Lower, dir+"/HEAD")
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
	if c.kind == Object || c.kind == Pack || c.kind == Derived || c.kind == Large {
		return has(l.Lower, c.name)
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
	case first == "worktrees" && has(l.Lower, "worktrees/"+id) && l.Foreign(id):
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
	case Index, Todo, Options:
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
