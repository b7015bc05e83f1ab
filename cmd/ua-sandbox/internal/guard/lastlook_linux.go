package guard

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-sandbox/internal/access"
	"ua/cmd/ua-sandbox/internal/eventlog"
	"ua/internal/common/confine"
	"ua/internal/common/gitrules"
	"ua/internal/common/prog"
	"ua/internal/common/safefile"
	"ua/internal/common/tree"
)

// Bounds of the last look, for which the user waits: bytes that are read in repositories, how
// long it may take, and how many folders are listed in which no name has changed.
const (
	lookBytes = 1 << 30
	lookTime  = 3 * time.Second
	lookOld   = 1 << 14
)

// A Look is the last look at what commands have left in repositories that were not seen
// through an overlay: new ones, and those that lie deep. By the rules of package repository,
// what makes git run a program or obey another folder is moved aside. It goes by where
// commands could write and when they began, so that it can be taken after this process has
// been killed, too.
type Look struct {
	Began   time.Time
	Write   []string // folders that commands could write
	Grants  []string // those that options name
	Absent  []string // protected paths that did not exist
	Covered []Inode  // git folders that were seen through an overlay, wherever they are now

	Account   *Account `json:"-"`
	protected []string // what mounts protect, or is put back
	kept      []kept   // where no mount keeps it
	large     []string // what of it can't be put back
	rules     gitrules.Look
	rest      string // what was not looked at, "" if all was
	until     time.Time
	looks     map[string]bool // git folders that were looked at
	devices   access.Devices
}

// NewLook returns the last look for a policy.
func NewLook(p *access.Policy, covered []string, log *eventlog.Log) *Look {
	l := &Look{Write: p.Write, Grants: p.Grants, Absent: p.Absent, protected: p.Protect,
		Account: &Account{Log: log}}
	for _, path := range covered {
		l.Covered = append(l.Covered, InodeAt(path))
	}
	var now unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_REALTIME_COARSE, &now) // that of file systems
	l.Began = time.Unix(now.Unix())
	return l
}

// Keep remembers what no mount protects at tier 2.
func (l *Look) Keep(p *access.Policy) {
	l.kept = keep(p.PutBack)
	for _, k := range l.kept {
		if k.open {
			l.large = append(l.large, k.path)
		}
	}
	paths := slices.Concat(p.Protect, p.Modes)
	for _, m := range p.Masks {
		paths = append(paths, m.Path)
	}
	l.kept = append(l.kept, modes(paths)...)
}

// End takes the look and says what it has found. It reports whether it was whole.
func (l *Look) End(env *prog.Env) bool {
	l.take()
	l.tell(env)
	return l.rest == ""
}

// tell says what the look has found.
func (l *Look) tell(env *prog.Env) {
	l.Account.sum(env)
	if l.rest != "" {
		l.Account.unseen(env, l.rest)
	}
}

// missed says that something was not looked at.
func (l *Look) missed(path string) {
	if l.rest == "" {
		l.rest = path
	}
}

// take takes the look.
func (l *Look) take() {
	for _, k := range l.kept {
		reopenTo(k.path, l.Began)
	}
	putBack(l.kept, l.Account)
	for _, path := range l.Absent {
		reopenTo(path, l.Began)
		if _, err := os.Lstat(path); err == nil && SetAside(path, nil) {
			l.Account.Add(Moved, path, "")
		}
	}
	l.search()
}

// search looks at the repositories where commands could write.
func (l *Look) search() {
	l.until, l.looks, l.rest = time.Now().Add(lookTime), map[string]bool{}, ""
	l.rules = gitrules.Look{Since: unix.NsecToTimespec(l.Began.UnixNano()),
		Most: lookBytes}
	var roots []string
	for _, root := range l.Write {
		if root != "/" && !slices.ContainsFunc(l.Write,
			func(w string) bool { return w != root && w != "/" && confine.Under(root, w) }) {
			roots = append(roots, root)
		}
	}
	l.below(roots)
}

