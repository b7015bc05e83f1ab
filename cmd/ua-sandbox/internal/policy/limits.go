package policy

// Limits on the search for repositories, since a large tree must not hold up a command.
// What is deeper than the folders that are looked at is looked at when the command has ended.
const (
	maxFolders = 256  // that are listed, the shallow ones first
	maxParts   = 1000 // worktrees and modules, of all repositories, that are looked at
	maxConfigs = 64   // configs that include each other
	maxWords   = 200  // words of a command line in one, and settings in variables
	maxHomes   = 100  // whose start-up files are looked for
)

// maxText is how many bytes of a settings file are read.
const maxText = 1 << 20

// listMax is how many names of a folder are looked at. Reading more takes longer than
// asking for each path that counts.
const listMax = 500

// MaxCopy is the most bytes of a file that is copied. Go's files are about 200 bytes
// long.
const MaxCopy = 64 << 10
