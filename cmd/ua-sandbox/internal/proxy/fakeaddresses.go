package proxy

import (
	"net/netip"
	"sync"
)

// fakes maps names to addresses in 127.1.0.0/16. An address belongs to its name as long
// as the sandbox lives.
type fakes struct {
	mu     sync.Mutex
	names  []string
	number map[string]int
}

// of returns the address of the name. ok is false if there are no more addresses.
func (f *fakes) of(name string) (netip.Addr, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, ok := f.number[name]
	if !ok {
		if len(f.names) == maxFakes {
			return netip.Addr{}, false
		}
		if f.number == nil {
			f.number = map[string]int{}
		}
		f.names = append(f.names, name)
		n = len(f.names)
		f.number[name] = n
	}
	return netip.AddrFrom4([4]byte{127, 1, byte(n >> 8), byte(n)}), true
}

// name returns the host that has this address, or none.
func (f *fakes) name(addr netip.Addr) host {
	if !addr.Is4() {
		return host{}
	}
	b := addr.As4()
	n := int(b[2])<<8 | int(b[3])
	f.mu.Lock()
	defer f.mu.Unlock()
	if b[0] != 127 || b[1] != 1 || n == 0 || n > len(f.names) {
		return host{}
	}
	return host{name: f.names[n-1]}
}
