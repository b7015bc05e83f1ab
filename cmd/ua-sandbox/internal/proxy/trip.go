package proxy

import (
	"context"
	"errors"
	"io"
	"net"
	"sync/atomic"
	"syscall"
	"time"
)

// A trip is the way of one request, with what is logged about it.
type trip struct {
	*client
	start    time.Time
	method   string
	host     host
	port     uint16
	asked    string // the target as the client wrote it, while there is no host
	addr     string
	up, down atomic.Int64
	denied   bool
	logged   bool
	reason   string
	inject   string // the header that went in
}

// trip returns the trip of a client's request, which begins now.
func (c *client) trip(method string) *trip {
	return &trip{client: c, start: time.Now(), method: method}
}

// log writes the event of the trip, once. It comes before the client is told of a
// refusal, so that whoever sees the refusal finds the event. Some events stand for
// several requests to the same host.
func (t *trip) log() {
	if t.logged {
		return
	}
	t.logged = true
	if t.denied && t.host != (host{}) {
		t.s.refused.add(t.host.String(), t.port, t.reason)
	}
	if t.s.Log == nil {
		return
	}
	name := t.asked
	if t.host != (host{}) {
		name = t.host.String()
	}
	n := netEvent{
		host: name[:min(len(name), 255)], port: t.port, method: t.method[:min(len(t.method), 40)],
		denied: t.denied, reason: t.reason[:min(len(t.reason), 300)], // it may quote the client
		addr: t.addr, inject: t.inject,
		up: t.up.Load(), down: t.down.Load(), ms: time.Since(t.start).Milliseconds(),
	}
	t.s.logging.Lock()
	defer t.s.logging.Unlock()
	if t.s.sums == nil {
		t.s.sums = netSums{}
	}
	if due := t.s.sums.add(n); due != nil {
		t.s.Log(due.line())
	}
}

// note records why the trip failed.
func (t *trip) note(err error) {
	var no *refusal
	t.denied = errors.As(err, &no)
	t.reason = cause(err)
}

// ended records why bytes stopped flowing. That one side just closed the connection is
// usual, and no reason.
func (t *trip) ended(err error) {
	if err != nil && !errors.Is(err, syscall.ECONNRESET) && !errors.Is(err, syscall.EPIPE) &&
		!errors.Is(err, net.ErrClosed) {
		t.note(err)
	}
}

// cause returns the text of err without the addresses that package net puts in front.
func cause(err error) string {
	var op *net.OpError
	for errors.As(err, &op) {
		err = op.Err
	}
	return err.Error()
}

// hold closes the connection to the server when the Server is closed, or when release is
// called.
func (t *trip) hold(up net.Conn) (release func()) {
	stop := context.AfterFunc(t.ctx, func() { up.Close() })
	return func() {
		stop()
		up.Close()
	}
}

// dial connects the trip to its host.
func (t *trip) dial() (net.Conn, error) {
	up, err := t.s.dial(t.ctx, t.host, t.port)
	if err == nil {
		t.addr = up.RemoteAddr().(*net.TCPAddr).IP.String()
	}
	return up, err
}

// errGone is the error for a client that has closed its connection.
var errGone = errors.New("the client went away")

// clientGone reports whether reading from a client failed because the client has ended.
func clientGone(err error) bool {
	var op *net.OpError
	reset := errors.As(err, &op) && op.Op == "read" && errors.Is(err, syscall.ECONNRESET)
	return reset || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}
