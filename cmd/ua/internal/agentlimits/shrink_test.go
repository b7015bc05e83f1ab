package agentlimits

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"ua/internal/common/config"
	"ua/internal/common/run"
	"ua/internal/common/runfolder"
)

// some are limits by chance, of which many are not set.
func some(r *rand.Rand) (l Limits) {
	number := func(most int) int {
		if r.IntN(2) == 0 {
			return 0
		}
		return 1 + r.IntN(most)
	}
	l.MaxDepth, l.AtOnce, l.PerParent, l.PerHour = number(9), number(40), number(20), number(500)
	for _, d := range []*config.Duration{&l.Time, &l.TimeBG, &l.TimeMax} {
		*d = config.Duration(time.Duration(number(3600)) * time.Second)
	}
	l.Tokens, l.TokensMax = int64(number(1e6)), int64(number(1e6))
	if on := r.IntN(2) == 0; r.IntN(3) == 0 {
		l.Enabled = &on
	}
	return l
}

// wider returns the name of a limit of a that is above b's, "" for none.
func wider(a, b Limits) string {
	for _, c := range []struct {
		name string
		a, b int64
	}{
		{"max_agent_depth", int64(a.MaxDepth), int64(b.MaxDepth)},
		{"at_once", int64(a.AtOnce), int64(b.AtOnce)},
		{"per_parent", int64(a.PerParent), int64(b.PerParent)},
		{"per_hour", int64(a.PerHour), int64(b.PerHour)},
		{"time", int64(a.Time), int64(b.Time)},
		{"time_background", int64(a.TimeBG), int64(b.TimeBG)},
		{"time_max", int64(a.TimeMax), int64(b.TimeMax)},
		{"tokens", a.Tokens, b.Tokens},
		{"tokens_max", a.TokensMax, b.TokensMax},
	} {
		if c.a > c.b {
			return c.name
		}
	}
	if b.Off() && !a.Off() {
		return "enabled"
	}
	return ""
}

// TestOnlyShrink: "A subagent inherits them from its parent; a value above the parent's is
// reduced to the parent's" (ua-config(5)), and projects "can only narrow the user's settings",
// whatever both ask for, over generations, and as they are left in a run's folder.
func TestOnlyShrink(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 11))
		user := some(r).Over(Defaults())
		l := user.Narrow([]Limits{some(r), some(r)})
		if name := wider(l, user); name != "" {
			t.Fatalf("seed %d: projects raise %s: %+v of %+v", seed, name, l, user)
		}
		home := run.Run{ID: "a", Dir: t.TempDir()}
		held, err := runfolder.Hold(home)
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Save(held); err != nil {
			t.Fatal(err)
		}
		if back := Of(home.Dir); wider(back, l) != "" || wider(l, back) != "" {
			t.Fatalf("seed %d: %+v is left as %+v", seed, l, back)
		}
		held.Close()
		for range 3 { // generations
			child := some(r).Over(Defaults()).Within(l)
			if name := wider(child, l); name != "" {
				t.Fatalf("seed %d: a child raises %s: %+v of %+v", seed, name, child, l)
			}
			l = child
		}
		if l.Time > l.TimeMax || l.TimeBG > l.TimeMax || l.Tokens > l.TokensMax {
			t.Fatalf("seed %d: a default is above its most: %+v", seed, l)
		}
	}
}

// FuzzOf: whatever stands in a run's file of limits, its subagents are held to some.
func FuzzOf(f *testing.F) {
	for _, seed := range []string{
		"", "{}", `{"max_depth":9,"at_once":-5,"time":"1h"}`, `{"enabled":null,"tokens":1e99}`,
		"\x00", `[1]`, `{"time":-1,"time_max":"x"}`, `{"MAX_DEPTH":7}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, runfolder.LockFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		l := Of(dir)
		if l.MaxDepth == 0 || l.AtOnce == 0 || l.PerParent == 0 || l.PerHour == 0 ||
			l.TimeMax == 0 || l.TokensMax == 0 || l.Time > l.TimeMax || l.Tokens > l.TokensMax {
			t.Fatalf("%q: no limit: %+v", text, l)
		}
	})
}
