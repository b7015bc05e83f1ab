package agentloop

import (
	"time"

	"ua/internal/common/run"
)

// A waiting is a run whose model has answered while jobs of it go on (--stay). Nothing is asked
// until one ends or prints what it was to wake us for, or a message comes.
type waiting struct {
	answer  []byte               // the model's last; nil while the run doesn't wait
	alive   []string             // the jobs that go on
	matches map[string]int       // of each job, how many matches the model knows, over: its end
	told    map[string]time.Time // when a result has told the end of the job of that call
	seen    folderTime           // of the records
}

// A proof is the checks of a run (--until) and how far they are. A run whose model has answered
// is done only once each of them has ended with status 0.
//
// All stages end before the checks begin, and each check has a sandbox of its own, so nothing
// that a command of the run has started lives while one runs, and no variable or alias that it
// has set reaches one. After a failure the stages are started again, as for a run that goes on.
type proof struct {
	trace   string // for the stages that are started again
	round   int    // how many times the checks have begun
	next    int    // of the checks, the one that runs
	running bool
	kept    bool   // the event of that one has been
	failure string // how it failed, "" if it did not
	proved  bool
	answer  []byte // the model's last, which is shown once it is proved

	seal    []byte   // the event of a new seal (--sealed)
	protect []string // the paths that a check may not write
	changed []string // those that the run has changed
	result  []byte   // of a check whose seal is still to be looked at
}

// A keptJob is a job that was started and the process that holds its sandbox.
type keptJob struct {
	run.Run
	pid int
}

// An offspring is the subagents of a run, as far as its journal tells about them.
type offspring struct {
	known  map[string]*child // by ID
	live   int               // of them
	list   []run.Run         // that are not over, oldest first, as of the last change of the folder
	unread int64             // bytes of their journals that are still read whole
	at     int               // of list, where the next look for new ones begins
	seen   folderTime
}

// A child is a subagent whose start is in the journal.
type child struct {
	over       bool
	late       bool // it has ended, and what the gateway saw of it may be on its way
	background bool
}

// A folderTime remembers the modification time of a folder when it was last read.
type folderTime struct{ changed time.Time }
