package gitrules

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"ua/internal/common/tree"
)

// A Landing carries what commands have changed in a git folder over to it. They see the
// folder through an overlay, whose upper folder holds the changes (overlayfs). Objects come
// first and refs last, each file as a whole, so that a landing which is cut off leaves a
// repository that is in order.
type Landing struct {
	Lower  *tree.Root // the git folder itself
	Inside Inside
	// Foreign reports whether the linked worktree of that name, or the main one, "", belongs
	// to a folder that commands do not see.
	Foreign func(id string) bool
	Branch  string        // the prefix of refs that may change; "" for all
	Git     func() string // returns the path of git

	view
	landed map[string]stamp // what was landed after that
	locked bool             // a program holds a lock

	refused []Refusal
	folders []string // that git wants, even empty
	stores  map[string]*store
}

// maxChanges bounds the changes that land at a time.
const maxChanges = 200_000

// A stamp tells states of a file apart.
type stamp struct {
	ino   uint64
	size  int64
	ctime tree.Stamp
}

func stampOf(f *tree.File) stamp { return stamp{f.Ino, f.Size, f.Ctime} }

// A change is a path at which the overlay differs from the git folder.
type change struct {
	name  string
	kind  Kind
	owner string // as of KindOf
	gone  bool
	with  bool // its whole git folder is gone, too
	stamp      // of what is in the upper folder
}

// in returns the path in its own git folder.
func (c change) in() string { return strings.TrimPrefix(c.name, c.owner) }

// A view is an overlay of the git folder.
type view struct {
	upper *tree.Root
	since tree.Stamp          // what the user changes from here on, commands may not have seen
	dirs  []string            // of the git folder, in which the user may change names
	bases map[string]*os.File // each index as it was then; git puts a new file in its place
}

// Begin tells that an overlay with that upper folder is about to be mounted. The returned
// function gives the one before back, or ends it.
func (l *Landing) Begin(upper *tree.Root) (back func(bool)) {
	before, now := l.view, view{upper: upper, since: l.now(upper), bases: map[string]*os.File{}}
	now.base(l.Lower, "")
	ids, _ := l.Lower.At("worktrees").Some(maxNames)
	for _, id := range ids {
		if !l.Foreign(id) {
			now.base(l.Lower, "worktrees/"+id+"/")
		}
	}
	l.view = now
	return func(again bool) {
		if again {
			before, l.view = l.view, before
		}
		before.close()
	}
}

// now returns the time of the git folder's file system: what changes from here on there has this
// or a later ctime. Since Linux 6.13 some file systems give a file whose newest ctime somebody
// has seen a later one, and no file an earlier one after that (multigrain-ts.rst). On others it
// is the time of the last tick, which a change of some milliseconds ago has, too.
func (l *Landing) now(upper *tree.Root) tree.Stamp {
	var tick unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_REALTIME_COARSE, &tick)
	var on unix.Statfs_t
	if unix.Fstatfs(l.Lower.FD(), &on) != nil || !slices.Contains(multigrain, uint32(on.Type)) {
		return tree.StampOf(tick)
	}
	at := upper.At(".")
	for range 2 { // the first time may be one that another file has
		if f, err := at.Lstat(); err != nil || at.Chmod(f, f.Mode) != nil {
			return tree.StampOf(tick)
		}
	}
	f, err := at.Lstat()
	if err != nil {
		return tree.StampOf(tick)
	}
	return f.Ctime
}

// multigrain are the file systems with such times; all of them got these at once.
var multigrain = []uint32{unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC,
	unix.TMPFS_MAGIC}

// base keeps the index of a working tree open.
func (v view) base(lower *tree.Root, owner string) {
	if f, err := lower.At(owner + "index").Open(); err == nil {
		v.bases[owner+"index"] = f
	}
}

func (v view) close() {
	v.upper.Close()
	for _, f := range v.bases {
		f.Close()
	}
}

