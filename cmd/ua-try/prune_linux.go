package main

import (
	"os"
	"time"

	"ua/cmd/ua-try/internal/landing"
	"ua/cmd/ua-try/internal/manifest"
	"ua/cmd/ua-try/internal/try"
	"ua/internal/common/config"
	"ua/internal/common/prog"
	"ua/internal/common/size"
)

// settings are the table [try] of config.toml.
type settings struct {
	Try struct {
		Keep     config.Duration `toml:"keep"`      // how long applied tries are kept
		KeepSize size.Bytes      `toml:"keep_size"` // how much they may take together
	} `toml:"try"`
}

// prune drops applied tries that are older than a week, or, oldest first, while
// all that are applied take more than 1 GiB. The newest stays, and so does any
// that is not wholly applied.
func prune(env *prog.Env) {
	var s settings
	s.Try.Keep, s.Try.KeepSize = config.Duration(7*24*time.Hour), 1<<30
	if err := config.Load(&s); err != nil {
		env.Warnf("%v", err)
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
		total += landing.Size(t.Dir)
		info, err := os.Stat(t.Path(try.LandingDir))
		if i == 0 || err != nil || time.Since(info.ModTime()) < time.Duration(s.Try.Keep) &&
			total <= int64(s.Try.KeepSize) {
			continue
		}
		if lock, err := t.Lock(); err == nil {
			if err = landing.Sweep(t); err == nil {
				err = t.Drop()
			}
			if err != nil {
				env.Warnf("%v", err)
			}
			lock.Close()
		}
	}
}

func whollyApplied(t *try.Try) bool {
	entries, err := manifest.Peek(t)
	if err != nil {
		return false
	}
	s := state(t, entries)
	return s == "applied" || s == "empty" && t.End() != nil
}
