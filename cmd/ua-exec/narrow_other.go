//go:build !linux

package main

import "ua/internal/common/verdict"

func canNarrow() bool { return false }

func narrowThread(verdict.Profile, []string) error { return nil }
