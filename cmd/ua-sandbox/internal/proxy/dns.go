package proxy

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/netip"
	"slices"

	"golang.org/x/net/dns/dnsmessage"
)

// typeHTTPS is the record that browsers ask for besides A (RFC 9460).
const typeHTTPS dnsmessage.Type = 65

// ServeDNS answers on 127.0.0.1:53 inside. An allowed name has one address in
// 127.1.0.0/16, where ServeCapture listens. Any other name does not exist. It returns nil
// when pc is closed.
func (s *Server) ServeDNS(pc net.PacketConn) error {
	if !s.begin(pc) {
		return nil
	}
	defer s.serving.Done()
	b := make([]byte, 4096)
	for {
		n, from, err := pc.ReadFrom(b)
		if errors.Is(err, net.ErrClosed) {
			return nil
		}
		if err != nil {
			return err
		}
		if answer := s.answerDNS(b[:n]); answer != nil {
			pc.WriteTo(answer, from)
		}
	}
}

// ServeDNSTCP is ServeDNS over TCP (RFC 7766).
func (s *Server) ServeDNSTCP(l net.Listener) error {
	return s.each(l, func(c *client) {
		for {
			size, err := c.read(2)
			if err != nil {
				return
			}
			query, err := c.read(int(binary.BigEndian.Uint16(size)))
			if err != nil {
				return
			}
			answer := s.answerDNS(query)
			if answer == nil {
				return
			}
			// Over TCP a message has its length in front (RFC 1035, section 4.2.2).
			answer = slices.Insert(answer, 0, byte(len(answer)>>8), byte(len(answer)))
			if _, err = c.conn.Write(answer); err != nil && err != io.EOF {
				return
			}
		}
	})
}

// answerDNS returns the answer to a query, or nil if the bytes are no query.
func (s *Server) answerDNS(query []byte) []byte {
	var p dnsmessage.Parser
	h, err := p.Start(query)
	if err != nil || h.Response {
		return nil
	}
	reply := dnsmessage.Header{ID: h.ID, Response: true, OpCode: h.OpCode,
		RecursionDesired: h.RecursionDesired, RecursionAvailable: true}
	questions, err := p.AllQuestions()
	switch {
	// Servers and clients in practice use one question (RFC 9619).
	case err != nil || len(questions) != 1:
		reply.RCode = dnsmessage.RCodeFormatError
		return buildDNS(reply, nil, netip.Addr{})
	case h.OpCode != 0:
		reply.RCode = dnsmessage.RCodeNotImplemented
		return buildDNS(reply, nil, netip.Addr{})
	}
	q := questions[0]
	addr, code := s.resolve(q)
	reply.RCode = code
	return buildDNS(reply, &q, addr)
}

// resolve returns the address for the answer, if any, and the response code. An allowed
// name has an answer only for type A; other types exist but are empty.
func (s *Server) resolve(q dnsmessage.Question) (netip.Addr, dnsmessage.RCode) {
	if q.Class != dnsmessage.ClassINET {
		return netip.Addr{}, dnsmessage.RCodeRefused
	}
	h, err := parseHost(q.Name.String())
	if err != nil || h.addr.IsValid() || !s.reaches(h) {
		s.logName(h, q)
		return netip.Addr{}, dnsmessage.RCodeNameError
	}
	if q.Type != dnsmessage.TypeA {
		return netip.Addr{}, dnsmessage.RCodeSuccess
	}
	addr, ok := s.fakes.of(h.name)
	if !ok {
		return netip.Addr{}, dnsmessage.RCodeServerFailure
	}
	return addr, dnsmessage.RCodeSuccess
}

// logName logs a refused name. Resolvers ask for several types at once, of which one is
// logged.
func (s *Server) logName(h host, q dnsmessage.Question) {
	if q.Type == dnsmessage.TypeAAAA || q.Type == typeHTTPS {
		return
	}
	t := (&client{s: s}).trip("DNS")
	t.host, t.port, t.asked = h, 53, q.Name.String()
	t.denied, t.reason = true, "the name is not among the allowed hosts"
	t.log()
}

// buildDNS encodes the message.
func buildDNS(h dnsmessage.Header, q *dnsmessage.Question, addr netip.Addr) []byte {
	m := dnsmessage.Message{Header: h}
	if q != nil {
		m.Questions = []dnsmessage.Question{*q}
	}
	if addr.IsValid() {
		m.Answers = []dnsmessage.Resource{{
			Header: dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class, TTL: 60},
			Body:   &dnsmessage.AResource{A: addr.As4()},
		}}
	}
	b, err := m.Pack()
	if err != nil {
		return nil
	}
	return b
}
