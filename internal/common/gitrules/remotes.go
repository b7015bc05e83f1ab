package gitrules

import (
	"os"
	"path/filepath"
	"strings"
)

// A Remote is a URL from which git fetches or to which it pushes, of a remote or a submodule.
type Remote struct{ Name, URL string }

// Remotes returns what git's config files name, given as texts in the order in which git reads
// them, after url.*.insteadOf. What they include is not read. Of a text that git refuses it takes
// what stands before the fault. git itself (git config --get-regexp) is not used: it would wait
// for ever at a FIFO that a command has left in place of a file, and takes long to start.
func Remotes(configs ...string) (list []Remote) {
	var instead [][2]string // what a URL begins with, and what stands in its place
	for _, text := range configs {
		settings, _ := Settings([]byte(text))
		for _, set := range settings {
			section, rest, _ := strings.Cut(set.Name, ".")
			at := max(strings.LastIndexByte(rest, '.'), 0)
			name, key := rest[:at], strings.TrimPrefix(rest[at:], ".")
			switch {
			case set.True:
			case (section == "remote" || section == "submodule") && (key == "url" || key == "pushurl"):
				list = append(list, Remote{name, set.Value})
			case section == "url" && (key == "insteadof" || key == "pushinsteadof"):
				instead = append(instead, [2]string{set.Value, name})
			}
		}
	}
	for i, r := range list { // the longest insteadOf that the URL begins with counts
		best := [2]string{}
		for _, in := range instead {
			if strings.HasPrefix(r.URL, in[0]) && len(in[0]) > len(best[0]) {
				best = in
			}
		}
		list[i].URL = best[1] + strings.TrimPrefix(r.URL, best[0])
	}
	return list
}

// ConfigFolder returns the folder with the config of the repository around dir: .git, or the
// common folder of a linked worktree. read returns the text of a file, "" if there is none.
func ConfigFolder(dir string, read func(string) string) (string, bool) {
	for at := dir; ; at = filepath.Dir(at) {
		dir := filepath.Join(at, ".git")
		info, err := os.Stat(dir)
		if err == nil && !info.IsDir() {
			to, ok := strings.CutPrefix(read(dir), "gitdir: ")
			if !ok {
				return "", false
			}
			dir = from(at, strings.TrimSpace(to))
		}
		if err == nil {
			if common := strings.TrimSpace(read(filepath.Join(dir, "commondir"))); common != "" {
				dir = from(dir, common)
			}
			return dir, true
		}
		if at == filepath.Dir(at) {
			return "", false
		}
	}
}

// from returns path, taken from dir if it is relative.
func from(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}
