// Package agentlimits limits the agents below a run. A run leaves its limits in its folder,
// which its commands can read but not write. A subagent takes its own limits from there,
// and they only get smaller.
package agentlimits

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"time"

	"ua/internal/common/config"
	"ua/internal/common/prog"
	"ua/internal/common/runfolder"
	"ua/internal/common/safefile"
)

// Limits are the limits for agents below a run (ua-config(5), [agents]).
type Limits struct {
	Enabled   *bool           `toml:"enabled" json:"enabled,omitempty"` // nil: yes
	MaxDepth  int             `toml:"-" json:"max_depth"`
	AtOnce    int             `toml:"at_once" json:"at_once"`       // of one user, and in a tree
	PerParent int             `toml:"per_parent" json:"per_parent"` // of one run, at once
	PerHour   int             `toml:"per_hour" json:"per_hour"`     // started by one run
	Time      config.Duration `toml:"time" json:"time"`             // in line, unless it asks
	TimeBG    config.Duration `toml:"time_background" json:"time_background"`
	TimeMax   config.Duration `toml:"time_max" json:"time_max"`     // however much it asks for
	Tokens    int64           `toml:"tokens" json:"tokens"`         // of one, unless it asks
	TokensMax int64           `toml:"tokens_max" json:"tokens_max"` // however much it asks for
}

// Check returns an error for a limit below 0. path names the settings file.
func (l Limits) Check(path string) error {
	for _, c := range []struct {
		key   string
		value int64
	}{
		{"at_once", int64(l.AtOnce)}, {"per_parent", int64(l.PerParent)},
		{"per_hour", int64(l.PerHour)}, {"tokens", l.Tokens}, {"tokens_max", l.TokensMax},
	} {
		if c.value < 0 {
			return prog.Errorf(prog.Trouble, "%s: [agents] %s: want a whole number from 1",
				path, c.key)
		}
	}
	return nil
}

// Over returns base with what l sets in its place.
func (l Limits) Over(base Limits) Limits {
	if l.Enabled != nil {
		base.Enabled = l.Enabled
	}
	base.each(l, func(own, given int64) int64 { return cmp.Or(given, own) })
	if l.TimeMax != 0 {
		base.Time, base.TimeBG = min(base.Time, l.TimeMax), min(base.TimeBG, l.TimeMax)
	}
	if l.TokensMax != 0 {
		base.Tokens = min(base.Tokens, l.TokensMax)
	}
	base.TimeMax = max(base.TimeMax, base.Time, base.TimeBG) // a longer default was asked for
	base.TokensMax = max(base.TokensMax, base.Tokens)
	return base
}

// each replaces each limit that is a number by what choose makes of it and of that of other.
func (l *Limits) each(other Limits, choose func(own, others int64) int64) {
	to, from := reflect.ValueOf(l).Elem(), reflect.ValueOf(other)
	for i := range to.NumField() {
		if f := to.Field(i); f.CanInt() {
			f.SetInt(choose(f.Int(), from.Field(i).Int()))
		}
	}
}

// Within returns l with no limit above outer's.
func (l Limits) Within(outer Limits) Limits {
	if outer.Enabled != nil && !*outer.Enabled {
		l.Enabled = outer.Enabled
	}
	l.each(outer, func(own, outer int64) int64 { return min(own, outer) })
	return l
}

// Narrow returns l with the lower limits of projects in its place.
func (l Limits) Narrow(projects []Limits) Limits {
	for _, p := range projects {
		l = p.Over(l).Within(l)
	}
	return l
}

// Off reports whether no agents may be started.
func (l Limits) Off() bool { return l.Enabled != nil && !*l.Enabled }

// Save writes l for the subagents of the run that this process holds. The file of a new
// run is empty and is not truncated: ext4 would write a truncated file to the disk when
// it is closed (ext4(5), auto_da_alloc). Most runs have the defaults, which are written
// as no text.
func (l Limits) Save(held *os.File) error {
	if info, err := held.Stat(); err != nil || info.Size() > 0 {
		if err := held.Truncate(0); err != nil {
			return err
		}
	}
	if l == Defaults() {
		return nil
	}
	b, err := json.Marshal(l)
	if err == nil {
		_, err = held.Write(append(b, '\n'))
	}
	return err
}

// Of returns the limits that the run in the folder has left for its subagents. A run that
// left none, such as one of another program, holds them to the defaults.
func Of(dir string) Limits {
	l, base := Limits{}, Defaults()
	b, err := safefile.Read(filepath.Join(dir, runfolder.LockFile), 64<<10)
	if err != nil || json.Unmarshal(b, &l) != nil {
		return base
	}
	return l.Over(base)
}

// Defaults returns the limits of a run that a person starts. Most subtasks take three
// agents, a minute and a tenth of these tokens. A tree that exceeds them has run away.
func Defaults() Limits {
	return Limits{
		MaxDepth: 3, AtOnce: 10, PerParent: 3, PerHour: 100,
		Time: config.Duration(2 * time.Minute), TimeBG: config.Duration(5 * time.Minute),
		TimeMax: config.Duration(10 * time.Minute),
		Tokens:  50_000, TokensMax: 200_000,
	}
}
