package access

import (
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"ua/internal/common/secret"
)

// A location is a path that no profile may read, and the symbolic link in a home that
// leads to it, if one does.
type location struct{ path, link string }

// secrets returns the places of secrets that exist here. Those in the homes of others are of
// the owners of the workspace.
func secrets(t *tree, home string, others []string) (found []location) {
	add := func(path, below string) {
		link, ok := t.walk(path, below)
		switch {
		case !ok:
		case path == os.DevNull || link != "" && t.realOr(path) == os.DevNull: // where nothing is kept
		case !slices.Contains(found, location{path, link}):
			found = append(found, location{path, link})
		}
	}
	homes := []string{home}
	if h := accountHome(); h != "" && h != home {
		homes = append(homes, h)
	}
	homes = append(homes, others...)
	places := secret.Paths()
	for _, h := range homes {
		for _, dir := range [...]string{"", "/.config", "/.local/share"} {
			t.list(h + dir)
		}
		for _, p := range places {
			path := h + "/" + p.Name
			if p.Mixed {
				if _, ok := t.walk(path, h); ok && !holdsToken(path) {
					continue
				}
			}
			if !p.Absolute {
				add(path, h)
			}
		}
	}
	for _, p := range places {
		switch {
		case !p.Absolute || p.Kernel && os.Getuid() != 0:
		case strings.Contains(p.Name, "*"):
			matches, _ := filepath.Glob(p.Name)
			for _, path := range matches {
				add(path, "/")
			}
		default:
			add(p.Name, "/")
		}
	}
	for _, path := range pointed(homes, places) {
		add(path, filepath.Dir(path))
	}
	return found
}

// pointed returns the secrets whose places variables give.
func pointed(homes []string, places []secret.Path) (paths []string) {
	add := func(path string) {
		if filepath.IsAbs(path) && path != "/" && !slices.Contains(homes, path) {
			paths = append(paths, path)
		}
	}
	for _, name := range secret.Pointers() {
		for _, path := range filepath.SplitList(os.Getenv(name)) {
			add(filepath.Clean(path))
		}
	}
	// Programs then keep there what they usually keep in ~/.config.
	if x := os.Getenv("XDG_CONFIG_HOME"); filepath.IsAbs(x) {
		for _, p := range places {
			if rest, ok := strings.CutPrefix(p.Name, ".config/"); ok {
				add(filepath.Join(x, rest))
			}
		}
	}
	for _, path := range ownSecrets() {
		add(path)
	}
	return paths
}

// holdsToken reports whether a settings file also holds a secret. A file that cannot be
// read counts as one that does.
func holdsToken(path string) bool {
	text, err := readText(path)
	if err != nil {
		return true
	}
	low := strings.ToLower(text)
	for _, word := range []string{"_auth", "token", "password", "passwd", "secret", "apikey",
		"api-key", "authorization"} {
		if strings.Contains(low, word) {
			return true
		}
	}
	for _, line := range strings.Split(low, "\n") {
		if _, rest, ok := strings.Cut(line, "://"); ok && strings.Contains(rest, "@") {
			return true
		}
	}
	return false
}

// accountHome returns the home in the user database, because HOME may say something else.
var accountHome = sync.OnceValue(func() string {
	u, err := user.LookupId(strconv.Itoa(os.Getuid()))
	if err != nil || !filepath.IsAbs(u.HomeDir) || u.HomeDir == "/" {
		return ""
	}
	return u.HomeDir
})
