//go:build !linux

package main

// fewPids reports whether commands may have so few processes that they can use them
// up at once. That is not known here.
func fewPids() bool { return true }
