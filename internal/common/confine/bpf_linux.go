package confine

import (
	"fmt"
	"slices"

	"golang.org/x/sys/unix"
)

// Operations that a seccomp filter needs (linux/bpf_common.h).
const (
	opLoad    = 0x20 // A = data[K], 32 bits
	opAnd     = 0x54 // A &= K
	opJump    = 0x05 // always
	opEqual   = 0x15 // A == K
	opAtLeast = 0x35 // A >= K
	opSet     = 0x45 // A & K != 0
	opReturn  = 0x06
)

// Offsets in struct seccomp_data (seccomp(2)), for little-endian machines.
const (
	CallNumber = 0
	CallArch   = 4
)

// CallArg returns the offset of the low half of argument i. The high half follows it.
func CallArg(i int) uint32 { return uint32(16 + 8*i) }

// Errno returns the answer that makes the call fail with an error number.
func Errno(n int) uint32 { return unix.SECCOMP_RET_ERRNO | uint32(n)&0xffff }

// next is the label of the following instruction.
const next = ""

// A jump is one whose distances are not known yet.
type jump struct {
	at      int
	yes, no string
}

// An Assembly is a classic BPF program that is being assembled, which seccomp(2) runs over the
// number, architecture and arguments of a system call. Jumps go to labels, so nobody counts
// distances.
type Assembly struct {
	code   []unix.SockFilter
	jumps  []jump
	labels map[string]int
}

// NewAssembly returns an empty program.
func NewAssembly() *Assembly {
	return &Assembly{code: make([]unix.SockFilter, 0, 256), jumps: make([]jump, 0, 256),
		labels: make(map[string]int, 64)}
}

// Load loads 32 bits of the call's data into the accumulator.
func (p *Assembly) Load(offset uint32) { p.emit(unix.SockFilter{Code: opLoad, K: offset}) }

// And keeps the bits of the accumulator that are in mask.
func (p *Assembly) And(mask uint32) { p.emit(unix.SockFilter{Code: opAnd, K: mask}) }

// Return ends the program with an answer.
func (p *Assembly) Return(answer uint32) { p.emit(unix.SockFilter{Code: opReturn, K: answer}) }

// Equal jumps to label if the accumulator is k.
func (p *Assembly) Equal(k uint32, label string) { p.branch(opEqual, k, label, next) }

// NotEqual jumps to label if the accumulator is not k.
func (p *Assembly) NotEqual(k uint32, label string) { p.branch(opEqual, k, next, label) }

// AtLeast jumps to label if the accumulator is k or more.
func (p *Assembly) AtLeast(k uint32, label string) { p.branch(opAtLeast, k, label, next) }

// AnySet jumps to label if the accumulator has one of the bits.
func (p *Assembly) AnySet(bits uint32, label string) { p.branch(opSet, bits, label, next) }

// Jump jumps to label.
func (p *Assembly) Jump(label string) { p.branch(opJump, 0, label, label) }

// Label gives the next instruction a name.
func (p *Assembly) Label(name string) { p.labels[name] = len(p.code) }

// emit adds an instruction.
func (p *Assembly) emit(i unix.SockFilter) { p.code = append(p.code, i) }

// branch adds a jump with its two labels.
func (p *Assembly) branch(op uint16, k uint32, yes, no string) {
	p.jumps = append(p.jumps, jump{len(p.code), yes, no})
	p.emit(unix.SockFilter{Code: op, K: k})
}

// Assemble returns the finished program. It is an error if a jump does not lead forward,
// or a conditional one is longer than 255 instructions.
func (p *Assembly) Assemble() ([]unix.SockFilter, error) {
	code := slices.Clone(p.code)
	for _, j := range p.jumps {
		at := j.at
		yes, err := p.distance(at, j.yes)
		if err != nil {
			return nil, err
		}
		if code[at].Code == opJump {
			code[at].K = uint32(yes)
			continue
		}
		no, err := p.distance(at, j.no)
		if err != nil {
			return nil, err
		}
		if yes > 255 || no > 255 {
			return nil, fmt.Errorf("jump at %d to %q%q is too far", at, j.yes, j.no)
		}
		code[at].Jt, code[at].Jf = uint8(yes), uint8(no)
	}
	return code, nil
}

// distance returns how many instructions a jump skips.
func (p *Assembly) distance(from int, label string) (int, error) {
	if label == next {
		return 0, nil
	}
	to, ok := p.labels[label]
	if !ok || to <= from || to >= len(p.code) {
		return 0, fmt.Errorf("jump at %d: label %q is not ahead", from, label)
	}
	return to - from - 1, nil
}
