//go:build linux

package try

import (
	"strings"
	"testing"
)

const meta = `{"version":1,"id":"20261122-000000-aaaaaa","command":["true",{"base64":"/w=="}],` +
	`"cwd":"/w","covers":[{"path":"/w","layer":"layers/0","coarse":false}],` +
	`"began":"1.000000000","xattrs":"user"}`

func TestDecode(t *testing.T) {
	var tr Try
	if err := tr.decode([]byte(meta)); err != nil || tr.Command[1] != "\xff" || tr.Began != 1e9 {
		t.Fatalf("%+v, %v", tr, err)
	}
	for _, bad := range []string{"{}", strings.Replace(meta, `"/w","layer"`, `"w","layer"`, 1),
		strings.Replace(meta, ":1,", ":2,", 1), strings.Replace(meta, "user", "system", 1)} {
		if err := new(Try).decode([]byte(bad)); err == nil {
			t.Errorf("%s: taken", bad)
		}
	}
}

// FuzzDecode: whatever a broken disk makes of try.json, covers are absolute.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(meta))
	f.Fuzz(func(t *testing.T, text []byte) {
		var tr Try
		if tr.decode(text) != nil {
			return
		}
		for _, c := range tr.Covers {
			if !strings.HasPrefix(string(c.Path), "/") {
				t.Fatalf("%q", c.Path)
			}
		}
	})
}
