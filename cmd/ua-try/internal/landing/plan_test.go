//go:build linux

package landing

import (
	"path"
	"path/filepath"
	"strings"
	"testing"
)

const plan = `{"number":1,"areas":["/state/t"]}
{"kind":"replace","cover":0,"path":"a","slot":"layers/0/upper/a",` +
	`"before":{"type":"file","mode":"0644","uid":0,"gid":0,"size":1,` +
	`"mtime":"1.000000000","ctime":"1.000000000","ino":1,"links":1},` +
	`"after":{"type":"file","mode":"0644","uid":0,"gid":0,"size":1,` +
	`"mtime":"1.000000000","ctime":"1.000000000","ino":2,"links":1}}
`

func TestDecode(t *testing.T) {
	p, err := Decode([]byte(plan), 1)
	if err != nil || p.Number != 1 || len(p.Steps) != 1 || p.Steps[0].Kind != Replace ||
		p.Steps[0].After.Ino != 2 {
		t.Fatalf("%+v, %v", p, err)
	}
	for name, bad := range map[string]string{
		"empty":        "",
		"no step":      "{}\n",
		"path out":     strings.Replace(plan, `"path":"a"`, `"path":"../a"`, 1),
		"absolute":     strings.Replace(plan, `"path":"a"`, `"path":"/a"`, 1),
		"slot out":     strings.Replace(plan, "layers/0/upper/a", "layers/../../a", 1),
		"other cover":  strings.Replace(plan, `"cover":0`, `"cover":1`, 1),
		"unknown kind": strings.Replace(plan, "replace", "chmod", 1),
		"no before":    strings.Replace(plan, `"before"`, `"was"`, 1),
		"area":         strings.Replace(plan, "/state/t", "t", 1),
	} {
		if _, err := Decode([]byte(bad), 1); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}

// FuzzDecode: whatever a broken disk makes of a plan, no step leads out of its
// folder.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(plan), 1)
	f.Fuzz(func(t *testing.T, text []byte, covers int) {
		p, err := Decode(text, covers)
		if err != nil {
			return
		}
		for _, s := range p.Steps {
			for _, rel := range []string{string(s.Path), string(s.Slot), string(s.Link)} {
				if rel != "" && !strings.HasPrefix(path.Join("/top", rel), "/top") || filepath.IsAbs(rel) {
					t.Fatalf("%q", rel)
				}
			}
			if s.Cover < 0 || s.Cover >= covers {
				t.Fatal(s.Cover)
			}
		}
	})
}
