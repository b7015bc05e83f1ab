package confine

import (
	"testing"

	"golang.org/x/sys/unix"

	"ua/internal/test/scripttest"
)

func TestJumps(t *testing.T) {
	p := NewAssembly()
	p.Load(CallNumber)
	p.Equal(1, "one")
	p.NotEqual(2, "other")
	p.Load(CallArg(0))
	p.AnySet(6, "one")
	p.Load(CallArg(1))
	p.And(0xf)
	p.AtLeast(9, "one")
	p.Jump("other")
	p.Label("one")
	p.Return(Errno(1))
	p.Label("other")
	p.Return(unix.SECCOMP_RET_ALLOW)
	code, err := p.Assemble()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		number, first, second uint32
		refused               bool
	}{{1, 0, 0, true}, {2, 0, 0, false}, {2, 2, 0, true}, {2, 1, 0, false}, {2, 0, 0x19, true},
		{2, 0, 0x18, false}, {3, 6, 9, false}} {
		got := scripttest.Filter(t, code, 0, c.number, uint64(c.first), uint64(c.second))
		if (got != unix.SECCOMP_RET_ALLOW) != c.refused {
			t.Errorf("%+v: %#x", c, got)
		}
	}
}

func TestBadJumps(t *testing.T) {
	for name, build := range map[string]func(*Assembly){
		"nowhere": func(p *Assembly) { p.Jump("x"); p.Return(unix.SECCOMP_RET_ALLOW) },
		"backward": func(p *Assembly) {
			p.Label("x")
			p.Return(unix.SECCOMP_RET_ALLOW)
			p.Jump("x")
			p.Return(unix.SECCOMP_RET_ALLOW)
		},
		"the end": func(p *Assembly) { p.Jump("x"); p.Return(unix.SECCOMP_RET_ALLOW); p.Label("x") },
		"too far": func(p *Assembly) {
			p.Equal(1, "x")
			for range 300 {
				p.Load(CallNumber)
			}
			p.Label("x")
			p.Return(unix.SECCOMP_RET_ALLOW)
		},
	} {
		p := NewAssembly()
		build(p)
		if _, err := p.Assemble(); err == nil {
			t.Errorf("a jump %s is taken", name)
		}
	}
}