// below looks at folders and those below them. No link is followed. Those in which names have
// changed, and what is new in them, come before the others.
func (l *Look) below(changed []string) {
	var old []string
	for listed := 0; len(changed) > 0 || len(old) > 0 && listed < lookOld; {
		next := &old
		if len(changed) > 0 {
			next = &changed
		} else {
			listed++
		}
		dir := (*next)[0]
		*next = (*next)[1:]
		if time.Now().After(l.until) {
			l.missed(dir)
			return
		}
		c, err := listFolder(dir, l.Began, func(at int, name string, isNew bool) {
			path := dir + "/" + name
			var stat unix.Stat_t
			err := unix.Fstatat(at, name, &stat, unix.AT_SYMLINK_NOFOLLOW)
			switch {
			case err == nil && slices.Contains(l.Covered, InodeOf(stat)):
			case isNew:
				changed = append(changed, path)
			case err != nil || !l.plain(at, path, &stat):
				old = append(old, path)
			}
		})
		if err != nil {
			l.missed(dir)
		}
		if c.git {
			l.dotGit(dir)
		}
		if c.bare {
			l.gitFolder(dir, "")
		}
	}
}

// plain reports whether a folder, in one that is open, in which no name has changed is known to
// hold no folder and nothing that makes it one of git's, without listing it: most folders of a
// tree are so.
func (l *Look) plain(at int, path string, stat *unix.Stat_t) bool {
	if stat.Ctim.Nano() >= l.Began.UnixNano() || !l.devices.Childless(path, stat) {
		return false
	}
	for _, name := range []string{"/.git", "/commondir"} {
		err := unix.Fstatat(at, filepath.Base(path)+name, stat, unix.AT_SYMLINK_NOFOLLOW)
		if err != unix.ENOENT {
			return false
		}
	}
	return true
}

// A listing is what the look needs of a folder.
type listing struct {
	git, bare bool // it has a .git, it looks like a git folder
}

