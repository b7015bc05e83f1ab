package main

// Limits on what is remembered of protected files that no mount protects.
const (
	maxKept     = 1 << 20 // bytes of a file
	maxKeptAll  = 32 << 20
	maxKeptDeep = 4
)

// toldMax limits how much is told about protected files, for each kind. A command can cause
// any number of such messages.
const toldMax = 50

// How many processes and threads all stages need together with a short command, and how
// many this process needs alone when it becomes the command.
const (
	ownThreads    = 48
	nestedThreads = 10
)

// oomScore is added to what the kernel counts of this process and all that it starts when
// memory runs out, in thousandths of the memory (proc_pid_oom_score_adj(5)): as much as
// programs of the user's would have to use before they are ended first.
const oomScore = 500

// noteMax is the largest size of a note in bytes.
const noteMax = 4 << 20
