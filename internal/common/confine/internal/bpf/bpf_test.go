package bpf

import "testing"

// run evaluates a program over a call's data, as the kernel does
// (Documentation/userspace-api/seccomp_filter.rst).
func run(t *testing.T, code []Instruction, data []uint32) uint32 {
	t.Helper()
	var acc uint32
	for pc := 0; pc < len(code); pc++ {
		switch i := code[pc]; i.Op {
		case opLoad:
			acc = data[i.K/4]
		case opAnd:
			acc &= i.K
		case opJump:
			pc += int(i.K)
		case opEqual:
			pc += jumpBy(i, acc == i.K)
		case opAtLeast:
			pc += jumpBy(i, acc >= i.K)
		case opSet:
			pc += jumpBy(i, acc&i.K != 0)
		case opReturn:
			return i.K
		default:
			t.Fatalf("instruction %d: operation %#x", pc, i.Op)
		}
	}
	t.Fatal("the program runs over its end")
	return 0
}

func jumpBy(i Instruction, yes bool) int {
	if yes {
		return int(i.Jt)
	}
	return int(i.Jf)
}

func TestJumps(t *testing.T) {
	p := New()
	p.Load(Number)
	p.Equal(1, "one")
	p.NotEqual(2, "other")
	p.Load(Arg(0))
	p.AnySet(6, "one")
	p.Load(Arg(1))
	p.And(0xf)
	p.AtLeast(9, "one")
	p.Jump("other")
	p.Label("one")
	p.Return(Errno(1))
	p.Label("other")
	p.Return(Allow)
	code, err := p.Assemble()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		number, first, second uint32
		refused               bool
	}{{1, 0, 0, true}, {2, 0, 0, false}, {2, 2, 0, true}, {2, 1, 0, false}, {2, 0, 0x19, true},
		{2, 0, 0x18, false}, {3, 6, 9, false}} {
		data := []uint32{c.number, 0, 0, 0, c.first, 0, c.second, 0}
		if got := run(t, code, data); (got != Allow) != c.refused {
			t.Errorf("%+v: %#x", c, got)
		}
	}
}

func TestBadJumps(t *testing.T) {
	for name, build := range map[string]func(*Program){
		"nowhere":  func(p *Program) { p.Jump("x"); p.Return(Allow) },
		"backward": func(p *Program) { p.Label("x"); p.Return(Allow); p.Jump("x"); p.Return(Allow) },
		"the end":  func(p *Program) { p.Jump("x"); p.Return(Allow); p.Label("x") },
		"too far": func(p *Program) {
			p.Equal(1, "x")
			for range 300 {
				p.Load(Number)
			}
			p.Label("x")
			p.Return(Allow)
		},
	} {
		p := New()
		build(p)
		if _, err := p.Assemble(); err == nil {
			t.Errorf("a jump %s is taken", name)
		}
	}
}
