// Package keystore keeps the keys of providers that the user has given to ua keys set: each
// in a file of ua's configuration folder, which no command in the sandbox can read, or in
// the keyring of the desktop. Then the file is empty and only says so.
package keystore

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"ua/internal/common/config"
	"ua/internal/common/prog"
	"ua/internal/common/safefile"
	"ua/internal/common/xdg"
)

// The places of a key.
const (
	File    = "file"
	Keyring = "keyring"
)

// patience is how long the keyring, or a command that prints a key, may take: it may ask the
// user for a password.
const patience = time.Minute

// Path returns the file of a provider's key, "" for a name that can't be one of a file.
func Path(provider string) string {
	if provider == "" || provider[0] == '.' || strings.ContainsAny(provider, "/\x00") {
		return ""
	}
	return filepath.Join(xdg.Config(), "keys", provider)
}

// Place returns where a provider's key is, "" if none is stored. It starts no program.
func Place(provider string) string {
	info, err := os.Stat(Path(provider))
	switch {
	case err != nil || !info.Mode().IsRegular():
		return ""
	case info.Size() == 0:
		return Keyring
	}
	return File
}

// Key returns a provider's key, "" if none is stored. A file that others can read is refused.
func Key(provider string) (string, error) {
	path := Path(provider)
	switch Place(provider) {
	case Keyring:
		key, err := keyring("", "lookup", provider)
		if key = strings.TrimSpace(key); err == nil && key == "" {
			err = errors.New("it has none")
		}
		if err != nil {
			return "", prog.Errorf(prog.Trouble, "the key of %s can't be read from the keyring: %v",
				provider, err).Hintf("unlock the keyring, or: ua keys set %s", provider)
		}
		return key, nil
	case File:
		if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 {
			return "", prog.Errorf(prog.Trouble, "%s holds a key and can be read by others", path).
				Hintf("chmod 600 %s", path)
		}
		text, err := safefile.Read(safefile.Follow(path), config.FileMax)
		return strings.TrimSpace(string(text)), err
	}
	return "", nil
}

// Set stores a key in place of an older one, in the keyring if there is one, and returns
// where.
func Set(provider, key string) (place string, err error) {
	path := Path(provider)
	if path == "" {
		return "", prog.Errorf(prog.Trouble, "%q can't be the name of a key", provider)
	}
	place = File
	if os.Getenv("DBUS_SESSION_BUS_ADDRESS") != "" {
		if _, err := keyring(key, "store", provider); err == nil {
			place, key = Keyring, ""
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", err
	}
	return place, safefile.Replace(path, []byte(key), 0o600, false)
}

// Remove removes a provider's key. The error is fs.ErrNotExist if there is none.
func Remove(provider string) error {
	switch Place(provider) {
	case "":
		return fs.ErrNotExist
	case Keyring:
		if _, err := keyring("", "clear", provider); err != nil {
			return prog.Errorf(prog.Trouble, "the keyring keeps the key of %s: %v", provider, err)
		}
	}
	return os.Remove(Path(provider))
}

// keyring runs secret-tool(1) with the key on its standard input, and returns what it prints.
func keyring(key, verb, provider string) (string, error) {
	tool, err := config.LookOutside("secret-tool")
	if err != nil {
		return "", err
	}
	args := []string{verb}
	if verb == "store" {
		args = append(args, "--label=ua: key of "+provider)
	}
	return Output(key, nil, tool, append(args, "application", "ua", "provider", provider)...)
}

// Output runs a program that may know a key, with text on its standard input, and returns what
// it prints. No other key is in its environment.
func Output(text string, stderr io.Writer, program string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	c := exec.CommandContext(ctx, program, args...)
	c.Env = config.OutsideEnv(config.WithoutKeys(os.Environ()))
	c.Stdin, c.Stderr = strings.NewReader(text), stderr
	out, err := c.Output()
	return string(out), err
}
