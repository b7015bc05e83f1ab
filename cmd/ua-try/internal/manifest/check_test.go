//go:build linux

package manifest

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"ua/internal/common/tree"
)

var (
	aFile   = &tree.File{Type: tree.Regular, Mode: 0o644, Size: 1, Links: 1, Ino: 7}
	aFolder = &tree.File{Type: tree.Folder, Mode: 0o755, Links: 2, Ino: 8}
	aLink   = &tree.File{Type: tree.Symlink, Mode: 0o777, Target: "x", Links: 1, Ino: 9}
)

// TestCheck takes the entries that a scan makes and none that it does not.
func TestCheck(t *testing.T) {
	for _, c := range []struct {
		name  string
		e     Entry
		wrong string
	}{
		{"added", Entry{Path: "a", Status: Added, After: aFile}, ""},
		{"deleted", Entry{Path: "a/b", Status: Deleted, Before: aFolder}, ""},
		{"modified", Entry{Path: "a", Status: Modified, Before: aFile, After: aFile}, ""},
		{"retyped", Entry{Cover: 1, Path: "a", Status: Retyped, Before: aFile, After: aLink}, ""},
		{"timed", Entry{Path: ".", Status: Timed, Before: aFolder, After: aFolder}, ""},
		{"another name", Entry{Path: "a", Status: Added, After: aFile, Link: "d/b"}, ""},
		{"odd names", Entry{Path: "..a/...", Status: Added, After: aFile, Link: " "}, ""},

		{"a cover below", Entry{Cover: -1, Path: "a", Status: Added, After: aFile}, "cover -1 of 2"},
		{"a cover above", Entry{Cover: 2, Path: "a", Status: Added, After: aFile}, "cover 2 of 2"},
		{"no path", Entry{Status: Added, After: aFile}, "no path in a folder"},
		{"out", Entry{Path: "../a", Status: Added, After: aFile}, "no path in a folder"},
		{"above", Entry{Path: "..", Status: Deleted, Before: aFolder}, "no path in a folder"},
		{"absolute", Entry{Path: "/a", Status: Added, After: aFile}, "no path in a folder"},
		{"out and in", Entry{Path: "a/../../b", Status: Added, After: aFile}, "no path in a folder"},
		{"not clean", Entry{Path: "a//b", Status: Added, After: aFile}, "no path in a folder"},
		{"a slash at the end", Entry{Path: "a/", Status: Added, After: aFolder}, "no path in a folder"},
		{"a zero byte", Entry{Path: "a\x00", Status: Added, After: aFile}, "no path in a folder"},
		{"another name out", Entry{Path: "a", Status: Added, After: aFile, Link: "../b"},
			"no path in a folder"},
		{"no files", Entry{Path: "a", Status: Modified}, "nothing before and nothing after"},
		{"a cover that is deleted", Entry{Path: ".", Status: Deleted, Before: aFolder}, "no folder"},
		{"a cover that is a file", Entry{Path: ".", Status: Retyped, Before: aFolder, After: aFile},
			"no folder"},
		{"added before", Entry{Path: "a", Status: Added, Before: aFile, After: aFile}, "does not fit"},
		{"not added", Entry{Path: "a", Status: Modified, After: aFile}, "does not fit"},
		{"deleted after", Entry{Path: "a", Status: Deleted, Before: aFile, After: aFile},
			"does not fit"},
		{"not deleted", Entry{Path: "a", Status: Timed, Before: aFile}, "does not fit"},
		{"another letter", Entry{Path: "a", Status: "X", Before: aFile, After: aFile}, `status "X"`},
		{"no letter", Entry{Path: "a", Before: aFile, After: aFile}, `status ""`},
	} {
		err := c.e.check(2)
		if (err == nil) != (c.wrong == "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%s: %v", c.name, err)
		}
		// What a file says of it is judged alike.
		line, _ := json.Marshal(c.e)
		list, read := Decode(line, 2)
		if (read == nil) != (err == nil) || read == nil && (len(list) != 1 || list[0].Path != c.e.Path ||
			list[0].Status != c.e.Status || list[0].Link != c.e.Link) {
			t.Errorf("%s: read as %+v, %v", c.name, list, read)
		}
	}
}

// TestCompare puts covers and folders before what is in them, and no two entries alike.
func TestCompare(t *testing.T) {
	want := []Entry{{Path: "."}, {Path: "a"}, {Path: "a/z"}, {Path: "a b"}, {Cover: 1, Path: "."},
		{Cover: 1, Path: "A"}, {Cover: 2, Path: "."}}
	for i, a := range want {
		for j, b := range want {
			if got := Compare(a, b); (got < 0) != (i < j) || (got == 0) != (i == j) {
				t.Errorf("%d %s and %d %s: %d", a.Cover, a.Path, b.Cover, b.Path, got)
			}
		}
	}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortFunc(got, Compare)
	for i := range got {
		if got[i].Cover != want[i].Cover || got[i].Path != want[i].Path {
			t.Errorf("%d: %+v", i, got[i])
		}
	}
}

// TestCounts is what a person would call a changed file.
func TestCounts(t *testing.T) {
	for _, c := range []struct {
		name           string
		e              Entry
		files, folders int
	}{
		{"a file", Entry{Status: Added, After: aFile}, 1, 0},
		{"a file that is gone", Entry{Status: Deleted, Before: aFile}, 1, 0},
		{"a link", Entry{Status: Modified, Before: aLink, After: aLink}, 1, 0},
		{"a time", Entry{Status: Timed, Before: aFile, After: aFile}, 0, 0},
		{"a folder", Entry{Status: Added, After: aFolder}, 0, 1},
		{"a folder's time", Entry{Status: Timed, Before: aFolder, After: aFolder}, 0, 0},
		{"a folder's mode", Entry{Status: Modified, Before: aFolder, After: aFolder}, 0, 1},
		{"a folder for a file", Entry{Status: Retyped, Before: aFile, After: aFolder}, 1, 0},
		{"a file for a folder", Entry{Status: Retyped, Before: aFolder, After: aFile}, 1, 0},
	} {
		files, folders := Files([]Entry{c.e})
		if files != c.files || folders != c.folders || c.e.Counts() != (c.files == 1) {
			t.Errorf("%s: %d files, %d folders", c.name, files, folders)
		}
	}
}
