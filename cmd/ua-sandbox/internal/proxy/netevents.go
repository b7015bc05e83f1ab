package proxy

import (
	"cmp"
	"slices"

	"ua/internal/common/event"
)

// A netEvent is what an event of type "net" says, of one request or of several.
type netEvent struct {
	host, method, reason, addr, inject string
	port                               uint16
	denied                             bool
	count, up, down, ms                int64
}

// line returns the event.
func (n *netEvent) line() []byte {
	decision := "allow"
	if n.denied {
		decision = "deny"
	}
	e := event.New("net").Str("host", n.host).Int("port", int64(n.port)).Str("method", n.method).
		Str("decision", decision).OptStr("reason", n.reason).OptStr("addr", n.addr).
		OptStr("inject", n.inject).Int("bytes_up", n.up).Int("bytes_down", n.down).
		Int("duration_ms", n.ms)
	if n.count > 1 {
		e.Int("count", n.count)
	}
	return e.Line()
}

// A netTarget is what requests that one event stands for have in common.
type netTarget struct {
	host   string
	port   uint16
	denied bool
}

// netSums are the requests to each target: all there were, and those not told yet.
type netSums map[netTarget]*netSum

type netSum struct {
	seen int64
	rest netEvent
}

// add takes up a request and returns the event that is due, if there is one.
func (s netSums) add(n netEvent) *netEvent {
	to := netTarget{n.host, n.port, n.denied}
	if s[to] == nil && len(s) >= maxHosts {
		n.host, n.port, n.addr, n.inject = "*", 0, "", ""
		to = netTarget{n.host, n.port, n.denied}
	}
	sum := s[to]
	if sum == nil {
		sum = new(netSum)
		s[to] = sum
	}
	n.count, n.up, n.down, n.ms = sum.rest.count+1, sum.rest.up+n.up, sum.rest.down+n.down,
		sum.rest.ms+n.ms
	sum.seen, sum.rest = sum.seen+1, n
	if sum.seen > maxSingle && n.count < sum.seen/4 {
		return nil
	}
	sum.rest = netEvent{}
	return &n
}

// end returns the events of what is not told yet.
func (s netSums) end() (list []netEvent) {
	for _, sum := range s {
		if sum.rest.count > 0 {
			list = append(list, sum.rest)
			sum.rest = netEvent{}
		}
	}
	slices.SortFunc(list, func(a, b netEvent) int { return cmp.Compare(a.host, b.host) })
	return list
}
