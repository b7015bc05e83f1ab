//go:build linux

// Package manifest lists what a try changed. Each path has a line of JSON with what was
// there when the try began and what the try has now.
package manifest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"ua/cmd/ua-try/internal/try"
	"ua/internal/common/remove"
	"ua/internal/common/safefile"
	"ua/internal/common/style"
	"ua/internal/common/tree"
)

// A Status says how a path changed, by git's letters.
type Status string

// The statuses.
const (
	Added    Status = "A"
	Deleted  Status = "D"
	Modified Status = "M" // content, mode, owner or attributes
	Retyped  Status = "T" // a file of another type
	Timed    Status = "t" // nothing but the modification time
)

// An Entry is a path that a try changed.
type Entry struct {
	Cover  int        `json:"cover"` // index in try.json's covers
	Path   tree.Name  `json:"path"`  // relative to the cover; "." is the cover itself
	Status Status     `json:"status"`
	Before *tree.File `json:"before,omitempty"` // what the folder had when the try began
	// what the try has, in the layer's upper folder unless Link says where
	After *tree.File `json:"after,omitempty"`
	Link  tree.Name  `json:"link,omitempty"` // the path of which this is another hard link
	// the folder's own was changed, or deleted, while the try ran; Before is what came of it
	Raced bool `json:"raced,omitempty"`

	Applied int `json:"applied,omitempty"` // number of the landing that applied it
}

// Folder reports whether the path was a folder before or is one after.
func (e *Entry) Folder() bool { return e.Before.IsFolder() || e.After.IsFolder() }

// Counts reports whether a person would call the entry a changed file.
func (e *Entry) Counts() bool {
	return e.Status != Timed && (!e.Folder() || e.Status == Retyped)
}

// Files returns how many files the entries change, and how many folders they change
// otherwise.
func Files(list []Entry) (files, folders int) {
	for i := range list {
		switch e := &list[i]; {
		case e.Counts():
			files++
		case e.Status != Timed:
			folders++
		}
	}
	return files, folders
}

// Changed returns in words how much changed, "" for nothing.
func Changed(files, folders int) string {
	switch {
	case files > 0:
		return style.Plural(int64(files), "file") + " changed"
	case folders > 0:
		return style.Plural(int64(folders), "folder") + " changed"
	}
	return ""
}

// read reads the manifest's file.
func read(t *try.Try) ([]Entry, error) {
	text, err := safefile.Read(t.Path(try.ManifestFile), largest)
	if err != nil {
		return nil, err
	}
	list, err := Decode(text, len(t.Covers))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.Path(try.ManifestFile), err)
	}
	return list, nil
}

// Decode reads a manifest of a try that has a number of covers. A path that leads out of
// its cover, an entry without a file, and lines out of order are errors, so that a broken
// disk moves no other files.
func Decode(text []byte, covers int) (list []Entry, err error) {
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		var e Entry
		err := json.Unmarshal(lines.Bytes(), &e)
		if err == nil {
			err = e.check(covers)
		}
		if err == nil && len(list) > 0 && Compare(list[len(list)-1], e) >= 0 {
			err = errors.New("out of order")
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		list = append(list, e)
	}
	return list, lines.Err()
}

// check returns an error for an entry that Scan never makes.
func (e *Entry) check(covers int) error {
	switch {
	case e.Cover < 0 || e.Cover >= covers:
		return fmt.Errorf("cover %d of %d", e.Cover, covers)
	case !Inside(string(e.Path)) || e.Link != "" && !Inside(string(e.Link)):
		return fmt.Errorf("%q: no path in a folder", e.Path)
	case e.Before == nil && e.After == nil:
		return fmt.Errorf("%q: nothing before and nothing after", e.Path)
	case e.Path == "." && !(e.Before.IsFolder() && e.After.IsFolder()):
		return errors.New("the cover itself is no folder")
	case (e.Status == Added) != (e.Before == nil) || (e.Status == Deleted) != (e.After == nil):
		return fmt.Errorf("%q: status %s does not fit", e.Path, e.Status)
	}
	if slices.Contains([]Status{Added, Deleted, Modified, Retyped, Timed}, e.Status) {
		return nil
	}
	return fmt.Errorf("%q: status %q", e.Path, e.Status)
}

// Inside reports whether a relative path stays in its folder.
func Inside(p string) bool {
	return p != "" && path.Clean(p) == p && !path.IsAbs(p) && p != ".." &&
		!strings.HasPrefix(p, "../") && !strings.ContainsRune(p, 0)
}

// Compare orders entries by cover, and folders before what is in them.
func Compare(a, b Entry) int {
	if a.Cover != b.Cover {
		return a.Cover - b.Cover
	}
	return ComparePaths(string(a.Path), string(b.Path))
}

// ComparePaths orders relative paths. "." comes first, and the files of a folder stand
// together after it.
func ComparePaths(a, b string) int {
	switch {
	case a == b:
		return 0
	case a == ".":
		return -1
	case b == ".":
		return 1
	}
	for i := 0; i < len(a) && i < len(b); i++ {
		if a[i] != b[i] {
			return int(rank(a[i])) - int(rank(b[i]))
		}
	}
	return len(a) - len(b)
}

// rank orders the slash before every other byte, which keeps a folder's files together.
func rank(c byte) uint16 {
	if c == '/' {
		return 0
	}
	return uint16(c) + 1
}

// Save writes the manifest's file.
func Save(t *try.Try, list []Entry) error {
	var b bytes.Buffer
	w := json.NewEncoder(&b)
	w.SetEscapeHTML(false)
	for i := range list {
		if err := w.Encode(&list[i]); err != nil {
			return err
		}
	}
	return try.Replace(t.Path(try.ManifestFile), b.Bytes())
}

// largest is the largest manifest that is read, in bytes.
const largest = 4 << 30

// Tidy removes the folders in which the kernel prepares changes.
func Tidy(t *try.Try) error {
	for i := range t.Covers {
		if err := remove.All(t.Work(i)); err != nil {
			return err
		}
	}
	return nil
}
