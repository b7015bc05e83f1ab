// Package config finds and reads the user's settings (ua-config(5)).
package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/BurntSushi/toml"

	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/safefile"
	"ua/internal/common/xdg"
)

// Variables that override the settings (ua-config(5)).
const (
	EnvFile  = "UA_CONFIG" // the file of settings
	EnvModel = "UA_MODEL"  // the model, in place of the one in [think]
)

// Expand returns path with the user's home in place of a leading "~" or "~/".
func Expand(path string) string {
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || rest[0] == '/') {
		return filepath.Join(xdg.Home(), rest)
	}
	return path
}

// Path returns the path of the settings file: $UA_CONFIG, or config.toml in xdg.Config().
func Path() string {
	if p := os.Getenv(EnvFile); p != "" {
		return p
	}
	return filepath.Join(xdg.Config(), "config.toml")
}

// Load reads the tables that the fields of into (a pointer to a struct with toml tags)
// name. Tables that into does not name belong to other programs and are skipped. An
// unknown key in a named table, or outside of all tables, is an error. A missing file
// means no settings, unless UA_CONFIG names it; so does one that the sandbox around a
// subagent hides.
func Load(into any) error {
	path := os.Getenv(EnvFile)
	if _, err := os.Stat(path); path != "" && errors.Is(err, fs.ErrNotExist) &&
		os.Getenv(run.EnvSandbox) == "" {
		return prog.Errorf(prog.Trouble, "%s: does not exist", path).
			Hintf("UA_CONFIG names it: create the file, or unset UA_CONFIG")
	}
	return LoadFile(Path(), into)
}

// LoadFile does what Load does, with the file at path.
func LoadFile(path string, into any) error {
	text, err := Read(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) &&
		os.Getenv(run.EnvSandbox) != "" {
		return nil
	}
	if err != nil {
		return unread(path, err)
	}
	_, err = decode(path, string(text), into)
	return err
}

// Read reads a settings file. Links are followed, since people keep their settings
// elsewhere. A command may have set UA_CONFIG to a pipe or a file without end, so only a
// regular file is read.
func Read(path string) ([]byte, error) {
	if path == os.DevNull {
		return nil, nil
	}
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) || // usual, and soon told
		errors.Is(err, syscall.ENOTDIR) {
		return nil, fs.ErrNotExist
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	text, err := safefile.Read(real, FileMax)
	if errors.Is(err, fs.ErrInvalid) {
		err = &fs.PathError{Op: "open", Path: path, Err: errors.New("not a regular file")}
	}
	return text, err
}

// unread returns the error for a settings file that cannot be read.
func unread(path string, err error) error {
	if file := (*fs.PathError)(nil); errors.As(err, &file) {
		err = file.Err
	}
	return prog.Errorf(prog.Trouble, "%s: %v", path, err)
}

// decode decodes the text of the file at path into into.
func decode(path, text string, into any) (toml.MetaData, error) {
	md, err := Decode(text, into)
	if err != nil {
		return md, Bad(path, err)
	}
	return md, unknown(path, text, md, into)
}

// Bad turns an error of package toml into "file:line: cause".
func Bad(path string, err error) error {
	var parse toml.ParseError
	if errors.As(err, &parse) {
		return prog.Errorf(prog.Trouble, "%s:%d: %s", path, parse.Position.Line,
			strings.TrimSpace(parse.Message))
	}
	msg := strings.TrimPrefix(err.Error(), "toml: ")
	var line int
	if n, _ := fmt.Sscanf(msg, "line %d", &line); n == 1 {
		_, cause, _ := strings.Cut(msg, "): ")
		if strings.HasPrefix(cause, "type mismatch") { // it prints the Go type in full
			cause = "type mismatch" + cause[max(strings.LastIndex(cause, ": "),
				len("type mismatch")):]
		}
		var is, takes string
		const mismatch = "incompatible types: TOML value has type %s destination has type %s"
		if n, _ := fmt.Sscanf(cause, mismatch, &is, &takes); n == 2 {
			_, key, _ := strings.Cut(msg, `"`)
			key, _, _ = strings.Cut(key, `"`)
			cause = key + " takes " + kindName(takes) + ", not " + kindName(strings.TrimSuffix(is, ";"))
		}
		return prog.Errorf(prog.Trouble, "%s:%d: %s", path, line, cause)
	}
	return prog.Errorf(prog.Trouble, "%s: %s", path, msg)
}

// kindName returns the name of a kind of values that package toml calls kind.
func kindName(kind string) string {
	switch kind {
	case "slice", "[]any":
		return "a list"
	case "integer", "int64":
		return "an integer"
	case "float", "float64":
		return "a number"
	case "bool", "boolean":
		return "true or false"
	case "map", "map[string]any":
		return "a table"
	}
	return "a " + kind
}

// FileMax is the longest settings file that is read, in bytes.
const FileMax = 16 << 20

// projectMax is the longest settings file of a project that is read, in bytes.
const projectMax = 1 << 20

// The parser calls itself for each level of arrays, of inline tables and of a key's parts, and
// its time grows with their square. A file that a command has left in a project could hold up,
// or end, every program that reads it. No settings have as many marks as these.
const (
	maxArrays = 20_000
	maxTables = 2000
	maxParts  = 1000 // in a line
)

// errDeep is the error for text that may be nested too deep.
var errDeep = errors.New("arrays, tables or keys are nested too deep")

// Decode reads TOML text as toml.Decode does. Text that is nested deeper than any
// settings is an error.
func Decode(text string, into any) (toml.MetaData, error) {
	if tooDeep(text) {
		return toml.MetaData{}, errDeep
	}
	return toml.Decode(text, into)
}

// tooDeep reports whether TOML text, valid or not, can be nested that deep.
func tooDeep(text string) bool {
	for line := range strings.Lines(text) {
		if strings.Count(line, ".") > maxParts {
			return true
		}
	}
	return strings.Count(text, "[") > maxArrays || strings.Count(text, "{") > maxTables
}
