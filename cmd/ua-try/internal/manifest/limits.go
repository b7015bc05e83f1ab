//go:build linux

package manifest

// largest is the size up to which a manifest is read.
const largest = 4 << 30
