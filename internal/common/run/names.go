package run

import (
	"path/filepath"

	"ua/internal/common/xdg"
)

// The variables by which programs know the run that has started them (ua(1),
// ENVIRONMENT). Only commands that start ua get them.
const (
	EnvDir     = "UA_RUN_DIR"       // the folder of the run that the command belongs to
	EnvJournal = "UA_JOURNAL"       // its journal
	EnvDepth   = "UA_DEPTH"         // how many runs are above the one that the command starts
	EnvGateway = "UA_GATEWAY"       // the socket by which a subagent reaches its model
	EnvToken   = "UA_GATEWAY_TOKEN" // the key that the gateway takes from it
	EnvMCP     = "UA_MCP"           // the socket by which a command reaches MCP servers
	EnvTrace   = "TRACEPARENT"      // W3C Trace Context
	EnvPath    = "UA_PATH"          // the PATH of commands, where PATH is prog.OutsidePath
)

// The variables by which a program knows what is around it (ua-sandbox(1), ua-shell(1)).
const (
	EnvLandFD  = "UA_LAND_FD" // the socket on which ua-exec asks ua-sandbox for a landing
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

// The variables of ua-try. It sets the first for its command, and reads the second.
const (
	EnvTry      = "UA_TRY"       // the try that a process is in
	EnvTryTitle = "UA_TRY_TITLE" // what a list of tries shows in place of the command
)

// SandboxTmp begins the names of the folders in TMPDIR that sandboxes use as their tmp. A
// sandbox removes its own, and those of sandboxes that were killed.
const SandboxTmp = "ua-sandbox-"

// SandboxNotes returns the folder of the notes for ua-sandbox --last-look.
func SandboxNotes() string { return filepath.Join(xdg.State(), "sandboxes") }
