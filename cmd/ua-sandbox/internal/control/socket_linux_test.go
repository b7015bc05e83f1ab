package control_test

import (
	"bytes"
	"io"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-sandbox/internal/control"
)

// TestPackets sends packets of all sizes, with descriptors and without: also what is larger than
// the socket takes, as the plan of a command with a large environment.
func TestPackets(t *testing.T) {
	parent, child, err := control.Pair()
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(int(child))
	for _, size := range []int{2, 100, 100_000, 4 << 20} {
		for _, fds := range [][]int{nil, {0}, {0, 1}} {
			sent := bytes.Repeat([]byte{byte(size % 251)}, size)
			if err := parent.Write(sent, fds...); err != nil {
				t.Fatal(size, err)
			}
			got, came, err := child.Read()
			if err != nil || !bytes.Equal(got, sent) || len(came) != len(fds) {
				t.Errorf("%d bytes, %v: %d bytes, %v, %v", size, fds, len(got), came, err)
			}
			for _, fd := range came {
				os.NewFile(uintptr(fd), "").Close()
			}
		}
	}
	unix.Close(int(parent))
	if _, _, err := child.Read(); err != io.EOF {
		t.Error(err)
	}
}
