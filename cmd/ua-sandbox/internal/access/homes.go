package access

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"ua/internal/common/confine"
	"ua/internal/common/secret"
	"ua/internal/common/verdict"
)

// startFiles protects what runs by itself later if the command may write a home or the whole
// tree: hidden names and folders of programs.
func (p *Policy) startFiles() {
	var list []string
	if p.Writable("/") {
		list = secret.Fields(system)
	}
	for _, home := range p.homes() {
		if p.Writable(home) && !p.named(home) {
			p.keepHome(home)
		}
	}
	if p.Writable(p.tree.realOr(p.Home)) {
		list = append(list, filepath.SplitList(os.Getenv("PATH"))...)
	}
	for _, path := range list {
		if filepath.IsAbs(path) && path != "/" {
			p.freeze(filepath.Clean(path))
		}
	}
}

// keepHome makes read-only what is hidden at the top of a home in which, or around which, the
// command works: settings, start-up files, keys, programs and caches of the user's. A home of
// another account is kept whole. Of new names at the top, only those land that are not hidden
// (see hometop_linux.go); without mounts there can be no new ones.
func (p *Policy) keepHome(home string) {
	if !p.ownHome(home) {
		p.freeze(home)
		return
	}
	p.Tops, p.Frozen = append(p.Tops, home), append(p.Frozen, home+"/.")
	entries, _ := os.ReadDir(home)
	for _, e := range entries {
		switch path := filepath.Join(home, e.Name()); {
		case strings.HasPrefix(e.Name(), HomeTopName): // another sandbox's, which may end meanwhile
			p.Frozen = append(p.Frozen, path)
		case Hidden(e.Name()):
			p.freeze(path)
		}
	}
}

// HomeTopName begins the name of the folder that stands for a home, in that home, so that
// what is made in it lands by rename(2).
const HomeTopName = ".ua-home-"

// Hidden reports whether a name at the top of a home is kept from commands. A repository there
// has a guard of its own.
func Hidden(name string) bool {
	return name[0] == '.' && name != ".git" || runtime.GOOS == "darwin" && name == "Library"
}

// ownHome reports whether a home is this user's, or of an owner of the workspace.
func (p *Policy) ownHome(home string) bool {
	for _, own := range append(p.Owners.homes(), p.Home, accountHome()) {
		if real, err := p.tree.existing(own); own != "" && err == nil && real == home {
			return true
		}
	}
	return false
}

// bases are the folders of a home in which many programs keep their settings, data and
// caches (XDG Base Directory Specification).
const bases = ".config .local .local/share .local/state .cache"

// keepBases leaves such a folder read-only as working folder, too, unless --write names it.
func (p *Policy) keepBases() {
	for _, home := range p.homes() {
		for name := range strings.FieldsSeq(bases) {
			if p.Dir == filepath.Join(home, name) && !p.named(p.Dir) && p.Profile != verdict.ProfileNone {
				p.Write = slices.DeleteFunc(p.Write, func(path string) bool { return path == p.Dir })
			}
		}
	}
}

// startLinks protects what start-up files are links to: people keep these in a repository. Of a
// home only the hidden ones are.
func (p *Policy) startLinks() {
	for _, home := range p.homes() {
		p.protectLinked(home, 1, Hidden)
		for _, dir := range []string{".config", ".local/bin", ".local/share"} {
			p.protectLinked(filepath.Join(home, dir), 1, func(string) bool { return true })
		}
	}
}

// homes returns the homes whose start-up files count: that of HOME, that of the account, and
// what root may write of other users'. A login reads those of the account, whatever HOME says.
func (p *Policy) homes() []string {
	if p.allHomes != nil {
		return p.allHomes
	}
	add := func(path string) {
		if real, err := p.tree.existing(path); err == nil && !slices.Contains(p.allHomes, real) {
			p.allHomes = append(p.allHomes, real)
		}
	}
	add(p.Home)
	if home := accountHome(); home != "" {
		add(home)
	}
	if os.Getuid() != 0 {
		return p.allHomes
	}
	for _, a := range accounts() {
		if strings.Count(a.home, "/") > 1 && p.meets(a.home) {
			add(a.home)
		}
	}
	return p.allHomes
}

// meets reports whether the command may write path, or a folder below it.
func (p *Policy) meets(path string) bool {
	return slices.ContainsFunc(p.Write, func(w string) bool {
		return confine.Under(path, w) || confine.Under(w, path)
	})
}

// system lists the machine's programs and settings, which root could write.
const system = `/bin /sbin /lib /lib32 /lib64 /libx32 /usr /etc /boot /opt /nix /snap /efi ` +
	`/System /Library /Applications`
