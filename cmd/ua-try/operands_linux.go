package main

import (
	"os"
	"path/filepath"
	"strings"

	"ua/cmd/ua-try/internal/try"
	"ua/internal/common/tree"
)

// operands returns the try that the first word names, and the absolute paths of the
// others. If the first word names no try it is a path as well, and the try is the last
// one.
func operands(words []string) (*try.Try, []tree.Name, error) {
	name := ""
	if len(words) > 0 {
		t, err := try.Find(words[0])
		if err == nil {
			paths, err := absolute(words[1:])
			return t, paths, err
		}
		if strings.HasPrefix(words[0], try.Root()+"/") { // one that is gone
			return nil, nil, err
		}
		if len(words) == 1 && looksLikeID(words[0]) {
			name = words[0]
		}
	}
	t, err := try.Find(name)
	if err != nil {
		return nil, nil, err
	}
	paths, err := absolute(words)
	return t, paths, err
}

// looksLikeID reports whether a word begins as an ID does, with a date, and is no file's
// name.
func looksLikeID(word string) bool {
	if _, err := os.Lstat(word); err == nil {
		return false
	}
	return len(word) >= 8 && strings.Trim(word[:8], "0123456789") == ""
}

// absolute returns the absolute paths of words.
func absolute(words []string) (paths []tree.Name, err error) {
	for _, w := range words {
		// The last part may be a link: that is what is meant. The rest leads to a folder.
		dir, base := filepath.Dir(w), filepath.Base(w)
		if base == "." || base == ".." || strings.HasSuffix(w, "/") {
			dir, base = w, "."
		}
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			dir = real
		}
		full, err := filepath.Abs(filepath.Join(dir, base))
		if err != nil {
			return nil, err
		}
		paths = append(paths, tree.Name(full))
	}
	return paths, nil
}

// lockNamed finds a try and takes its lock.
func lockNamed(words []string) (*try.Try, []tree.Name, *os.File, error) {
	t, paths, err := operands(words)
	if err != nil {
		return nil, nil, nil, err
	}
	lock, err := t.Claim()
	return t, paths, lock, err
}
