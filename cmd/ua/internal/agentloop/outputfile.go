package agentloop

import (
	"fmt"
	"os"
	"os/signal"
	"path/filepath"

	"golang.org/x/sys/unix"

	"ua/internal/common/config"
	"ua/internal/common/safefile"
)

// savable returns the error with which save would fail, as far as that can be known now.
// A run whose answer has no place should not be paid for.
func savable(path string) error {
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		err = unix.EISDIR
	case err == nil && !info.Mode().IsRegular():
		err = unix.Access(path, unix.W_OK)
	default:
		err = unix.Access(filepath.Dir(path), unix.W_OK|unix.X_OK)
	}
	if err != nil {
		return fmt.Errorf("%q: %w", path, err)
	}
	return nil
}

// saveAnswer writes text to the file at path, completely or not at all. The old file stays
// until the new one replaces it, as make expects of a target. A device or a pipe is
// written directly.
func saveAnswer(path string, text []byte) error {
	mode := os.FileMode(0o644)
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		// Nobody may ever read a pipe, as one that a command has left there.
		signal.Reset(unix.SIGINT, unix.SIGTERM, unix.SIGHUP)
		return os.WriteFile(path, text, 0)
	} else if err == nil {
		mode = info.Mode().Perm()
	}
	if err := safefile.Replace(path, text, mode, false); err != nil {
		return fmt.Errorf("%q: %w", path, err)
	}
	return nil
}

// notPlanted returns an error if a command may have made a link on the way to the file that
// an option names, and so have led it elsewhere. The settings tell where commands of other
// runs may write.
func (o *options) notPlanted(option, path string) error {
	workspace := o.workspace
	if workspace == "" {
		workspace, _ = os.Getwd()
	}
	return config.CheckLinks(option, path, workspace, o.Write...)
}
