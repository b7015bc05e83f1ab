// Package keystore keeps the keys of providers that the user has given to ua keys set: each
// in a file of ua's configuration folder, which no command in the sandbox can read.
package keystore

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"ua/internal/common/config"
	"ua/internal/common/prog"
	"ua/internal/common/regular"
	"ua/internal/common/xdg"
)

// Path returns the file of a provider's key, "" for a name that can't be one of a file.
func Path(provider string) string {
	if provider == "" || provider[0] == '.' || strings.ContainsAny(provider, "/\x00") {
		return ""
	}
	return filepath.Join(xdg.Config(), "keys", provider)
}

// Has reports whether a key of the provider is stored.
func Has(provider string) bool {
	info, err := os.Stat(Path(provider))
	return err == nil && info.Mode().IsRegular()
}

// Key returns a provider's key, "" if none is stored. A file that others can read is refused.
func Key(provider string) (string, error) {
	path := Path(provider)
	if !Has(provider) {
		return "", nil
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 {
		return "", prog.Errorf(prog.Trouble, "%s holds a key and can be read by others", path).
			Hintf("chmod 600 %s", path)
	}
	text, err := regular.Read(regular.Follow(path), config.FileMax)
	return strings.TrimSpace(string(text)), err
}

// Set stores a key in place of an older one.
func Set(provider, key string) error {
	path := Path(provider)
	if path == "" {
		return prog.Errorf(prog.Trouble, "%q can't be the name of a key", provider)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".new-") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(key)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	return err
}

// Remove removes a provider's key. The error is fs.ErrNotExist if there is none.
func Remove(provider string) error { return os.Remove(Path(provider)) }
