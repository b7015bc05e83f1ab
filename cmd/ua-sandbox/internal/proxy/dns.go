package proxy

import (
	"errors"
	"hash/fnv"
	"net"

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

// answerDNS returns the answer to a query, or nil if the bytes are no query.
func (s *Server) answerDNS(query []byte) []byte {
	var p dnsmessage.Parser
	h, err := p.Start(query)
	if err != nil || h.Response {
		return nil
	}
	m := dnsmessage.Message{Header: dnsmessage.Header{ID: h.ID, Response: true, OpCode: h.OpCode,
		RecursionDesired: h.RecursionDesired, RecursionAvailable: true}}
	questions, err := p.AllQuestions()
	switch {
	// Servers and clients in practice use one question (RFC 9619).
	case err != nil || len(questions) != 1:
		m.RCode = dnsmessage.RCodeFormatError
	case h.OpCode != 0:
		m.RCode = dnsmessage.RCodeNotImplemented
	default:
		m.Questions = questions
		m.RCode, m.Answers = s.resolve(questions[0])
	}
	b, err := m.Pack()
	if err != nil {
		return nil
	}
	return b
}

// resolve returns the response code and the answer. An allowed name has an answer only for
// type A; other types exist but are empty.
func (s *Server) resolve(q dnsmessage.Question) (dnsmessage.RCode, []dnsmessage.Resource) {
	if q.Class != dnsmessage.ClassINET {
		return dnsmessage.RCodeRefused, nil
	}
	h, err := parseHost(q.Name.String())
	if err != nil || h.addr.IsValid() || !s.Allowlist.names(h) && injection(s.Inject, h, 80) == nil {
		s.logName(h, q)
		return dnsmessage.RCodeNameError, nil
	}
	if q.Type != dnsmessage.TypeA {
		return dnsmessage.RCodeSuccess, nil
	}
	return dnsmessage.RCodeSuccess, []dnsmessage.Resource{{
		Header: dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class, TTL: 60},
		Body:   &dnsmessage.AResource{A: standIn(h.name)},
	}}
}

// standIn returns the address that stands for a name. Nothing is read from it: Host and the
// TLS server name say where a connection goes. That most names have one of their own keeps a
// browser from using one connection for two hosts.
func standIn(name string) [4]byte {
	sum := fnv.New32a()
	sum.Write([]byte(name))
	n := sum.Sum32()
	return [4]byte{127, 1, byte(n >> 8), byte(n)%254 + 1}
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
