// Package confine holds what both ua-sandbox and ua-exec confine a thread with:
// Landlock rules, a filter of system calls, and what a sandbox of ours tells the
// programs in it. Each is on one thread and on what that thread starts.
package confine

import "strings"

// Under reports whether path is dir or lies in it. Both are clean.
func Under(path, dir string) bool {
	return path == dir || dir == "/" || strings.HasPrefix(path, dir) && path[len(dir)] == '/'
}
