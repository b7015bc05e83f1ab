package agentlimits

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"ua/internal/common/config"
	"ua/internal/common/run"
	"ua/internal/common/runfolder"
)

func TestLimits(t *testing.T) {
	r := run.Run{ID: "a", Dir: t.TempDir()}
	if got := Of(r.Dir); got != Defaults() {
		t.Errorf("of none: %+v", got)
	}
	wide := Limits{PerParent: 50, Time: config.Duration(time.Hour), Tokens: 1e6}.Over(Defaults())
	if wide.TimeMax != config.Duration(time.Hour) || wide.TokensMax != 1e6 || wide.AtOnce != 10 {
		t.Errorf("a wish of the user's: %+v", wide)
	}
	if l := (Limits{TimeMax: config.Duration(time.Minute),
		TokensMax: 7}).Over(Defaults()); l.TokensMax != 7 ||
		l.TimeMax != config.Duration(time.Minute) || l.Tokens != 7 || l.TimeBG != l.TimeMax {
		t.Errorf("a limit of the user's below the defaults: %+v", l)
	}
	off := false
	wide.Enabled = &off
	held, err := runfolder.Hold(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range []Limits{Defaults(), wide} {
		if err := l.Save(held); err != nil {
			t.Fatal(err)
		}
	}
	if got := Of(r.Dir); got.PerParent != 50 || got.TokensMax != 1e6 || !got.Off() {
		t.Errorf("as it was left: %+v", got)
	}
	if err := Defaults().Save(held); err != nil || Of(r.Dir) != Defaults() {
		t.Errorf("the defaults in their place: %+v, %v", Of(r.Dir), err)
	}
	if err := wide.Save(held); err != nil {
		t.Fatal(err)
	}
	child := Limits{PerParent: 100, MaxDepth: 9, Tokens: 10}.Over(Defaults()).Within(Of(r.Dir))
	if child.PerParent != 50 || child.MaxDepth != 3 || child.Tokens != 10 || !child.Off() {
		t.Errorf("a child's: %+v", child)
	}
	on := true
	project := Limits{Enabled: &on, PerParent: 2, PerHour: 1000, Time: config.Duration(time.Hour),
		TokensMax: 100}
	l := wide.Narrow([]Limits{project, {PerParent: 3}})
	if l.PerParent != 2 || l.PerHour != 100 || l.Time != wide.Time || l.Tokens != 100 || !l.Off() {
		t.Errorf("a project's: %+v", l)
	}
	os.WriteFile(filepath.Join(r.Dir, runfolder.LockFile), []byte("{"), 0o600)
	if got := Of(r.Dir); got != Defaults() {
		t.Errorf("of junk: %+v", got)
	}
}
