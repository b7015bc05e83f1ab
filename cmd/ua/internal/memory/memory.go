// Package memory finds what people have written for agents that work in a folder:
// AGENTS.md files (agents.md), the user's own first. Where a folder of a project has none,
// the file that another agent reads stands in for it.
package memory

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"ua/internal/common/safefile"
)

// names returns those of such a file. The first that is there counts.
func names() []string { return []string{"AGENTS.md", "CLAUDE.md", "GEMINI.md"} }

// The limits in bytes: a file is cut at maxFile, and files beyond maxAll in total are not
// read. The notes are part of every request.
const (
	maxFile = 16 << 10
	maxAll  = 48 << 10
)

// A Note is the text of one file.
type Note struct {
	// The file and the beginning of its text.
	Path string
	Text string
	Cut  int64 // bytes of the file that Text leaves out
}

// Load returns the notes for the folder dir. The user's note, from the folder of
// settings, comes first. The rest follow from the root of dir's repository down to dir,
// so that the nearest is last. Outside a repository only dir's own file counts: anybody
// may have written what lies above. bad is called with each file that cannot be read.
func Load(dir, settings string, bad func(error)) (notes []Note) {
	total := 0
	for _, folder := range append([]string{settings}, Folders(dir)...) {
		path, text, size, err := note(folder, folder == settings)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			bad(err)
			continue
		case total+len(text) > maxAll:
			bad(fmt.Errorf("%s: left out: with the notes before it, it would exceed %d bytes",
				path, maxAll))
			continue
		}
		total += len(text)
		if text != "" {
			notes = append(notes, Note{path, text, size - int64(len(text))})
		}
	}
	return notes
}

// note reads the note of a folder. People keep their own settings elsewhere and link to
// them. In a project no link is followed.
func note(folder string, own bool) (path, text string, size int64, err error) {
	for _, name := range names() {
		if path = filepath.Join(folder, name); own {
			path = safefile.Follow(path)
		}
		text, size, err = read(path)
		if own || !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return path, text, size, err
}

// Folders returns the folders from the root of dir's repository down to dir, or dir
// alone.
func Folders(dir string) (list []string) {
	for at := dir; ; at = filepath.Dir(at) {
		list = append(list, at)
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			slices.Reverse(list)
			return list
		}
		if at == filepath.Dir(at) {
			return []string{dir}
		}
	}
}

// read returns the beginning of a file, in whole characters, and the file's size. A link
// is followed only to a file in the same folder, as from CLAUDE.md to AGENTS.md. A file
// elsewhere was not written for agents here.
func read(path string) (text string, size int64, err error) {
	if to, err := os.Readlink(path); err == nil && filepath.Base(to) == to {
		path = filepath.Join(filepath.Dir(path), to)
	}
	f, err := safefile.Open(path)
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", 0, err
	}
	b := make([]byte, min(info.Size(), maxFile))
	n, err := f.ReadAt(b, 0)
	if err != nil && n < len(b) {
		b = b[:n] // it has become shorter
	}
	// A character that was cut in two is dropped.
	for len(b) > 0 && int64(len(b)) < info.Size() {
		if r, size := utf8.DecodeLastRune(b); r != utf8.RuneError || size != 1 {
			break
		}
		b = b[:len(b)-1]
	}
	return strings.ToValidUTF8(string(b), "\ufffd"), info.Size(), nil
}

// Prompt returns the notes as text for a system prompt, "" for none. Each is named, so
// that the model can say where an instruction comes from.
func Prompt(notes []Note) string {
	var b strings.Builder
	for _, n := range notes {
		fmt.Fprintf(&b, "\n\nNotes from %s:\n%s", n.Path, strings.TrimSpace(n.Text))
		if n.Cut > 0 {
			fmt.Fprintf(&b, "\n[%d bytes more stand in the file]", n.Cut)
		}
	}
	return strings.TrimPrefix(b.String(), "\n\n")
}
