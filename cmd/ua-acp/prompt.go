package main

import (
	"cmp"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"

	"github.com/tidwall/gjson"

	"ua/internal/common/style"
)

// longestText is how much of a prompt goes into an argument of ua (MAX_ARG_STRLEN, execve(2)).
const longestText = 100 << 10

// read takes up a prompt: text as it is, links by their names, and what is embedded as
// attachments.
func (t *turn) read(blocks gjson.Result) error {
	var text []string
	for _, b := range blocks.Array() {
		r, name := b, "image"
		switch kind := b.Get("type").String(); kind {
		case "text":
			text = append(text, b.Get("text").String())
			continue
		case "resource_link":
			text = append(text, strings.TrimPrefix(b.Get("uri").String(), "file://"))
			continue
		case "resource":
			r = b.Get("resource")
			name = strings.TrimPrefix(r.Get("uri").String(), "file://")
			text = append(text, name+" (attached)")
		case "image":
		default:
			return refuse(invalidParams, "%.40q: no such content is taken", kind)
		}
		data, err := []byte(r.Get("text").String()), error(nil)
		if coded := cmp.Or(r.Get("data").String(), r.Get("blob").String()); coded != "" {
			data, err = base64.StdEncoding.DecodeString(coded)
		}
		if err == nil {
			err = t.attach(name, data)
		}
		if err != nil {
			return refuse(invalidParams, "%.200s: %v", name, err)
		}
	}
	t.text = strings.TrimSpace(strings.ToValidUTF8(strings.Join(text, "\n"), "?"))
	t.text = strings.ReplaceAll(t.text, "\x00", "")
	switch {
	case t.text == "-":
		t.text = `"-"` // which would stand for standard input
	case t.text == "" && t.paths == nil:
		return refuse(invalidParams, "the prompt is empty")
	case t.text == "":
		t.text = "See what is attached."
	case len(t.text) > longestText:
		long := t.text
		t.text = style.FirstLine(long, 400) + "\n(The whole of this is attached as prompt.txt.)"
		return t.attach("prompt.txt", []byte(long))
	}
	return nil
}

// attach keeps what goes with the prompt in a file, whose name the model is told.
func (t *turn) attach(name string, data []byte) error {
	dir, err := os.MkdirTemp(t.a.files, "")
	if err != nil {
		return err
	}
	base := filepath.Base(style.FirstLine(name, 60))
	if strings.Trim(base, "./") == "" {
		base = "attachment"
	}
	t.paths = append(t.paths, filepath.Join(dir, base))
	return os.WriteFile(t.paths[len(t.paths)-1], data, 0o600)
}
