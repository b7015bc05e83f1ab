package main

// Bounds on what is remembered of guarded files where no mount keeps them.
const (
	maxKept     = 1 << 20 // bytes of a file
	maxKeptAll  = 32 << 20
	maxKeptDeep = 4
)

// How many secrets, and files in a folder of them, are tried.
const (
	triedSecrets = 16
	triedInside  = 16
)

// toldMax bounds what is told of guarded files, of each kind: a command can make any
// number of them.
const toldMax = 50

// How many processes and threads all stages need with a short command, and this process
// alone, which becomes the command.
const (
	ownThreads    = 48
	nestedThreads = 10
)

// noteMax bounds a note, in bytes.
const noteMax = 4 << 20
