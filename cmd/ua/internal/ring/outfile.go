package ring

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// save puts text into the file at path, whole or not at all: what stood there is
// there until the new one is, as make expects of a rule's target. A device or a
// pipe is written as it is.
func save(path string, text []byte) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return os.WriteFile(path, text, 0)
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("%q: %w", path, errors.Unwrap(err))
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Chmod(mode(path)), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return fmt.Errorf("%q: %w", path, err)
	}
	return nil
}

// mode returns the permissions of the file at path, or of a new one.
func mode(path string) os.FileMode {
	if info, err := os.Stat(path); err == nil {
		return info.Mode().Perm()
	}
	return 0o644
}
