//go:build linux

package try

// largest is the size up to which a file of a try's folder is read: far above
// what one of a million changes has.
const largest = 1 << 30
