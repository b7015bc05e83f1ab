package main

import (
	"reflect"
	"testing"

	"ua/internal/common/confine/layer"
	"ua/internal/common/confine/policy"
)

func TestWire(t *testing.T) {
	in := plan{Level: 4, Path: "/bin/true", Tmp: []string{"/tmp", "/var/tmp"}, TmpDir: "/tmp/tmp", Fds: []int{7}, Ports: []uint16{65535}, Secret: "s", Check: true,
		View: layer.View{Covers: []layer.Cover{{Path: "/a", Kind: layer.Bind, Dir: true, Made: true}, {Path: "/b", Kind: layer.Other, Text: "x\n"}}, PidMax: 301, Terminals: []string{"/dev/tty1"}, OwnProc: true},
		Policy: &policy.Policy{Profile: "workspace", Dir: "/w", Write: []string{"/w", ""}, Grants: []string{"/g"}, Frozen: []string{"/f"}, Masks: []policy.Mask{{Path: "/s", Dir: true, Socket: true}}, Sockets: []string{}, Allow: []string{"a.example"},
			Network: policy.NetOwn, Limits: policy.Limits{Mem: 1 << 40}}}
	var out plan
	if err := unpack(pack(in.carry), out.carry); err != nil || !reflect.DeepEqual(in, out) {
		t.Errorf("%v\n%+v\n%+v", err, in, out)
	}
}

func FuzzWire(f *testing.F) {
	f.Add(pack((&plan{Path: "x", Fds: []int{1}}).carry))
	f.Add([]byte("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var pl plan
		var r report
		_ = unpack(b, pl.carry)
		_ = unpack(b, r.carry)
	})
}

func FuzzParentOf(f *testing.F) {
	f.Add([]byte("12 (a) b) S 7 1 1"))
	f.Fuzz(func(t *testing.T, stat []byte) { parentOf(stat) })
}

func TestParentOf(t *testing.T) {
	for text, want := range map[string]int{"12 (a) S 7 1": 7, "12 (a) R 3 (x) S 8 1": 8, "": 0, "12 (a": 0, "12 (a) S": 0} {
		if got := parentOf([]byte(text)); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}
