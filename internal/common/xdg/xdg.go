// Package xdg names the folders of the XDG Base Directory Specification that ua uses. It
// reads no settings, so that a program that only names places does not link a reader of
// settings.
package xdg

import (
	"os"
	"os/user"
	"path/filepath"
)

// Config returns the folder of the user's settings: $XDG_CONFIG_HOME/ua, or ~/.config/ua.
func Config() string { return folder("XDG_CONFIG_HOME", ".config") }

// State returns the folder of the journals: $XDG_STATE_HOME/ua, or ~/.local/state/ua.
func State() string { return folder("XDG_STATE_HOME", ".local/state") }

// Cache returns the folder of what can be made again: $XDG_CACHE_HOME/ua, or ~/.cache/ua.
func Cache() string { return folder("XDG_CACHE_HOME", ".cache") }

// folder returns ua's folder in the one that the variable names, which has to be
// absolute, or in the fallback below the user's home.
func folder(name, fallback string) string {
	if dir := os.Getenv(name); filepath.IsAbs(dir) {
		return filepath.Join(dir, "ua")
	}
	return filepath.Join(Home(), fallback, "ua")
}

// Home returns $HOME, or the home in the user database if $HOME is not set, as for a
// service of the system.
func Home() string {
	if dir := os.Getenv("HOME"); filepath.IsAbs(dir) {
		return dir
	}
	if u, err := user.Current(); err == nil && filepath.IsAbs(u.HomeDir) {
		return u.HomeDir
	}
	return "/"
}
