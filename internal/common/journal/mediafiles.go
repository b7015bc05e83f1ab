package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
	"ua/internal/common/media"
	"ua/internal/common/safefile"
)

// Detach moves the base64 data of line's media and attachments to files in dir/media,
// which are named by their content. It returns line with a reference in place of each.
// With sync, a file is on the disk before its name is there. Data that would not come
// back byte for byte stays in the line.
func Detach(line []byte, dir string, sync bool) ([]byte, error) {
	return eachMedia(line, dataMark, func(item gjson.Result) (part []byte, from, to int,
		err error) {
		key, val, ok := member(item, "data")
		if !ok || val.Type != gjson.String ||
			!bytes.HasPrefix(line[key.Index+1:], []byte(dataMark)) ||
			item.Get("ref").Exists() {
			return nil, 0, 0, nil
		}
		data, err := base64.StdEncoding.DecodeString(val.Str)
		if err != nil || len(data) == 0 || len(data) > maxMedia ||
			`"`+base64.StdEncoding.EncodeToString(data)+`"` != val.Raw {
			return nil, 0, 0, nil
		}
		ref, err := keepMedia(dir, data, media.Type(item.Get("media_type").Str).Ext(), sync)
		part = fmt.Appendf(nil, `"ref":"%s","bytes":%d`, ref, len(data))
		return part, key.Index, val.Index + len(val.Raw), err
	})
}

// Embed puts the data of line's media back where Detach took it from. For a file that is
// missing, or is not what was kept, the reference stays and there is an error.
func Embed(line []byte, dir string) ([]byte, error) {
	var missing error
	out, err := eachMedia(line, refMark,
		func(item gjson.Result) (part []byte, from, to int, err error) {
			key, val, ok := member(item, "ref")
			if !ok || !isRef(val.Str) || !bytes.HasPrefix(line[key.Index:], []byte(`"ref":"`)) {
				return nil, 0, 0, nil
			}
			data, err := ReadMedia(dir, val.Str)
			if err != nil {
				missing = errors.Join(missing, err)
				return nil, 0, 0, nil
			}
			from, to = key.Index, val.Index+len(val.Raw)
			if count := `,"bytes":` + strconv.Itoa(len(data)); bytes.HasPrefix(line[to:], []byte(count)) {
				to += len(count)
			}
			part = append([]byte(`"data":"`), base64.StdEncoding.EncodeToString(data)...)
			return append(part, '"'), from, to, nil
		})
	return out, errors.Join(err, missing)
}

// Refs returns the media files that line refers to, each as media/SHA256.EXT.
func Refs(line []byte) (refs []string) {
	eachMedia(line, refMark, func(item gjson.Result) ([]byte, int, int, error) {
		if _, val, ok := member(item, "ref"); ok && isRef(val.Str) {
			refs = append(refs, val.Str)
		}
		return nil, 0, 0, nil
	})
	return refs
}

// ReadMedia returns the content of a media file, which it checks against the file's name.
func ReadMedia(dir, ref string) ([]byte, error) {
	path := filepath.Join(dir, ref)
	data, err := safefile.Read(path, maxMedia)
	if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(data); !strings.HasPrefix(ref, "media/"+hex.EncodeToString(sum[:])) {
		return nil, fmt.Errorf("%s: its content is not what was kept", path)
	}
	return data, nil
}

// dataMark is in every line with media. It begins with a letter, since searching for that
// is much faster than for the quote before it, which texts have everywhere.
const dataMark = `data":"`

// refMark is in every line that refers to media.
const refMark = `"ref":"media/`

// eachMedia calls do with each item of line's media or attachments, if mark is in the
// line. It returns line with the bytes [from, to) of each item replaced by part.
func eachMedia(line []byte, mark string,
	do func(item gjson.Result) (part []byte, from, to int, err error)) ([]byte, error) {
	name := "media"
	switch event.Type(line) {
	case "tool_result":
	case "instruction", "message":
		name = "attachments"
	default:
		return line, nil
	}
	if !bytes.Contains(line, []byte(mark)) {
		return line, nil
	}
	var out []byte
	var failed error
	done := 0
	gjson.GetBytes(line, name).ForEach(func(_, item gjson.Result) bool {
		part, from, to, err := do(item)
		if part != nil && from >= done && err == nil {
			out = append(append(out, line[done:from]...), part...)
			done = to
		}
		failed = err
		return err == nil
	})
	if done == 0 || failed != nil {
		return line, failed
	}
	return append(out, line[done:]...), nil
}

// member returns the first member of an object with that name.
func member(item gjson.Result, name string) (key, val gjson.Result, ok bool) {
	if item.IsObject() {
		item.ForEach(func(k, v gjson.Result) bool {
			key, val, ok = k, v, k.Str == name && k.Raw == `"`+name+`"`
			return !ok
		})
	}
	return key, val, ok
}

// isRef reports whether s is media/, 64 hex digits, a dot and an extension.
func isRef(s string) bool {
	rest, ok := strings.CutPrefix(s, "media/")
	if !ok || len(rest) < 66 || len(rest) > 74 || rest[64] != '.' {
		return false
	}
	_, err := hex.DecodeString(rest[:64])
	return err == nil && !strings.ContainsAny(rest[65:], "/.\\\x00")
}

// keepMedia writes data to its file, unless that exists, and returns the reference to it.
func keepMedia(dir string, data []byte, ext string, sync bool) (ref string, err error) {
	sum := sha256.Sum256(data)
	ref = "media/" + hex.EncodeToString(sum[:]) + "." + ext
	path := filepath.Join(dir, ref)
	if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() &&
		info.Size() == int64(len(data)) {
		return ref, nil
	}
	folder := filepath.Dir(path)
	if err := os.Mkdir(folder, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return ref, err
	}
	// Commands can have made the folder, of a subagent's run.
	if info, err := os.Lstat(folder); err != nil || !info.IsDir() {
		return ref, errors.Join(err, &fs.PathError{Op: "open", Path: folder, Err: syscall.ENOTDIR})
	}
	return ref, safefile.Replace(path, data, 0o600, sync)
}
