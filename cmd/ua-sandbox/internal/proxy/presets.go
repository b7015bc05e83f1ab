package proxy

import (
	"os"
	"path/filepath"

	"ua/internal/common/regular"
)

// maxText is how much is read of a file of settings.
const maxText = 1 << 20

// A presets is where the hosts of presets are read from.
type presets struct {
	getenv func(string) string
	dir    string // the working directory
	home   string
	root   string // before absolute paths of the system; "" but in tests

	installed func(tool string) bool // nil: no tool is
}

func readPresets() presets {
	m := presets{getenv: os.Getenv, installed: installed}
	m.dir, _ = os.Getwd()
	m.home, _ = os.UserHomeDir()
	return m
}

// read is the text of a file of the system or of the user, "" when there is
// none that can be read.
func (m presets) read(path string) string {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return ""
	}
	text, _ := regular.Read(real, maxText) // a command could have left anything there
	return string(text)
}

// system is the path of a file of the system.
func (m presets) system(path string) string { return filepath.Join("/", m.root, path) }
