package command

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/tidwall/gjson"

	"ua/internal/common/capture"
	"ua/internal/common/event"
	"ua/internal/common/scrub"
)

// A result says what became of the output, and tells the model what it has to know of that.
func TestCaptured(t *testing.T) {
	for _, c := range []struct {
		name string
		got  capture.Result
		want map[string]string // raw members of the result
		note string
	}{
		{"nothing", capture.Result{}, map[string]string{"truncated": "false", "bytes": "0",
			"bytes_kept": "0", "file": "", "media": ""}, ""},
		{"cut", capture.Result{Cut: true, Seen: 9, Kept: 5, File: "/out/c.txt"},
			map[string]string{"truncated": "true", "bytes": "9", "bytes_kept": "5",
				"file": `"/out/c.txt"`}, ""},
		{"cut without a file", capture.Result{Cut: true, FileErr: errors.New("full")},
			map[string]string{"file_error": `"full"`}, ""},
		{"secrets", capture.Result{Redacted: map[string]int{"key": 2}},
			map[string]string{"redacted": `{"key":2}`}, ""},
		{"control sequences", capture.Result{Scrubbed: map[string]int{"escapes": 3}},
			map[string]string{"scrubbed": `{"escapes":3}`}, ""},
		{"instructions", capture.Result{Scrubbed: map[string]int{scrub.Phrases: 1}}, nil,
			"it holds text that reads like instructions to you (1 found)"},
		{"binary", capture.Result{Binary: true, Seen: 7}, nil, "7 bytes of binary data, not shown"},
		{"a picture", capture.Result{Media: "image/png", Data: []byte("abc")},
			map[string]string{"media": `[{"data":"YWJj","media_type":"image/png"}]`},
			"image/png of 3 bytes, attached"},
	} {
		b, n := event.New("tool_result"), &notes{}
		captured(b, n, &c.got)
		line := b.Line()
		if !event.Valid(line) {
			t.Errorf("%s: %s", c.name, line)
		}
		for member, want := range c.want {
			if got := gjson.GetBytes(line, member).Raw; got != want {
				t.Errorf("%s: %s is %s, want %s", c.name, member, got, want)
			}
		}
		if got := n.text(); c.note == "" && got != "" ||
			!strings.HasPrefix(strings.TrimPrefix(got, "[ua-exec: "), c.note) {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}

// Why a command could not be started is told in words that help.
func TestNotStarted(t *testing.T) {
	for want, err := range map[string]error{
		"the command is longer than": &os.PathError{Op: "exec", Err: syscall.E2BIG},
		"the command holds a NUL":    &os.PathError{Op: "exec", Err: syscall.EINVAL},
		"the command could not be started: exec /bin/bash: ": &os.PathError{Op: "exec",
			Path: "/bin/bash", Err: syscall.ENOENT},
	} {
		if got := NotStarted(err); !strings.HasPrefix(got, want) {
			t.Errorf("%v: %s", err, got)
		}
	}
}
