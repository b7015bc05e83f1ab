// Package shipping brings journals of many machines to one place: a folder, a WebDAV
// server, an S3 bucket or a table of Postgres. What a place holds of a file is always its
// beginning, and what is added to it says at which byte: adding the same once more changes
// nothing, so whatever is cut off can be begun again.
package shipping

import (
	"bytes"
	"io"
	"net/url"
	"os"
	"path"

	"ua/cmd/ua-journal/internal/store"
	"ua/internal/common/journal"
	"ua/internal/common/prog"
)

// An Archive is such a place. Names are HOST/ID/journal.jsonl, with sub and media below ID.
type Archive interface {
	// Size returns how much of a file is there.
	Size(name string) (int64, error)
	// Read returns a part of a file.
	Read(name string, from, to int64) ([]byte, error)
	// Write adds what f has from a byte on, which is the size there, to another.
	Write(name string, f io.ReaderAt, from, to int64) error
}

// Open returns the place that a URL or the path of a folder names.
func Open(place string) (Archive, error) {
	u, err := url.Parse(place)
	if err != nil {
		return nil, prog.Errorf(prog.Trouble, "%v", err)
	}
	if _, given := u.User.Password(); given || u.Query().Has("password") {
		return nil, prog.Errorf(prog.Trouble, "a URL with a password is seen by everybody here").
			Hintf("ua-journal(1) says which files and variables hold one")
	}
	switch u.Scheme {
	case "", "file":
		return folder(u.Path), os.MkdirAll(u.Path, 0o700)
	case "http", "https":
		return newDAV(u)
	case "s3":
		return newS3(u)
	case "postgres", "postgresql":
		return newPostgres(place)
	}
	return nil, prog.Errorf(prog.Trouble, "%q: no place that journals can be shipped to", place).
		Hintf("a folder, http://, https://, s3:// or postgres://")
}

// pieceMax is how much of a journal is sent at once: whole lines, and at least one.
const pieceMax = 4 << 20

// Ship adds to a journal in a what f has more in its first size bytes, which are whole lines,
// and before each piece the media of its lines, which lie in the folder dir. It returns the
// hash of the last line, once that is read back, and how many bytes were missing.
func Ship(a Archive, name, dir string, f io.ReaderAt, size int64) (
	last journal.Hash, missing int64, err error) {
	have, err := a.Size(name)
	if err == nil {
		last, err = same(a, name, f, min(have, size))
	}
	if err != nil || have >= size {
		return last, 0, err
	}
	for at := have; at < size; {
		end := at
		for most := at; end == at; { // a line may be longer than a piece
			most = min(most+pieceMax, size)
			if end, err = store.LastNewline(f, at, most); err != nil {
				return last, 0, err
			}
		}
		if err := media(a, path.Dir(name), dir, io.NewSectionReader(f, at, end-at)); err != nil {
			return last, 0, err
		}
		if err := a.Write(name, f, at, end); err != nil {
			return last, 0, err
		}
		at = end
	}
	if now, err := a.Size(name); err != nil || now < size {
		return last, 0, prog.Errorf(prog.TryLater, "%s: %d of %d bytes are there: %v", name, now,
			size, err)
	}
	last, err = same(a, name, f, size)
	return last, size - have, err
}

// same compares the last line of the first size bytes of a journal, and what is there of the
// one that follows, with the same bytes of f. A line names the hash of the one before, so with
// the last line all are the same.
func same(a Archive, name string, f io.ReaderAt, size int64) (last journal.Hash, err error) {
	copy(last[:], journal.First)
	whole, err := store.LastNewline(f, 0, size)
	if err != nil || size == 0 {
		return last, err
	}
	from, err := store.LastNewline(f, 0, max(whole-1, 0))
	if err != nil {
		return last, err
	}
	mine := make([]byte, size-from)
	if _, err := f.ReadAt(mine, from); err != nil {
		return last, err
	}
	there, err := a.Read(name, from, size)
	if err != nil {
		return last, err
	}
	if !bytes.Equal(mine, there) {
		return last, prog.Errorf(prog.No, "%s: the journal there is another one", name).
			Hintf("if this one was redacted since, remove that one and ship it again")
	}
	line, _, _ := bytes.Cut(mine, []byte{'\n'})
	return journal.Sum(line), nil
}

// media ships the files to which lines refer. One that is missing or changed is what
// ua-journal verify tells of.
func media(a Archive, to, dir string, lines io.Reader) error {
	text, err := io.ReadAll(lines)
	if err != nil {
		return err
	}
	for line := range bytes.Lines(text) {
		for _, ref := range journal.Refs(line) {
			data, err := journal.ReadMedia(dir, ref)
			if err != nil {
				continue
			}
			name := path.Join(to, ref)
			have, err := a.Size(name)
			if size := int64(len(data)); err == nil && have < size {
				err = a.Write(name, bytes.NewReader(data), have, size)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}
