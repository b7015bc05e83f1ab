package secret

import (
	"slices"
	"strings"
	"testing"
)

// Each row says one thing, once, in the form that both programs match by.
func TestPaths(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range Paths() {
		switch name := p.Name; {
		case seen[name]:
			t.Errorf("%s: twice", name)
		case name == "" || strings.HasSuffix(name, "/") || strings.Contains(name, "//") ||
			strings.Contains(name, ".."):
			t.Errorf("%q: no path", name)
		case strings.HasPrefix(name, "/") != p.Absolute:
			t.Errorf("%s: absolute %v", name, p.Absolute)
		case p.Kernel && !p.Absolute || p.Mixed && p.Folder:
			t.Errorf("%+v contradicts itself", p)
		}
		seen[p.Name] = true
	}
	for _, want := range []Path{
		{Name: ".ssh", Folder: true, Anywhere: true}, {Name: ".npmrc", Anywhere: true, Mixed: true},
		{Name: ".docker", Folder: true},
		{Name: "/etc/shadow", Absolute: true}, {Name: "/sys/kernel/debug", Absolute: true, Folder: true,
			Kernel: true},
		{Name: "Library/Application Support/Firefox", Folder: true},
	} {
		if !slices.Contains(Paths(), want) {
			t.Errorf("no %+v", want)
		}
	}
}

// Every name of the part "mixed" is one of the places.
func TestMixed(t *testing.T) {
	marked := 0
	for _, p := range Paths() {
		if p.Mixed {
			marked++
		}
	}
	if want := len(part("mixed")); marked != want {
		t.Errorf("%d of %d are marked", marked, want)
	}
}
