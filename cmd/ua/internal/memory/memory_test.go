package memory

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestLoad(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("AGENTS.md", "above the repository\n")
	write("dots/mine.md", "mine\n")
	write("settings/config.toml", "")
	os.Symlink("../dots/mine.md", filepath.Join(root, "settings/AGENTS.md")) // the user's own
	write("repo/.git/HEAD", "")
	write("repo/AGENTS.md", "of the repository\n")
	write("repo/a/b/AGENTS.md", "nearest\n")
	write("repo/long/AGENTS.md", strings.Repeat("ü", maxFile))
	write("bare/AGENTS.md", "alone\n")
	os.MkdirAll(filepath.Join(root, "fifo"), 0o700)
	syscall.Mkfifo(filepath.Join(root, "fifo/AGENTS.md"), 0o600)
	write("links/NOTES.md", "beside")
	os.Symlink("NOTES.md", filepath.Join(root, "links/AGENTS.md"))
	write("away/x", "")
	os.Symlink("/etc/passwd", filepath.Join(root, "away/AGENTS.md"))
	for _, name := range []string{"both/AGENTS.md", "both/CLAUDE.md", "claude/CLAUDE.md",
		"claude/GEMINI.md", "gemini/GEMINI.md", "config/CLAUDE.md"} {
		write(name, name)
	}
	for _, c := range []struct{ dir, want, bad string }{
		{"both", "mine|both/AGENTS.md", ""},
		{"claude", "mine|claude/CLAUDE.md", ""},
		{"gemini", "mine|gemini/GEMINI.md", ""},
		{"repo/a/b", "mine|of the repository|nearest", ""},
		{"repo/a", "mine|of the repository", ""},
		{"bare", "mine|alone", ""},
		{"settings/none", "mine", ""},
		{"fifo", "mine", "no regular file"},
		{"links", "mine|beside", ""},
		{"away", "mine", "symbolic link"},
	} {
		var got, bad []string
		for _, n := range Load(filepath.Join(root, c.dir), filepath.Join(root, "settings"),
			func(err error) { bad = append(bad, err.Error()) }) {
			got = append(got, strings.TrimSpace(n.Text))
		}
		if strings.Join(got, "|") != c.want || !strings.Contains(strings.Join(bad, "|"), c.bad) ||
			c.bad == "" && bad != nil {
			t.Errorf("%s: %q, %q", c.dir, got, bad)
		}
	}
	// Another agent's file beside the settings is not the user's for this one.
	if got := Load(filepath.Join(root, "none"), filepath.Join(root, "config"), nil); got != nil {
		t.Errorf("%v", got)
	}
	long := Load(filepath.Join(root, "repo/long"), filepath.Join(root, "nowhere"), func(err error) {
		t.Error(err)
	})
	if n := long[len(long)-1]; len(n.Text) != maxFile || n.Cut != maxFile ||
		!strings.Contains(Prompt(long), "[16384 bytes more stand in the file]") {
		t.Errorf("%d bytes, %d cut", len(n.Text), n.Cut)
	}
}

func TestAll(t *testing.T) {
	dir := t.TempDir()
	at := dir
	os.Mkdir(filepath.Join(dir, ".git"), 0o700)
	for range 6 {
		os.WriteFile(filepath.Join(at, "AGENTS.md"), []byte(strings.Repeat("x", maxFile)), 0o600)
		at = filepath.Join(at, "d")
		os.Mkdir(at, 0o700)
	}
	told := 0
	notes := Load(at, filepath.Join(dir, "none"), func(error) { told++ })
	if len(notes) != maxAll/maxFile || told != 6-len(notes) {
		t.Errorf("%d notes, %d told of", len(notes), told)
	}
}
