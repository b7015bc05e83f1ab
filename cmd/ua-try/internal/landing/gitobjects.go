//go:build linux

package landing

import (
	"path"
	"path/filepath"
	"strings"

	"ua/cmd/ua-try/internal/manifest"
	"ua/internal/common/config"
	"ua/internal/common/confine"
	"ua/internal/common/gitrules"
	"ua/internal/common/tree"
)

// objects looks at what git finds by its hash. Other content under a name that the user
// knows would come with the next checkout, and neither status nor diff or log would show it.
// So an object that is there never changes, a new one has the hash that its name says, and
// what git makes again from objects, and believes, does not land. to is a folder for copies.
func (in *inspector) objects(dir string, to tree.Place) error {
	packs := map[string]string{} // by path without suffix
	for full, e := range in.entries {
		name, ok := strings.CutPrefix(full, dir+"/")
		if !ok || e.After == nil {
			continue
		}
		kind := kindOf(name)
		file := e.After.Type == tree.Regular
		switch {
		case !file && !e.After.IsFolder() && confine.Under(name, "objects"):
			in.refuse(full, "no regular file")
		case kind == gitrules.Derived && file:
			delete(in.copies, e)
			if in.leave[e] = e.Before == nil; e.Before != nil {
				e.After, e.Status = nil, manifest.Deleted
			}
		case kind != gitrules.Object && kind != gitrules.Pack:
		case e.Before != nil && e.Status == manifest.Timed:
			in.leave[e] = true
		case e.Before != nil:
			in.refuse(full, "git never changes an object that it has")
		case in.shared(e):
			in.refuse(full, "it has another name, by which it can be changed")
		case kind == gitrules.Pack:
			packs[strings.TrimSuffix(full, path.Ext(full))] = full
		default:
			if err := in.object(full, e, to); err != nil {
				return err
			}
		}
	}
	for stem, full := range packs {
		if err := in.pack(stem, full, to); err != nil {
			return err
		}
	}
	return nil
}

// kindOf returns the kind of a file by its path in its own git folder.
func kindOf(name string) gitrules.Kind {
	kind, _ := gitrules.KindOf(name, func(string) bool { return false })
	return kind
}

// shared reports whether a file also has a name where git keeps no objects.
func (in *inspector) shared(e *manifest.Entry) bool {
	if e.After.Links == 1 {
		return false
	}
	elsewhere := func(name tree.Name) bool {
		at := strings.LastIndex("/"+string(name), "/objects/")
		if name == "" {
			return false
		}
		if at < 0 {
			return true
		}
		kind := kindOf(string(name)[at:])
		return kind != gitrules.Object && kind != gitrules.Pack
	}
	for i := range in.lander.list {
		o := &in.lander.list[i]
		if o.Cover == e.Cover && o.After != nil && o.After.Ino == e.After.Ino && elsewhere(o.Path) {
			return true
		}
	}
	return elsewhere(e.Link)
}

// object verifies a copy of a new object.
func (in *inspector) object(full string, e *manifest.Entry, to tree.Place) error {
	hash := filepath.Base(filepath.Dir(full)) + filepath.Base(full)
	d, err := in.verifiable(full, to, hash)
	if err != nil {
		return err
	}
	defer d.Close()
	f, err := d.At(hash).Open()
	if err == nil {
		err = gitrules.Verify(f, hash)
		f.Close()
	}
	if err != nil {
		in.refuse(full, err.Error())
	}
	return nil
}

// pack verifies copies of a pack and of the table beside it, one of which is new. git finds
// nothing in a pack without one.
func (in *inspector) pack(stem, full string, to tree.Place) error {
	for _, suffix := range []string{".pack", ".idx"} {
		if _, f := in.merged(stem + suffix); f == nil {
			return nil
		}
	}
	base := filepath.Base(stem)
	var d *tree.Root
	for _, suffix := range []string{".pack", ".idx"} {
		d.Close()
		var err error
		if d, err = in.verifiable(stem+suffix, to, base+suffix); err != nil {
			return err
		}
	}
	defer d.Close()
	git, err := config.LookOutside("git")
	if err == nil {
		err = gitrules.VerifyPack(git, d, base)
	}
	if err != nil {
		in.refuse(full, err.Error())
	}
	return nil
}

// verifiable copies a file as it would be into a folder, which it returns.
func (in *inspector) verifiable(full string, to tree.Place,
	name string) (*tree.Root, error) {
	if f, err := to.Lstat(); err != nil {
		return nil, err
	} else if f == nil {
		if err := to.Mkdir(); err != nil {
			return nil, err
		}
	}
	at, f := in.merged(full)
	if err := in.copy(full, at, to.Join(name), f); err != nil {
		return nil, err
	}
	return folderAt(to)
}
