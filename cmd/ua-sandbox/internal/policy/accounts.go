package policy

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"ua/internal/common/confine"
	"ua/internal/common/regular"
)

// An account is a row of the user database of this machine.
type account struct {
	uid  int
	home string
}

// accounts returns the accounts whose home is a folder of its own.
var accounts = sync.OnceValue(func() (list []account) {
	text, _ := regular.Read("/etc/passwd", maxText)
	for line := range strings.Lines(string(text)) {
		f := strings.Split(line, ":")
		if len(f) < 6 || strings.Count(f[5], "/") < 1 || f[5] == "/" || len(list) == maxHomes {
			continue
		}
		if uid, err := strconv.Atoi(f[2]); err == nil && filepath.IsAbs(f[5]) {
			list = append(list, account{uid, filepath.Clean(f[5])})
		}
	}
	return list
})

// homes returns the homes of the owners, whose secrets are kept as those of this user
// are.
func (w Owners) homes() (list []string) {
	if !w.Any() {
		return nil
	}
	for _, a := range accounts() {
		if slices.Contains(w.UIDs, a.uid) {
			list = append(list, a.home)
		}
	}
	return list
}

// hideHomes hides the homes of all other accounts from a root who may use the files of
// owners. Without a user namespace that power reaches the files of everybody.
func (p *Policy) hideHomes() {
	if !p.Owners.Any() {
		return
	}
	for _, a := range accounts() {
		var stat syscall.Stat_t
		if a.uid != 0 && !slices.Contains(p.Owners.UIDs, a.uid) && syscall.Stat(a.home, &stat) == nil &&
			int(stat.Uid) == a.uid && !slices.ContainsFunc(p.Shown(),
			func(path string) bool { return confine.Under(path, a.home) }) {
			p.mask(&p.tree, a.home, false)
		}
	}
}
