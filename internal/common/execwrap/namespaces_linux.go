package execwrap

import (
	"os"
	"slices"
	"strings"
)

// NamespacesOff returns what a person can do about the setting that keeps users from
// making namespaces (user_namespaces(7)), or "" if there is none.
func NamespacesOff() string {
	switch {
	case holds("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1"):
		return "AppArmor keeps users from namespaces: give this program a profile with \"userns,\" in " +
			"/etc/apparmor.d, or set kernel.apparmor_restrict_unprivileged_userns=0"
	case holds("/proc/sys/user/max_user_namespaces", "0"):
		return "namespaces are off: set user.max_user_namespaces"
	case holds("/proc/sys/kernel/unprivileged_userns_clone", "0"):
		return "namespaces are off for users: set kernel.unprivileged_userns_clone=1"
	}
	return ""
}

// holds reports whether the file's content is the word.
func holds(path, word string) bool {
	text, err := os.ReadFile(path)
	return err == nil && strings.TrimSpace(string(text)) == word
}

// TrueRoot reports whether uid 0 is the machine's root here, and not a user in a user
// namespace (user_namespaces(7), uid_map).
func TrueRoot() bool {
	m, err := os.ReadFile("/proc/self/uid_map")
	return err == nil && slices.Equal(strings.Fields(string(m)), []string{"0", "0", "4294967295"})
}
