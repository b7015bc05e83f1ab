package verdict

import "testing"

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
