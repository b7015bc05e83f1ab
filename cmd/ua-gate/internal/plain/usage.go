package plain

import _ "embed" // for Usage

// Usage says which commands run unasked where nothing holds them, a line for each, and with
// which words. ua-gate(1) prints it. Each is a builtin or a plain reader of files: it starts no
// program, reads no settings of a project, writes nothing and speaks to nobody.
//
// [-abc] are letters that may be joined, and [-n N] is one with a value; the words between
// | stand for themselves. TEXT is one literal word, FILE one that may have a glob in it, and LINES
// are those that sed prints.
//
//go:embed usage.txt
var Usage string

// builtins are those of these commands that every shell has in itself. Each other one is a
// program, which has to come from one of the system's own folders.
const builtins = " cd command echo false pwd test true type "

// system are the folders of the system's own programs.
const system = " /bin /sbin /usr/bin /usr/sbin /usr/local/bin /opt/homebrew/bin" +
	" /run/current-system/sw/bin /nix/var/nix/profiles/default/bin "
