// Package confine holds what ua-sandbox and ua-exec both confine a thread with: Landlock
// rules, a filter of system calls, and what a sandbox of ours tells the programs in it.
// All of it holds for one thread and what that thread starts.
package confine

import "strings"

// Under reports whether path is dir or is below it. Both have to be clean.
func Under(path, dir string) bool {
	return path == dir || dir == "/" || strings.HasPrefix(path, dir) && path[len(dir)] == '/'
}
