package main

import (
	"bytes"
	"encoding/base64"
	"io"
	"os"
	"path/filepath"
	"unicode/utf8"

	"ua/internal/common/event"
	"ua/internal/common/prog"
)

// An attachment is a file that goes with an instruction: text, or base64 data.
type attachment struct {
	Type, Name, Text, Data string
}

// maxAttach bounds a file: the base64 of it must go into one event.
const maxAttach = 32 << 20

// attach reads a file that the user names.
func attach(path string) (attachment, error) {
	f, err := os.Open(path)
	if err != nil {
		return attachment{}, prog.Errorf(prog.Trouble, "%v", err)
	}
	defer f.Close()
	var buf bytes.Buffer
	if n, err := buf.ReadFrom(io.LimitReader(f, maxAttach+1)); err != nil {
		return attachment{}, prog.Errorf(prog.Trouble, "%v", err)
	} else if n > maxAttach {
		return attachment{}, prog.Errorf(prog.Trouble, "%q is larger than %s", path, size(maxAttach))
	}
	data := buf.Bytes()
	a := attachment{Name: filepath.Base(path), Type: sniff(data)}
	switch a.Type {
	case "":
		return a, prog.Errorf(prog.Trouble, "%q is no image, PDF, WAV or text: a model can't read it", path)
	case "text/plain":
		a.Text = string(data)
	default:
		a.Data = base64.StdEncoding.EncodeToString(data)
	}
	return a, nil
}

// sniff is the media type of data by its first bytes, "" for none that a model
// is given. UTF-8 without NUL is text.
func sniff(data []byte) string {
	for _, m := range []struct{ magic, typ string }{
		{"\x89PNG\r\n\x1a\n", "image/png"}, {"\xff\xd8\xff", "image/jpeg"},
		{"GIF87a", "image/gif"}, {"GIF89a", "image/gif"}, {"%PDF-", "application/pdf"},
	} {
		if bytes.HasPrefix(data, []byte(m.magic)) {
			return m.typ
		}
	}
	if len(data) >= 12 && string(data[:4]) == "RIFF" {
		switch string(data[8:12]) {
		case "WEBP":
			return "image/webp"
		case "WAVE":
			return "audio/wav"
		}
	}
	if utf8.Valid(data) && bytes.IndexByte(data, 0) < 0 {
		return "text/plain"
	}
	return ""
}

// instruction is the event for what the user asks.
func instruction(text string, files []attachment) []byte {
	e := event.New("instruction").Str("text", text)
	if len(files) == 0 {
		return e.Line()
	}
	b := []byte("[")
	for i, f := range files {
		if i > 0 {
			b = append(b, ',')
		}
		b = event.AppendString(append(b, `{"media_type":`...), f.Type)
		b = event.AppendString(append(b, `,"name":`...), f.Name)
		if f.Data != "" {
			b = event.AppendString(append(b, `,"data":`...), f.Data)
		} else {
			b = event.AppendString(append(b, `,"text":`...), f.Text)
		}
		b = append(b, '}')
	}
	return e.Raw("attachments", append(b, ']')).Line()
}
