package run

// The variables of ua-try. It sets the first for its command, and reads the second.
const (
	EnvTry      = "UA_TRY"       // the try that a process is in
	EnvTryTitle = "UA_TRY_TITLE" // what a list of tries shows in place of the command
)
