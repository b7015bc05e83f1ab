package procfs

// few is a bound on a user's processes from which on they are counted.
const few = 1000
