package keystore

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// keyringAt puts a secret-tool that keeps its keys in files of dir on PATH, outside of where
// commands can write. A file "locked" there has it fail.
func keyringAt(t *testing.T, dir string) {
	t.Helper()
	bin := t.TempDir()
	script := `#!/bin/sh
test -e ` + dir + `/locked && exit 1
verb=$1; shift
for last; do :; done
case $verb in
store) cat > ` + dir + `/"$last" ;;
lookup) cat ` + dir + `/"$last" ;;
clear) rm ` + dir + `/"$last" ;;
esac
`
	if err := os.WriteFile(filepath.Join(bin, "secret-tool"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":/usr/bin:/bin")
	t.Setenv("TMPDIR", t.TempDir()) // so that bin is not below it
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere")
	t.Chdir(dir)
}

func TestKeyring(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	dir := t.TempDir()
	keyringAt(t, dir)
	if place, err := Set("groq", "k1"); place != Keyring || err != nil {
		t.Fatal(place, err)
	}
	if text, _ := os.ReadFile(Path("groq")); len(text) != 0 || Place("groq") != Keyring {
		t.Errorf("the file holds %q", text)
	}
	if key, err := Key("groq"); key != "k1" || err != nil {
		t.Error(key, err)
	}
	os.WriteFile(filepath.Join(dir, "locked"), nil, 0o600)
	if key, err := Key("groq"); key != "" || err == nil {
		t.Errorf("%q of a locked keyring", key)
	}
	if Remove("groq") == nil {
		t.Error("a locked keyring has forgotten the key")
	}
	if place, err := Set("groq", "k2"); place != File || err != nil { // what else
		t.Fatal(place, err)
	}
	if key, err := Key("groq"); key != "k2" || err != nil {
		t.Error(key, err)
	}
	os.Remove(filepath.Join(dir, "locked"))
	if _, err := Set("groq", "k3"); err != nil || Remove("groq") != nil || Place("groq") != "" {
		t.Error("it can't be removed")
	}
	if _, err := os.Stat(filepath.Join(dir, "groq")); err == nil {
		t.Error("the keyring has kept the key")
	}
	if err := Remove("groq"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

func TestFile(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "")
	for _, name := range []string{"", "../x", "a/b", ".hidden", "a\x00"} {
		if _, err := Set(name, "k"); err == nil || Place(name) != "" {
			t.Errorf("%q is taken", name)
		}
	}
	if _, err := Set("a", "k"); err != nil {
		t.Fatal(err)
	}
	os.Chmod(Path("a"), 0o640)
	if _, err := Key("a"); err == nil {
		t.Error("others can read the key")
	}
	if _, err := Set("a", "new"); err != nil { // makes it whole
		t.Fatal(err)
	}
	if key, err := Key("a"); key != "new" || err != nil {
		t.Error(key, err)
	}
	left, _ := filepath.Glob(filepath.Join(filepath.Dir(Path("a")), ".new*"))
	if len(left) > 0 {
		t.Error(left)
	}
}
