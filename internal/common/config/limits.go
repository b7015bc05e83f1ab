package config

// FileMax is the longest settings file that is read, in bytes.
const FileMax = 16 << 20

// projectMax is the longest settings file of a project that is read, in bytes.
const projectMax = 1 << 20

// maxDeep is how deep the arrays and tables of a value may be nested, and how many parts
// a key may have: far more than any settings need. The parser calls itself for each
// level, and its time grows with their square. A file that a command has left in a
// project could hold up, or end, every program that reads it.
const maxDeep = 64
