package agents

// filesMax is how many definitions are read from a folder.
const filesMax = 500

// fileMax is the longest file with a definition, in bytes.
const fileMax = 256 << 10
