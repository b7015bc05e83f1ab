package grant

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ua/cmd/ua-gate/internal/finding"
	"ua/cmd/ua-gate/internal/judgement"
	"ua/internal/common/confine"
	"ua/internal/common/safefile"
	"ua/internal/common/xdg"
)

// writes returns the folders of places outside the workspace that a part writes, which its yes
// has to open, since the sandbox refuses them otherwise. A place that can't be opened is said in
// why.
func writes(p *finding.Part) (list []string, why string) {
	inPlace := slices.ContainsFunc(p.Effects,
		func(e judgement.Effect) bool { return strings.HasSuffix(e.How, " -i") })
	for _, path := range p.Outside {
		folder, cannot := holder(path)
		if p.Name == "mv" && folder == path {
			folder = filepath.Dir(path) // a folder that is moved is an entry of this one
		}
		if info, err := os.Stat(folder); inPlace && err == nil && !info.IsDir() {
			cannot = p.Name + " -i makes a file anew beside itself, and of a home's hidden files only " +
				"the file is opened: write to it with >>, or do it yourself"
		}
		if cannot != "" {
			why = cannot
		} else if !slices.Contains(list, folder) {
			list = append(list, folder)
		}
	}
	return list, why
}

// openable reports whether a part is asked about only because it writes in folders outside the
// workspace that can be opened to it.
func openable(p *finding.Part) bool {
	dirs, why := writes(p)
	return p.Row == "path:outside" && why == "" && len(dirs) > 0 && !p.Unread && !p.Held
}

// holder returns the folder that holds a path, or the nearest one that is there, without links.
// Programs make a file anew and rename it into its place, so the file alone would not do. What
// is hidden at the top of a home is granted by itself.
func holder(path string) (folder, why string) {
	home, _ := os.UserHomeDir()
	home, _ = filepath.EvalSymlinks(home)
	real, err := filepath.EvalSymlinks(path)
	info, err2 := os.Stat(real)
	switch hidden := strings.HasPrefix(filepath.Base(path), "."); {
	case err == nil && err2 == nil && (info.IsDir() || hidden && filepath.Dir(real) == home):
		path = real
	case hidden && filepath.Dir(path) == home:
		return "", "what is hidden in a home is opened only if it is there"
	default:
		path = filepath.Dir(path)
	}
	for at := path; ; at = filepath.Dir(at) {
		real, err := filepath.EvalSymlinks(at)
		if err != nil && at != "/" {
			continue
		}
		switch {
		case confine.Under(real, "/dev"), confine.Under(real, "/proc"), confine.Under(real, "/sys"):
			return "", "the sandbox has a " + real + " of its own"
		case real == "/", real != home && (within(xdg.Config(), real) || within(xdg.State(), real)):
			return "", "the folder " + tilde(real, home) + " is never opened to a command"
		}
		return real, ""
	}
}

// within reports whether one of two paths is within the other.
func within(a, b string) bool { return confine.Under(a, b) || confine.Under(b, a) }

// tilde shortens the home in a path.
func tilde(path, home string) string {
	if rest, ok := strings.CutPrefix(path, home); ok && home != "" && (rest == "" || rest[0] == '/') {
		return "~" + rest
	}
	return path
}

// tildes shortens the home in paths.
func tildes(paths []string) (list []string) {
	home, _ := os.UserHomeDir()
	home, _ = filepath.EvalSymlinks(home)
	for _, path := range paths {
		list = append(list, tilde(path, home))
	}
	return list
}

// absolute returns the path without links, if it is there.
func absolute(path string) string {
	path, _ = filepath.Abs(path)
	return safefile.Follow(path)
}
