package gitrules

import (
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// gitIn runs git in a folder, without settings of anybody.
func gitIn(t *testing.T, dir, stdin string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(stdin)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1"}
	said, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %v: %v", args, err)
	}
	return strings.TrimSpace(string(said))
}

// TestVerify: what git has written is what its name says, and nothing else is.
func TestVerify(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		dir := t.TempDir()
		gitIn(t, dir, "", "init", "-q", "--bare", "--object-format="+format, ".")
		one := gitIn(t, dir, "one", "hash-object", "-w", "--stdin")
		two := gitIn(t, dir, strings.Repeat("two\n", 1e5), "hash-object", "-w", "--stdin")
		text := func(name string) []byte {
			text, err := os.ReadFile(filepath.Join(dir, "objects", name[:2], name[2:]))
			if err != nil {
				t.Fatal(err)
			}
			return text
		}
		other := text(two)
		for what, c := range map[string]struct {
			text []byte
			name string
			ok   bool
		}{
			"itself": {text(one), one, true}, "a long one": {other, two, true},
			"another": {other, one, false}, "nothing": {nil, one, false},
			"a part": {other[:len(other)/2], two, false}, "more": {append(text(one), 0), one, false},
			"no object": {[]byte("text"), one, false},
		} {
			if err := Verify(bytes.NewReader(c.text), c.name); (err == nil) != c.ok {
				t.Errorf("%s, %s: %v", format, what, err)
			}
		}
	}
}

// TestVerifyPack: a table that has git find another object under a name is refused, whole as
// its checksums are.
func TestVerifyPack(t *testing.T) {
	for format, sum := range map[string]func([]byte) []byte{
		"sha1":   func(b []byte) []byte { s := sha1.Sum(b); return s[:] },
		"sha256": func(b []byte) []byte { s := sha256.Sum256(b); return s[:] },
	} {
		dir := t.TempDir()
		gitIn(t, dir, "", "init", "-q", "--bare", "--object-format="+format, ".")
		known := gitIn(t, dir, "known", "hash-object", "--stdin")
		evil := gitIn(t, dir, "evil!", "hash-object", "-w", "--stdin")
		stem := "pack-" + gitIn(t, dir, evil, "pack-objects", "-q", "pack")
		d, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		if err := VerifyPack("git", d, stem); err != nil {
			t.Errorf("%s: %v", format, err)
		}
		path := filepath.Join(dir, stem)
		table, _ := os.ReadFile(path + ".idx")
		a, _ := hex.DecodeString(evil)
		b, _ := hex.DecodeString(known)
		forged := forge(table, a, b, sum)
		os.Chmod(path+".idx", 0o600)
		os.WriteFile(path+".idx", forged, 0o600)
		os.Remove(filepath.Join(dir, "objects", evil[:2], evil[2:]))
		for _, suffix := range []string{".pack", ".idx"} {
			os.Link(path+suffix, filepath.Join(dir, "objects/pack", stem+suffix))
		}
		if got := gitIn(t, dir, "", "cat-file", "blob", known); got != "evil!" {
			t.Fatalf("%s: the forged table does not work: %q", format, got)
		}
		if err := VerifyPack("git", d, stem); err != errTable {
			t.Errorf("%s: forged: %v", format, err)
		}
		os.WriteFile(path+".idx", table, 0o600)
		pack, _ := os.ReadFile(path + ".pack")
		os.Chmod(path+".pack", 0o600)
		os.WriteFile(path+".pack", pack[:len(pack)-1], 0o600)
		if err := VerifyPack("git", d, stem); err == nil {
			t.Errorf("%s: a pack that is cut", format)
		}
	}
}

// forge returns the table of a pack with one object that has another name there.
func forge(table, from, to []byte, sum func([]byte) []byte) []byte {
	forged := bytes.Clone(table)
	for i := range 256 { // how many names there are up to each first byte
		clear(forged[8+4*i : 12+4*i])
		if i >= int(to[0]) {
			forged[11+4*i] = 1
		}
	}
	forged = bytes.Replace(forged, from, to, 1)
	body := forged[:len(forged)-len(from)]
	return append(bytes.Clone(body), sum(body)...)
}
