package proxy

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"ua/internal/common/safefile"
)

// A presets says where the hosts of the presets come from.
type presets struct {
	getenv func(string) string
	dir    string // the working directory
	home   string
	root   string // before paths of the system; "" but in tests, which cannot write /etc
}

// readPresets returns the presets of this process.
func readPresets() presets {
	m := presets{getenv: os.Getenv}
	m.dir, _ = os.Getwd()
	m.home, _ = os.UserHomeDir()
	return m
}

// maxText is how many bytes of a settings file are read.
const maxText = 1 << 20

// read returns the text of a file of the system or the user, "" if it cannot be read.
// Nothing but a regular file is opened.
func (m presets) read(path string) string {
	text, err := safefile.Read(path, maxText) // a command could have left anything there
	if errors.Is(err, fs.ErrInvalid) {        // a link, perhaps
		if path, err = filepath.EvalSymlinks(path); err == nil {
			text, _ = safefile.Read(path, maxText)
		}
	}
	return string(text)
}

// system returns the path of a file of the system.
func (m presets) system(path string) string { return filepath.Join("/", m.root, path) }
