package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"

	"ua/internal/common/prog"
)

// A seal is a folder that keeps what paths of another folder, the working one, were.
type seal struct {
	Dir     string            `json:"dir"`     // absolute, without links
	Globs   []string          `json:"globs"`   // relative to it
	Paths   map[string]string `json:"paths"`   // what look found, and the folders above
	Protect []string          `json:"protect"` // those that match and are in none that does
	Path    string            `json:"path"`    // PATH without new programs of Dir

	at string
}

// in returns the path of a file in the seal, or of what has a number in a folder there.
func (s *seal) in(name string, number ...int) string {
	for _, n := range number {
		name = filepath.Join(name, strconv.Itoa(n))
	}
	return filepath.Join(s.at, name)
}

// there reports whether something is at a path.
func there(p string) bool { _, err := os.Lstat(p); return err == nil }

// text returns v, in which all is text, as JSON.
func text(v any) []byte {
	b, _ := json.Marshal(v)
	return b
}

// open opens a seal and enters the folder of which it was taken.
func open(at string) (s *seal, err error) {
	data, err := os.ReadFile(filepath.Join(at, "seal.json"))
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	if err == nil {
		s.at, err = filepath.Abs(at)
	}
	if err == nil {
		err = os.Chdir(s.Dir)
	}
	if err != nil {
		return nil, prog.Errorf(prog.LoaderUsage, "%q: no seal: %w", at, err)
	}
	return s, nil
}