// Outdated reports whether the overlay holds changes, or may not show what the git folder holds
// now: names have changed in a folder of it. One that is new is a name in the one around it.
func (l *Landing) Outdated() bool {
	if l.dirs == nil {
		l.dirs = l.below(".", nil)
	}
	return l.Changed() || len(l.dirs) > maxFolders || slices.ContainsFunc(l.dirs,
		func(dir string) bool {
			f, err := l.Lower.At(dir).Lstat()
			return err != nil || f == nil || f.Ctime >= l.since
		})
}

// Changed reports whether the overlay holds changes.
func (l *Landing) Changed() bool {
	names, err := l.upper.At(".").Some(1)
	return err != nil || len(names) > 0
}

// maxFolders is how many folders are looked at for changes. If there are more, some may have
// changed.
const maxFolders = 256

// below adds a folder of the git folder and those in it, in which git changes names, to a list.
func (l *Landing) below(dir string, list []string) []string {
	list = append(list, dir)
	f, err := l.Lower.At(dir).Lstat()
	if err != nil || f == nil || f.Links == 2 { // no folder is in it, where the file system counts
		return list
	}
	names, _ := l.Lower.At(dir).Names()
	for _, base := range names {
		name := path.Join(dir, base)
		loose := dir == "objects" && base != "pack"
		if name != "logs" && !loose && len(list) <= maxFolders && isFolder(l.Lower, name) {
			list = l.below(name, list)
		}
	}
	return list
}

// Land lands what has changed, and returns what may not. An error means that nothing could
// be looked at. While programs run in the overlay, which quiet is asked about, nothing lands as
// long as one holds a lock, or changes something: what lands is how a crash could have left the
// folder, for which git is made. A nil quiet says that none runs.
func (l *Landing) Land(quiet func() bool) ([]Refusal, error) {
	l.stores = map[string]*store{}
	defer func() {
		for _, s := range l.stores {
			s.close()
		}
	}()
	if l.landed == nil {
		l.landed = map[string]stamp{}
	}
	list, err := l.changes()
	if err != nil || len(list) == 0 && len(l.folders) == 0 {
		return l.refused, err
	}
	for _, name := range []string{"HEAD", "objects", "refs"} {
		if l.destroyed(name) {
			return []Refusal{{name, "without it git has no repository, so nothing lands"}}, nil
		}
	}
	if l.orphaned(list) {
		return []Refusal{{"HEAD", "its branch is gone, and no other has come, so nothing lands"}}, nil
	}
	if quiet != nil && !quiet() {
		again, err := l.changes()
		if l.locked || err != nil || !slices.Equal(list, again) {
			return nil, err
		}
	}
	l.carry(list)
	return l.refused, nil
}

// destroyed reports whether what makes a git folder one is gone, or is something else.
func (l *Landing) destroyed(name string) bool {
	f, err := l.upper.At(name).Lstat()
	kind := tree.Folder
	if name == "HEAD" {
		kind = tree.Regular
	}
	return err == nil && f != nil && f.Type != kind
}

// orphaned reports whether the branch of HEAD is gone, and HEAD has no other one: git was begun
// anew.
func (l *Landing) orphaned(list []change) bool {
	if !slices.ContainsFunc(list, func(c change) bool {
		return c.gone && (c.kind == Ref || c.kind == PackedRefs)
	}) {
		return false
	}
	before := func(name string) []byte { return read(l.Lower, name, maxIndex) }
	after := func(name string) []byte {
		for _, c := range list {
			if c.name == name && c.gone {
				return nil
			} else if c.name == name {
				return read(l.upper, name, maxIndex)
			}
		}
		return before(name)
	}
	branch := func(in func(string) []byte) string {
		to, _ := strings.CutPrefix(strings.TrimSpace(string(in("HEAD"))), "ref: ")
		return to
	}
	born := func(to string, in func(string) []byte) bool {
		return isHash(to) || in(to) != nil || bytes.Contains(in("packed-refs"), []byte(" "+to+"\n"))
	}
	was := branch(before)
	return born(was, before) && !born(was, after) && !born(branch(after), after)
}

