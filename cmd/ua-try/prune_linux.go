package main

import (
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-try/internal/landing"
	"ua/cmd/ua-try/internal/manifest"
	"ua/cmd/ua-try/internal/try"
	"ua/internal/common/config"
	"ua/internal/common/prog"
)

// settings are the table [try] of config.toml (ua-config(5)).
type settings struct {
	Try struct {
		Keep     config.Duration `toml:"keep"`      // how long applied tries are kept
		KeepSize prog.Bytes      `toml:"keep_size"` // how much they may take together
	} `toml:"try"`
}

// Defaults where the settings say nothing (ua-try(1)).
const (
	defaultKeep     = 7 * 24 * time.Hour // of an applied try
	defaultKeepSize = 1 << 30            // bytes of all applied tries
)

// prune drops tries that are wholly applied: those older than keep, and the oldest ones
// while all of them take more than keep_size. The newest try always stays.
func prune(env *prog.Env) {
	var s settings
	s.Try.Keep, s.Try.KeepSize = config.Duration(defaultKeep), defaultKeepSize
	if err := config.Load(&s); err != nil {
		env.Report(err) // with its hint; what was applied is applied
		return
	}
	tries, err := try.List()
	if err != nil {
		return
	}
	var total int64
	for i, t := range tries {
		if !whollyApplied(t) {
			continue
		}
		total += sizeOf(t.Dir)
		info, err := os.Stat(t.Path(try.LandingDir))
		if i == 0 || err != nil || time.Since(info.ModTime()) < time.Duration(s.Try.Keep) &&
			total <= int64(s.Try.KeepSize) {
			continue
		}
		if lock, err := t.Lock(); err == nil {
			if err = landing.Drop(t); err != nil {
				env.Warnf("%v", err)
			}
			lock.Close()
		}
	}
}

// whollyApplied reports whether nothing of a try is left to be applied.
func whollyApplied(t *try.Try) bool {
	entries, err := manifest.Peek(t)
	if err != nil {
		return false
	}
	s := landing.Progress(t, entries)
	return s == "applied" || s == "empty" && t.End() != nil
}

// sizeOf returns how many bytes a try's folder takes on its disk.
func sizeOf(dir string) (bytes int64) {
	_ = filepath.WalkDir(dir, func(p string, _ os.DirEntry, err error) error {
		var st unix.Stat_t
		if err == nil && unix.Lstat(p, &st) == nil {
			bytes += st.Blocks * 512
		}
		return nil
	})
	return bytes
}
