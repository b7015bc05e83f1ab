//go:build linux

package try

// largest is the largest file of a try's folder that is read, in bytes. That is far more
// than a file of a million changes has.
const largest = 1 << 30
