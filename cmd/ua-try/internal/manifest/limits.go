//go:build linux

package manifest

// largest is the largest manifest that is read, in bytes.
const largest = 4 << 30
