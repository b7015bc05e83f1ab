package runs

// readMax is how many bytes of a journal are read: a command could have made one
// without an end. Of a longer one the head and the tail tell the most.
const (
	readMax = 64 << 20
	endMax  = 1 << 20
)

// marksMax bounds Marks, in bytes: a line for a person has room for some 20.
const marksMax = 20 * len("✓")

// namesMax is how many names a ledger keeps apart: a client can make up any number.
const namesMax = 10000

// deepest bounds a walk down a tree of folders, which a command can write.
const deepest = 16