// changes lists the changes, and what may not land of them.
func (l *Landing) changes() (list []change, err error) {
	l.refused, l.folders, l.locked = nil, nil, false
	// Where a worktree is gone with all in it, and a submodule, whose commits may be nowhere else.
	own, module := "/", "/"
	layers := tree.Layers{Lower: l.Lower, Upper: l.upper, Xattrs: "user", Most: maxChanges}
	return list, layers.Walk(func(rel string, before, after *tree.File) error {
		if len(list) > maxChanges {
			return fmt.Errorf("more than %d changes", maxChanges)
		}
		inside := strings.HasPrefix(rel, own)
		switch isGone := before.IsFolder() && !after.IsFolder(); {
		case strings.HasPrefix(rel, module):
			return nil
		case isGone && isWorktree(rel):
			own = rel + "/"
		case isGone && !inside && l.isModule(rel):
			module = rel + "/"
			l.refuse(rel, "it may hold commits that are nowhere else, and stays")
			return nil
		}
		switch {
		case after.IsFolder():
			if before == nil && l.isLayout(rel) {
				l.folders = append(l.folders, rel)
			} else if before != nil && !before.IsFolder() {
				l.add(change{name: rel, gone: true}, &list)
			}
		case after != nil:
			l.add(change{name: rel, stamp: stampOf(after)}, &list)
		case !before.IsFolder():
			l.add(change{name: rel, gone: true, with: inside}, &list)
		}
		return nil
	})
}

// carry lands changes: first what refs lead to, and last what nothing leads to any more.
func (l *Landing) carry(list []change) {
	of := func(do func(change), kinds ...Kind) {
		for _, c := range list {
			if slices.Contains(kinds, c.kind) {
				do(c)
			}
		}
	}
	for _, name := range l.folders {
		if dir, _, err := makeParent(l.Lower, name+"/"); err == nil {
			dir.Close()
		}
	}
	before := len(l.refused)
	of(l.object, Object)
	of(l.pack, Pack)
	forged := len(l.refused) > before
	of(l.object, Large)
	for _, gone := range []bool{true, false} {
		of(func(c change) {
			if c.gone == gone && (!forged || !strings.HasPrefix(c.in(), "logs/")) { // of refs
				l.text(c)
			}
		}, Data, Config, Todo, Options, Pointer, Hooks, Unknown)
	}
	if forged {
		l.refuse("refs", "objects that they lead to were refused")
		return
	}
	l.refs(list)
	of(l.text, Index)
	of(l.replaced, Derived, Pack, Object)
	l.prune(list)
}

// refuse keeps in mind that a change does not land.
func (l *Landing) refuse(name, why string) { l.refused = append(l.refused, Refusal{name, why}) }

// object lands a loose object or a large file. One that is there stays.
func (l *Landing) object(c change) {
	if c.gone {
		return
	}
	if err := landObject(l.upper, l.Lower, c.name, c.kind); err != nil {
		l.refuse(c.name, tree.Cause(err).Error())
	}
}

// pack lands a pack. What belongs to it is made anew.
func (l *Landing) pack(c change) {
	if c.gone || !strings.HasSuffix(c.name, ".pack") {
		return
	}
	stem := strings.TrimSuffix(c.name, ".pack")
	if !has(l.upper, stem+".idx") {
		return // git is still writing it
	}
	config := read(l.Lower, l.common(c.owner)+"config", maxText)
	settings, _ := Settings(config)
	promisor := has(l.upper, stem+".promisor") && (config == nil || partial(settings))
	if err := landPack(l.Git(), l.upper, l.Lower, c.name, promisor); err != nil {
		l.refuse(c.name, "a pack that git does not accept: "+tree.Cause(err).Error())
	}
}
