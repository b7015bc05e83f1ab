package access

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"ua/internal/common/safefile"
)

// An account is a row of the user database of this machine.
type account struct {
	uid  int
	home string
}

// maxHomes is how many accounts are looked at.
const maxHomes = 100

// accounts returns the accounts whose home is a folder of its own.
var accounts = sync.OnceValue(func() (list []account) {
	text, _ := safefile.Read("/etc/passwd", maxText)
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
