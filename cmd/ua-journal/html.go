package main

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"os"
	"path/filepath"

	"ua/internal/common/prog"
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

// exportPage prints one page for a browser: each run as show prints it, with all output.
func exportPage(env *prog.Env, paths []string) error {
	out := env.Out()
	if _, err := io.WriteString(out, pageHead); err != nil {
		return err
	}
	return eachJournal(paths, func(j *os.File, size int64) error {
		var text bytes.Buffer
		if err := show(env, j, size, &text, false, true); err != nil {
			return err
		}
		_, err := fmt.Fprintf(out, "<h2>%s</h2>\n<pre>%s</pre>\n",
			html.EscapeString(filepath.Base(filepath.Dir(j.Name()))), html.EscapeString(text.String()))
		return err
	})
}
