package syscalls

import (
	"encoding/binary"
	"testing"
)

func sockaddr(family uint16, rest string) []byte {
	return append(binary.NativeEndian.AppendUint16(nil, family), rest...)
}

func TestDecode(t *testing.T) {
	for _, c := range []struct {
		raw  []byte
		want string
	}{
		{sockaddr(2, "\x01\xbb\xc0\x00\x02\x01\x00\x00\x00\x00\x00\x00\x00\x00"), "192.0.2.1:443"},
		{sockaddr(10, "\x00\x50\x00\x00\x00\x00"+
			"\x20\x01\x0d\xb8\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01"), "[2001:db8::1]:80"},
		{sockaddr(10, "\x00\x50\x00\x00\x00\x00"+
			"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xff\xff\x7f\x00\x00\x01"), "127.0.0.1:80"},
		{sockaddr(2, "\x00\x00\xc0\x00\x02\x01\x00\x00\x00\x00\x00\x00\x00\x00"), ""}, // port 0
		{sockaddr(1, "/run/a-socket-of-unix"), ""},
		{sockaddr(0, "\x01\xbb\xc0\x00\x02\x01\x00\x00\x00\x00\x00\x00\x00\x00"), ""},
		{sockaddr(10, "\x00\x50\x00\x00\x00\x00\x20\x01\x0d\xb8\x00\x00\x00\x00"), ""}, // cut
		{sockaddr(2, "\x01"), ""}, {nil, ""},
	} {
		to, ok := decode(c.raw)
		if ok != (c.want != "") || ok && to.String() != c.want {
			t.Errorf("%q: %s, %v", c.raw, to, ok)
		}
	}
}

// FuzzDecode: whatever a process passes is an address or none.
func FuzzDecode(f *testing.F) {
	f.Add(sockaddr(2, "\x01\xbb\xc0\x00\x02\x01\x00\x00\x00\x00\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if to, ok := decode(raw); ok && (!to.IsValid() || to.Port() == 0) {
			t.Errorf("%q: %s", raw, to)
		}
	})
}
