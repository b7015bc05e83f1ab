//go:build !linux

package proxy

// unpaced is for Linux, where the congestion control can be chosen.
func unpaced(int) {}
