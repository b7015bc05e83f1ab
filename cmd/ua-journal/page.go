package main

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"io"
	"io/fs"
	"path/filepath"

	"ua/cmd/ua-journal/internal/store"
	"ua/internal/common/prog"
	"ua/internal/common/run"
)

// pageHead begins a page that loads and sends nothing (Content Security Policy Level 3).
const pageHead = `<!DOCTYPE html>
<meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>ua</title>
<style>
:root { color-scheme: light dark } body { margin: 2em auto; max-width: 60em; padding: 0 1em }
pre { white-space: pre-wrap; overflow-wrap: anywhere }
</style>
`

// pageDepth is how many levels of subagents a page has.
const pageDepth = 16

// exportPage prints one page for a browser: each run as show prints it, with all output, and
// below it its subagents.
func exportPage(env *prog.Env, paths []string) error {
	out := env.Out()
	if _, err := io.WriteString(out, pageHead); err != nil {
		return err
	}
	for _, path := range paths {
		if err := section(env, out, path, 0); err != nil {
			return err
		}
	}
	return nil
}

// section prints one run of a page, and then its subagents, oldest first.
func section(env *prog.Env, out io.Writer, path string, depth int) error {
	j, size, err := store.Open(path)
	if err != nil {
		return err
	}
	defer j.Close()
	var text bytes.Buffer
	if err := show(env, j, size, &text, false, true); err != nil {
		return err
	}
	folder := filepath.Dir(path)
	if _, err := fmt.Fprintf(out, "<h2>%s</h2>\n<pre>%s</pre>\n",
		html.EscapeString(filepath.Base(folder)), html.EscapeString(text.String())); err != nil {
		return err
	}
	children, err := run.Run{Dir: folder}.Children()
	if err != nil || depth == pageDepth {
		return nil
	}
	for i := len(children) - 1; i >= 0; i-- {
		err := section(env, out, children[i].Journal(), depth+1)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
