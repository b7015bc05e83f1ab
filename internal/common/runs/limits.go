package runs

// readMax is how many bytes of a journal are read, since a command could have made one
// without end. For a longer one, the head and the last endMax bytes say the most.
const (
	readMax  = 64 << 20
	endMax   = 1 << 20
	leastMax = 16 << 10 // of each end, once the journals below a run have taken all that may be read
)

// marksMax limits Marks, in bytes: a line for a person has room for about 20.
const marksMax = 20 * len("✓")

// namesMax is how many names a ledger keeps separately, since a client can make up any
// number.
const namesMax = 10000

// deepest limits a walk down a tree of folders that a command can write.
const deepest = 16

// belowMax and strangersMax limit the runs below one that are read, and those of them in a
// folder that no record names: a command can make any number of folders there.
const (
	belowMax     = 1000
	strangersMax = 100
)
