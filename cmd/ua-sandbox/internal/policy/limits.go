package policy

import "time"

// Limits on the search for what a command has made, since it is done for each command.
const (
	maxNew   = 1024    // new folders that are listed
	maxLast  = 1 << 14 // the same, when the command has ended
	maxNames = 1 << 20 // names in them
	maxHooks = 100     // hooks that are told one by one
	maxPath  = 3500    // bytes of a gitlink's path: the kernel takes 4095 (path_resolution(7))
)

// Limits on the search for repositories, since a large tree must not hold up a command.
// What is deeper than the folders that are looked at is not protected, but looked at later.
const (
	maxFolders = 256     // that are listed, the shallow ones first
	maxParts   = 1000    // worktrees and modules, of all repositories, that are looked at
	maxConfig  = 1 << 20 // bytes of a git config that is read
	maxConfigs = 64      // configs that include each other
	maxWords   = 200     // words of a command line in one, and settings in variables
	maxBases   = 9       // folders to which it changes
	maxHomes   = 100     // whose start-up files are looked for
)

// maxIndex is how many bytes of an index are read. git maps the whole file.
const maxIndex = 512 << 20

// maxIndexes is how many bytes of indexes one search reads, and maxHunt how long it may take:
// the user waits for the last one.
const (
	maxIndexes = 1 << 30
	maxHunt    = 3 * time.Second
)

// maxText is how many bytes of a settings file are read.
const maxText = 1 << 20

// listMax is how many names of a folder are looked at. Reading more takes longer than
// asking for each path that counts.
const listMax = 500

// MaxCopy is the most bytes of a file that is copied. Go's files are about 200 bytes
// long.
const MaxCopy = 64 << 10
