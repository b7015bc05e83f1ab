package code

import "strings"

// losesByName reports whether a call of a package that nobody has read says by its name
// that it deletes what others keep, or files, or that it runs a program: delete_namespace,
// dropDatabase, remove_tree, run_command.
func (r *reader) losesByName(full string) bool {
	last := strings.ToLower(strings.Trim(strings.ReplaceAll(full[strings.LastIndexByte(full,
		'.')+1:], "_", ""), "!?"))
	if r.foreign(full) && strings.Contains(foreignVerbs, " "+last+" ") {
		return true
	}
	for _, verb := range []string{"deletenamespace", "deleteall", "deletemany", "deletebucket",
		"deletetable",
		"deletestack", "deletecluster", "deletecollection", "deleteindex", "deleteinstance", "deletesync", "dropdatabase",
		"droptable", "dropall", "dropcollection", "dropindex", "destroyall", "flushall", "flushdb", "purge", "rmrf",
		"terminateinstances", "removeall", "resethard", "deletedatabase", "deleterepo",
		"rmtree", "removetree", "removedir", "removeentry", "removefile", "deletefile", "deletefolder", "deletedir",
		"deletetree", "dirdelete", "filedelete", "linkdelete", "rmdir", "rimraf", "unlink", "deltree", "emptydir", "emptytrash",
		"movetotrash", "sendtotrash", "killall", "killtree", "runcommand", "runcmd", "execcommand", "execcmd",
		"execshell", "shellexec", "runshell", "shellcommand", "spawnprocess", "startprocess"} {
		if strings.HasPrefix(last, verb) {
			return true
		}
	}
	return false
}

// foreignVerbs are names by which the functions of a package that nobody has read delete files
// or run programs.
const foreignVerbs = " delete remove rm kill exec execp execv execve execvp spawn system popen fork sh shell capture trash "
