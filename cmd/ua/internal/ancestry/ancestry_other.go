//go:build !linux

package ancestry

// Above returns nothing: without /proc, only the environment tells what is above.
func Above() Ancestry { return Ancestry{} }
