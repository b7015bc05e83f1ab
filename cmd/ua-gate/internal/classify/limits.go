package classify

// Limits of what is read. What lies beyond one of them is a part of its own,
// which is Unread.
const (
	MaxBytes  = 256_000 // bytes of a script with its data and comments
	MaxSimple = 2000    // simple commands, those inside others included
	MaxDepth  = 16      // commands inside commands

	// maxOpened bounds the brackets of a script: the parser goes down one level
	// for each, and beyond some hundred thousand its stack would end the program.
	maxOpened = 16_000
	// maxNested bounds expansions inside expansions and compound commands
	// inside each other.
	maxNested = 50
)

// maxValue bounds how much of a value of a variable is known.
const maxValue = 2000

// maxOlder bounds how many values of a variable are kept apart.
const maxOlder = 8

// maxBraces bounds what a brace expansion may become.
const maxBraces = 64

// maxUnrolled bounds how many rounds of loops are judged on their own.
const maxUnrolled = 48

// maxWritten bounds how many files that a command writes are remembered.
const maxWritten = 200

// maxElements bounds how many elements of an array are known, and how many arguments.
const maxElements = 200
