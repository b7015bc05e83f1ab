package agents

// filesMax bounds a folder of definitions.
const filesMax = 500

// fileMax is the longest file of a definition, in bytes.
const fileMax = 256 << 10
