package agents

// filesMax is how many definitions are read from a folder, and how many skills.
const filesMax = 500

// fileMax is the longest file with a definition, in bytes.
const fileMax = 256 << 10

// describedMax is the longest description of a skill in characters (agentskills.io). Half
// of it reaches the prompt.
const describedMax = 1024

// listedMax is how many bytes the list of skills takes in a prompt, bodyMax how many the
// text of each skill that an agent works by.
const (
	listedMax = 8 << 10
	bodyMax   = 16 << 10
)
