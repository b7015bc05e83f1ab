package keystore

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestFile(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	for _, name := range []string{"", "../x", "a/b", ".hidden", "a\x00"} {
		if err := Set(name, "k"); err == nil || Has(name) {
			t.Errorf("%q is taken", name)
		}
	}
	if err := Set("a", "k"); err != nil {
		t.Fatal(err)
	}
	os.Chmod(Path("a"), 0o640)
	if _, err := Key("a"); err == nil {
		t.Error("others can read the key")
	}
	if err := Set("a", "new"); err != nil { // makes it whole
		t.Fatal(err)
	}
	if key, err := Key("a"); key != "new" || err != nil {
		t.Error(key, err)
	}
	left, _ := filepath.Glob(filepath.Join(filepath.Dir(Path("a")), ".new*"))
	if len(left) > 0 {
		t.Error(left)
	}
	if err := Remove("a"); err != nil || Has("a") {
		t.Error("it can't be removed")
	}
	if err := Remove("a"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}
