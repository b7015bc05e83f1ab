package media

import (
	"bytes"
	"encoding/base64"
	"io"
	"os"
	"path/filepath"
	"unicode/utf8"

	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/common/safefile"
)

// MaxAttachment is the most bytes that an attachment may have: its base64 has to fit into a
// line of the journal.
const MaxAttachment = 45 << 20

// Attach returns the attachment for the file at path as a JSON object. A file that is too
// large, or neither text nor media, is an error.
func Attach(path string) ([]byte, error) {
	f, err := safefile.Named(path)
	if err != nil {
		return nil, prog.Errorf(prog.Trouble, "%q: %v", path, err.(*os.PathError).Err)
	}
	defer f.Close()
	return AttachFrom(filepath.Base(path), f)
}

// AttachFrom returns the attachment of that name with the content of r, as a JSON object.
func AttachFrom(name string, r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxAttachment+1))
	if err != nil {
		return nil, prog.Errorf(prog.Trouble, "%q: %v", name, err)
	}
	if len(data) > MaxAttachment {
		return nil, prog.Errorf(prog.Trouble,
			"%q: larger than the %d bytes that an attachment may have", name, MaxAttachment)
	}
	b := append(event.AppendString([]byte(`{"name":`), name), `,"media_type":`...)
	kind := Sniff(data)
	switch {
	case kind != "":
		b = append(event.AppendString(b, string(kind)), `,"data":"`...)
		return append(base64.StdEncoding.AppendEncode(b, data), `"}`...), nil
	case utf8.Valid(data) && !bytes.Contains(data, []byte{0}):
		return append(event.AppendString(append(b, `"text/plain","text":`...), data), '}'), nil
	}
	return nil, prog.Errorf(prog.Trouble, "%q: neither text nor PNG, JPEG, GIF, WEBP, PDF or WAV",
		name)
}

// Instruction returns the event for what the user asks, with attachments that Attach made.
func Instruction(text string, attachments [][]byte) []byte {
	e := event.New("instruction").Str("text", text)
	if len(attachments) > 0 {
		e.Raw("attachments", append(append([]byte{'['}, bytes.Join(attachments, []byte{','})...),
			']'))
	}
	return e.Line()
}
