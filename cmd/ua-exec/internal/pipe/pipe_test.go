package pipe

import (
	"io"
	"slices"
	"syscall"
	"testing"
)

func TestPut(t *testing.T) {
	const none = ^uintptr(0)
	f := Files{7, 8, 9}
	for _, c := range []struct {
		fd   int
		want Files
	}{
		{1, Files{7, 1, 9}},
		{3, Files{7, 1, 9, 1}},
		{6, Files{7, 1, 9, 1, none, none, 1}},
		{4, Files{7, 1, 9, 1, 1, none, 1}},
	} {
		if f = f.Put(c.fd, 1); !slices.Equal(f, c.want) {
			t.Errorf("descriptor %d: %v", c.fd, f)
		}
	}
}

// A new pipe can be read by the poller, and is closed on exec at both ends.
func TestNew(t *testing.T) {
	r, w, err := New()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, fd := range []int{int(r.Fd()), w} {
		flags, _, errno := syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), syscall.F_GETFD, 0)
		if errno != 0 || flags&syscall.FD_CLOEXEC == 0 {
			t.Errorf("descriptor %d: flags %d, %v", fd, flags, errno)
		}
	}
	syscall.Write(w, []byte("abc"))
	theirs := Ends{}
	theirs.Add(Descriptor(w))
	theirs.Close()
	if text, err := io.ReadAll(r); string(text) != "abc" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
}
