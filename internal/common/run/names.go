package run

// The variables by which programs know the run that has started them (ua(1),
// ENVIRONMENT). Only commands that start ua get them.
const (
	EnvDir     = "UA_RUN_DIR"       // the folder of the run that the command belongs to
	EnvJournal = "UA_JOURNAL"       // its journal
	EnvDepth   = "UA_DEPTH"         // how many runs are above the one that the command starts
	EnvGateway = "UA_GATEWAY"       // the socket by which a subagent reaches its model
	EnvToken   = "UA_GATEWAY_TOKEN" // the key that the gateway takes from it
	EnvTrace   = "TRACEPARENT"      // W3C Trace Context
	EnvPath    = "UA_PATH"          // the PATH of commands, where PATH is prog.OutsidePath
)

// The variables by which a program knows what is around it (ua-sandbox(1), ua-shell(1)).
const (
	EnvSandbox = "UA_SANDBOX" // the tier of the sandbox around it
	// The terminal of the ua-shell around it: what has another one, such as a window
	// of tmux(1), is not inside.
	EnvShellTTY = "UA_SHELL_TTY"
)

// The names of files and folders in a run's folder.
const (
	JournalFile = "journal.jsonl"
	SubFolder   = "sub"
	OutFolder   = "out"
	MediaFolder = "media"
)