// listFolder lists a folder that no link leads to. each is called with every folder in it, and
// whether names have changed since.
func listFolder(dir string, since time.Time,
	each func(at int, name string, isNew bool)) (c listing, err error) {
	at, err := confine.OpenPath(dir, unix.O_DIRECTORY)
	if err == unix.EMFILE || err == unix.ENFILE || err == unix.ENOMEM {
		return c, err
	} else if err != nil {
		return c, nil // it is gone, or has a path that no program can open
	}
	defer unix.Close(at)
	var stat unix.Stat_t
	if err = unix.Fstat(at, &stat); err != nil {
		return c, err
	}
	changed := stat.Ctim.Nano() >= since.UnixNano()
	fd, err := unix.Openat(at, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err == unix.EACCES && changed {
		reopen(at)
		fd, err = unix.Openat(at, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	}
	if err == unix.EACCES {
		return c, nil // it was closed before, or is another user's, who alone can open it
	} else if err != nil {
		return c, err
	}
	f := os.NewFile(uintptr(fd), dir)
	defer f.Close()
	var head, objects, refs, common bool
	for {
		entries, err := f.ReadDir(1024)
		for _, e := range entries {
			name := e.Name()
			c.git, common = c.git || name == ".git", common || name == "commondir"
			head, objects = head || name == "HEAD", objects || name == "objects"
			refs = refs || name == "refs" // links, too
			if e.IsDir() {
				each(fd, name, changed)
			}
		}
		if err != nil {
			c.bare = head && (objects && refs || common)
			if err == io.EOF {
				err = nil
			}
			return c, err
		}
	}
}

// dotGit looks at the git folder that the .git in a working tree is, or to which it leads.
func (l *Look) dotGit(tree string) {
	path := filepath.Join(tree, ".git")
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return
	}
	if isFolder(real) {
		l.gitFolder(real, "")
		return
	}
	text, err := safefile.Read(real, maxPointer)
	if err != nil {
		return // git would not follow it either
	}
	to, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir:")
	if !ok {
		return
	}
	if to = strings.TrimSpace(to); !filepath.IsAbs(to) {
		to = filepath.Join(filepath.Dir(real), to)
	}
	if real, err = filepath.EvalSymlinks(to); err != nil {
		return
	}
	if to := elsewhere(real, tree); to != "" && (l.changed(path) || l.leadsOut(to)) {
		l.Account.plant(path, "git would write in another folder by it", SetAside(path, nil))
		return
	}
	l.gitFolder(real, tree)
}

// changed reports whether what is at a path was made, moved or changed since.
func (l *Look) changed(path string) bool {
	var stat unix.Stat_t
	return unix.Lstat(path, &stat) == nil && stat.Ctim.Nano() >= l.Began.UnixNano()
}

// writes reports whether commands could write a path.
func (l *Look) writes(path string) bool {
	return slices.ContainsFunc(l.Write, func(dir string) bool { return confine.Under(path, dir) })
}

// leadsOut reports whether a path leads out of where commands could write, by what has changed
// there since.
func (l *Look) leadsOut(path string) bool {
	if real, err := filepath.EvalSymlinks(path); err == nil && l.writes(real) {
		return false
	}
	for ; path != "/" && l.writes(path); path = filepath.Dir(path) {
		if l.changed(path) {
			return true
		}
	}
	return false
}

// elsewhere returns where git writes if that is not the tree whose .git leads to a git folder, and
// "" if it is: a copy of a submodule's tree has git write in the first one, where a link may be
// now.
func elsewhere(folder, tree string) string {
	is, _ := filepath.EvalSymlinks(tree)
	for _, name := range []string{"config", "config.worktree"} {
		text, err := safefile.Read(filepath.Join(folder, name), maxPointer)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		settings, err2 := gitrules.Settings(text)
		if err != nil || err2 != nil {
			return folder
		}
		for _, s := range settings {
			to := s.Value
			if !filepath.IsAbs(to) {
				to = filepath.Join(folder, to)
			}
			if real, err := filepath.EvalSymlinks(to); s.Name == "core.worktree" &&
				(err != nil || real != is) {
				return to
			}
		}
	}
	return ""
}

// maxPointer is how large a .git that is a file may be for git.
const maxPointer = 1 << 20

// gitFolder looks at a git folder, unless commands could not write it. tree is the working tree
// whose .git leads to it, and "" where none does: git writes in no other.
func (l *Look) gitFolder(path, tree string) {
	if l.looks[path] || !l.writes(path) {
		return
	}
	for dir := path; dir != "/"; dir = filepath.Dir(dir) {
		if slices.Contains(l.Covered, InodeAt(dir)) {
			return
		}
	}
	l.looks[path] = true
	now, err := gitrules.Open(path)
	if err != nil {
		l.missed(path)
		return
	}
	defer now.Close()
	if l.changed(path) && unix.Faccessat(now.FD(), ".", unix.R_OK|unix.X_OK, 0) != nil {
		reopen(now.FD())
	}
	inside := func(to string) bool {
		if !filepath.IsAbs(to) {
			to = filepath.Join(path, to)
		}
		to = filepath.Clean(to)
		return (tree == "" || to == tree) && l.writes(to)
	}
	l.rules.Module = tree != ""
	refused, err := l.rules.Whole(nil, now, inside)
	if err != nil {
		l.missed(path)
	}
	for _, r := range refused {
		file := filepath.Join(path, r.Path)
		protected := slices.ContainsFunc(l.protected,
			func(at string) bool { return confine.Under(file, at) })
		if (!protected || slices.Contains(l.large, file)) &&
			!slices.ContainsFunc(l.Grants, func(grant string) bool {
				return confine.Under(grant, path) && confine.Under(file, grant)
			}) {
			l.Account.plant(file, r.Why, SetAside(file, l.remains(now, r.Path, inside)))
		}
	}
}

// remains returns what a file that is moved aside leaves in its place: what of it is harmless.
func (l *Look) remains(now *tree.Root, name string, inside gitrules.Inside) []byte {
	switch filepath.Base(name) {
	case "config", "config.worktree":
		text, _ := now.At(name).Read(lookBytes)
		settings, _ := gitrules.Settings(text)
		return gitrules.Harmless(settings, inside.Trees(l.rules.Module ||
			strings.HasPrefix(name, "modules/")))
	case "git-rebase-todo":
		text, _ := now.At(name).Read(lookBytes)
		_, rest := gitrules.TodoLines(text)
		return append(rest, "noop\n"...)
	}
	return nil
}
