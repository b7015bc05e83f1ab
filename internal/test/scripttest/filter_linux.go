package scripttest

import (
	"encoding/binary"
	"testing"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// Filter runs a seccomp filter over a system call as the kernel does, except for the byte
// order, and returns its answer.
func Filter(t *testing.T, code []unix.SockFilter, arch, nr uint32, args ...uint64) uint32 {
	t.Helper()
	var raw []bpf.RawInstruction
	for _, i := range code {
		raw = append(raw, bpf.RawInstruction{Op: i.Code, Jt: i.Jt, Jf: i.Jf, K: i.K})
	}
	program, ok := bpf.Disassemble(raw)
	vm, err := bpf.NewVM(program)
	if !ok || err != nil {
		t.Fatal(ok, err)
	}
	data := make([]byte, 64) // struct seccomp_data
	binary.BigEndian.PutUint32(data, nr)
	binary.BigEndian.PutUint32(data[4:], arch)
	for i, a := range args {
		binary.BigEndian.PutUint32(data[16+8*i:], uint32(a))
		binary.BigEndian.PutUint32(data[20+8*i:], uint32(a>>32))
	}
	answer, err := vm.Run(data)
	if err != nil {
		t.Fatal(err)
	}
	return uint32(answer)
}
