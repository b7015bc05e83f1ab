package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/term"

	"ua/cmd/ua-try/internal/diff"
	"ua/cmd/ua-try/internal/landing"
	"ua/cmd/ua-try/internal/manifest"
	"ua/cmd/ua-try/internal/try"
	"ua/internal/common/confine"
	"ua/internal/common/prog"
	"ua/internal/common/style"
	"ua/internal/common/tree"
)

// show prints what a try changed.
func show(env *prog.Env, args []string) error {
	fs := prog.Flags()
	stat, names, asJSON := fs.Bool("stat", false, ""), fs.Bool("name-status", false, ""),
		fs.Bool("json", false, "")
	if err := env.Parse(fs, args, help); err != nil {
		return err
	}
	if len(slices.DeleteFunc([]bool{*stat, *names, *asJSON},
		func(on bool) bool { return !on })) > 1 {
		return prog.Errorf(prog.Trouble, "--stat, --name-status and --json contradict each other")
	}
	t, paths, err := operands(fs.Args())
	if err != nil {
		return err
	}
	// Peek, since diff only looks: the command may still run.
	entries, err := manifest.Peek(t)
	if err != nil {
		return err
	}
	if entries, err = under(t, entries, paths); err != nil {
		return err
	}
	if *asJSON {
		return printJSON(env, t, entries)
	}
	finder, err := landing.Find(t)
	if err != nil {
		return err
	}
	defer finder.Close()
	list := changesOf(t, entries, finder)
	if *names {
		return nameStatus(env, t, list)
	}
	out := &painter{w: env.Stdout, style: style.For(env.Stdout),
		tty: term.IsTerminal(int(env.Stdout.Fd()))}
	option := "-p"
	if *stat {
		option = "--stat"
	}
	err = diff.Git(out, t.Dir, list, option, "--no-color")
	if errors.Is(err, diff.ErrNoGit) {
		return prog.Errorf(prog.Trouble, "%w", err).
			Hintf("diff --name-status and diff --json do without")
	}
	if err == nil {
		err = notes(out, list)
	}
	return errors.Join(err, out.flush())
}

// under returns the entries at or below the paths, or all of them without paths. A path
// without an entry is an error.
func under(t *try.Try, entries []manifest.Entry, paths []tree.Name) ([]manifest.Entry, error) {
	for _, p := range paths {
		if !slices.ContainsFunc(entries, func(e manifest.Entry) bool { return within(t, e, p) }) {
			return nil, prog.Errorf(prog.Trouble, "%q: neither a try nor a path that %s changed",
				string(p), t.ID)
		}
	}
	if len(paths) == 0 {
		return entries, nil
	}
	return slices.DeleteFunc(entries, func(e manifest.Entry) bool {
		return !slices.ContainsFunc(paths, func(p tree.Name) bool { return within(t, e, p) })
	}), nil
}

// within reports whether an entry's absolute path is p or lies below it.
func within(t *try.Try, e manifest.Entry, p tree.Name) bool {
	return confine.Under(filepath.Join(string(t.Covers[e.Cover].Path), string(e.Path)), string(p))
}

// printJSON prints each entry on a line, with absolute paths.
func printJSON(env *prog.Env, t *try.Try, entries []manifest.Entry) error {
	w := bufio.NewWriter(env.Out())
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for i := range entries {
		e := entries[i]
		cover := string(t.Covers[e.Cover].Path)
		e.Path = tree.Name(filepath.Join(cover, string(e.Path)))
		if e.Link != "" {
			e.Link = tree.Name(filepath.Join(cover, string(e.Link)))
		}
		if err := enc.Encode(&e); err != nil {
			return err
		}
	}
	return w.Flush()
}

// changesOf returns the entries as changes for the diff package, with paths relative to
// the try's working folder and the files of both sides.
func changesOf(t *try.Try, entries []manifest.Entry, finder *landing.Finder) (list []diff.Change) {
	for i := range entries {
		e := &entries[i]
		cover := string(t.Covers[e.Cover].Path)
		c := diff.Change{Path: diff.Relative(filepath.Join(cover, string(e.Path)), string(t.Cwd)),
			Status: string(e.Status), Before: e.Before, After: e.After}
		if e.Link != "" {
			c.Link = diff.Relative(filepath.Join(cover, string(e.Link)), string(t.Cwd))
		}
		c.Old, c.New = finder.Sides(e)
		list = append(list, c)
	}
	return list
}

// notes prints lines for what git does not say.
func notes(w io.Writer, list []diff.Change) error {
	for i := range list {
		c := &list[i]
		if c.Status == string(manifest.Timed) {
			continue
		}
		for _, line := range diff.Notes(c) {
			if _, err := fmt.Fprintf(w, "# %s: %s\n", tree.Shown(c.Path), line); err != nil {
				return err
			}
		}
	}
	return nil
}

// nameStatus prints git's letters and paths, with moves as R. Changes that git does not
// keep, or sees no difference in, come from the manifest.
func nameStatus(env *prog.Env, t *try.Try, list []diff.Change) error {
	var out bytes.Buffer
	err := diff.Git(&out, t.Dir, list, "--name-status", "-z")
	if err != nil && !errors.Is(err, diff.ErrNoGit) {
		return err
	}
	// With -z a rename is a record of three words: the letter and two paths.
	told := map[string]bool{}
	words := strings.Split(strings.TrimSuffix(out.String(), "\x00"), "\x00")
	for i := 0; i+1 < len(words); i += 2 {
		told[words[i+1]] = true
		if words[i][0] != 'R' || i+2 >= len(words) {
			env.Printf("%s\t%s\n", words[i][:1], tree.Shown(words[i+1]))
			continue
		}
		told[words[i+2]] = true
		env.Printf("R\t%s -> %s\n", tree.Shown(words[i+1]), tree.Shown(words[i+2]))
		i++
	}
	for _, c := range list {
		if !told[c.Path] && (c.Status != string(manifest.Timed) || !c.After.IsFolder()) {
			env.Printf("%s\t%s\n", c.Status, tree.Shown(c.Path))
		}
	}
	return nil
}

// A painter passes a diff on. Without a terminal it changes no byte. On one, lines have
// the usual colours, and nothing in a file can drive the terminal.
type painter struct {
	w     io.Writer
	style style.Style
	tty   bool
	line  []byte
}

// Write paints and writes each line that is whole.
func (p *painter) Write(text []byte) (int, error) {
	if !p.tty {
		return p.w.Write(text)
	}
	p.line = append(p.line, text...)
	for {
		end := bytes.IndexByte(p.line, '\n')
		if end < 0 {
			return len(text), nil
		}
		line := string(p.line[:end])
		p.line = p.line[end+1:]
		if _, err := io.WriteString(p.w, p.paint(line)+"\n"); err != nil {
			return 0, err
		}
	}
}

// flush writes the rest, a line without a newline.
func (p *painter) flush() error {
	if len(p.line) == 0 {
		return nil
	}
	_, err := io.WriteString(p.w, p.paint(string(p.line)))
	p.line = nil
	return err
}

// paint returns a line in the colour that its first byte stands for in a diff.
func (p *painter) paint(line string) string {
	text := style.Printable(line)
	if line == "" {
		return ""
	}
	switch line[0] {
	case '+':
		return p.style.Green(text)
	case '-':
		return p.style.Red(text)
	case '@':
		return p.style.Cyan(text)
	case 'd':
		return p.style.Bold(text)
	}
	return text
}
