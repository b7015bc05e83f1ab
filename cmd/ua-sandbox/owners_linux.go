package main

import (
	"os"
	"slices"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-sandbox/internal/access"
	"ua/internal/common/confine"
	"ua/internal/common/execwrap"
	"ua/internal/common/prog"
	"ua/internal/common/verdict"
)

const (
	// maxOwners is how many names at the top of a folder are looked at.
	maxOwners = 200
	// nobody stands for users that a namespace does not map.
	nobody = 65534
)

// foreignOwners returns the users and groups other than root to whom the working folder of
// a root, and what lies at its top, belong. Root reaches their files by a capability, which
// counts in a user namespace only for files whose user and group are mapped there
// (capabilities(7), user_namespaces(7)). A root without that power outside has none inside.
func foreignOwners(o *options) (w access.Owners, err error) {
	if os.Geteuid() != 0 || o.Profile == string(verdict.ProfileNone) ||
		!effective(1<<unix.CAP_DAC_OVERRIDE) {
		return w, nil
	}
	f, err := os.Open(".")
	if err != nil {
		return w, nil
	}
	defer f.Close()
	names, _ := f.Readdirnames(maxOwners)
	for _, path := range slices.Concat([]string{"."}, o.Write, names) {
		var stat unix.Stat_t
		if unix.Lstat(path, &stat) == nil {
			w.UIDs, w.GIDs = other(w.UIDs, int(stat.Uid)), other(w.GIDs, int(stat.Gid))
		}
	}
	if w.Any() && o.Tier != 1 && o.Tier != 2 && confine.Inside() == "" &&
		!effective(1<<unix.CAP_SETUID|1<<unix.CAP_SETGID) {
		return w, prog.Errorf(prog.NotConfined, "files of other users lie in the working folder, and "+
			"without CAP_SETUID and CAP_SETGID root could not use them in the sandbox").
			Hintf("run ua as their owner, or give root these capabilities (docker run --cap-add)")
	}
	return w, nil
}

// other adds an ID to a list that does not have it.
func other(list []int, id int) []int {
	if id == 0 || id == nobody && !execwrap.TrueRoot() || slices.Contains(list, id) {
		return list
	}
	return append(list, id)
}

// effective reports whether this process has all capabilities of a set below 32.
func effective(need uint32) bool {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var sets [2]unix.CapUserData
	return unix.Capget(&header, &sets[0]) == nil && sets[0].Effective&need == need
}
