package proxy

import (
	"cmp"
	"slices"

	"ua/internal/common/event"
)

// A netEvent is the content of an event of type "net", about one request or several.
type netEvent struct {
	host, method, reason, addr, inject string
	port                               uint16
	denied                             bool
	count, up, down, ms                int64
}

// line returns the event (ua-events(5), net).
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

// A netTarget is what the requests in one event have in common.
type netTarget struct {
	host   string
	port   uint16
	denied bool
}

// netSums holds the requests for each target: how many there were, and those not yet
// reported.
type netSums map[netTarget]*netSum

// A netSum counts the requests to one target, and adds up those not reported yet.
type netSum struct {
	seen int64
	rest netEvent
}

// maxSingle is how many requests to one host get an event each. After those, one event
// stands for a quarter of all so far, and the last one for the rest. A command can make a
// million requests, and every event is kept in a journal.
const maxSingle = 128

// maxHosts is how many hosts are counted separately. All others are one, called "*".
const maxHosts = 512

// add takes in a request and returns the event that is due, or nil. The first requests to
// a target have one event each; later ones are added up, so that events stay few.
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

// end returns the events for what has not been reported yet.
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
