package verdict

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func TestScales(t *testing.T) {
	for i, name := range Levels() {
		l, err := ParseLevel(name)
		if err != nil || l != Level(i) || l.String() != name {
			t.Errorf("%s: %v %v", name, l, err)
		}
		if i > 0 && !ProfileFor(l-1).Within(ProfileFor(l)) {
			t.Errorf("%s: its profile is narrower than that of the level below", name)
		}
	}
	if l, err := ParseLevel("wirte"); err == nil || l != Denied {
		t.Errorf("an unknown level is %v, %v", l, err)
	}
	if Profile("wide").Within(ProfileNone) || ProfileNone.Within("wide") ||
		ProfileNetwork.Within(ProfileWorkspace) {
		t.Error("an unknown or wider profile counts as within")
	}
}

// TestText reads and writes the names of levels and profiles, as settings and events have
// them.
func TestText(t *testing.T) {
	for _, name := range append(Levels(), "", "Write", "read-only", "level(1)") {
		var l Level
		err := json.Unmarshal([]byte(`"`+name+`"`), &l)
		if known := slices.Contains(Levels(), name); (err == nil) != known || !known && l != Denied {
			t.Errorf("%q: %v, %v", name, l, err)
		}
		if text, _ := json.Marshal(l); err == nil && string(text) != `"`+name+`"` {
			t.Errorf("%q is written as %s", name, text)
		}
	}
	for _, name := range append(Profiles(), "", "Network", "read_only") {
		p, err := ParseProfile(name)
		known := slices.Contains(Profiles(), name)
		if (err == nil) != known || known && p != Profile(name) {
			t.Errorf("%q: %q, %v", name, p, err)
		}
	}
	for _, l := range []Level{-1, Denied + 1} {
		if text := l.String(); !strings.HasPrefix(text, "level(") {
			t.Errorf("%d: %s", int(l), text)
		}
	}
	Levels()[0], Profiles()[0] = "changed", "changed"
	if Levels()[0] != "read_only" || Profiles()[0] != "read-only" {
		t.Error("who has the names can change them")
	}
}
