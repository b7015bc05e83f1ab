package main

import (
	"context"
	"io"
	"os"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ua/internal/common/descriptor"
)

// A patient transport keeps the end of the client's input to itself until the client has all
// its answers: the SDK drops those that are still to come. It ends at once if nobody reads
// them, or if the server waits for an answer that cannot come any more.
type patient struct {
	mcp.Transport
	out *os.File
}

// Connect opens the connection.
func (p patient) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := p.Transport.Connect(ctx)
	return &patience{Connection: c, open: map[jsonrpc.ID]bool{}, changed: make(chan bool, 1),
		gone: unread(p.out), closed: make(chan bool)}, err
}

// A patience is a connection of a patient transport.
type patience struct {
	mcp.Connection
	mu      sync.Mutex
	open    map[jsonrpc.ID]bool // requests of the client
	asked   int                 // those of the server that have no answer
	changed chan bool
	gone    <-chan bool
	closed  chan bool
	once    sync.Once
}

// Read returns the next message.
func (c *patience) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := c.Connection.Read(ctx)
	c.note(m, 1)
	for err == io.EOF && c.waits() {
		select {
		case <-c.changed:
		case <-c.gone:
			return m, err
		case <-c.closed:
			return m, err
		}
	}
	return m, err
}

// Write writes a message.
func (c *patience) Write(ctx context.Context, m jsonrpc.Message) error {
	err := c.Connection.Write(ctx, m)
	c.note(m, -1)
	select {
	case c.changed <- true:
	default:
	}
	return err
}

// Close ends the connection, and a Read that waits.
func (c *patience) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Connection.Close()
}

// note keeps account of a message from the client (1) or to it (-1).
func (c *patience) note(m jsonrpc.Message, from int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch m := m.(type) {
	case *jsonrpc.Request:
		if m.IsCall() && from > 0 {
			c.open[m.ID] = true
		} else if m.IsCall() {
			c.asked++
		}
	case *jsonrpc.Response:
		if from > 0 {
			c.asked--
		} else {
			delete(c.open, m.ID)
		}
	}
}

// waits reports whether the client still waits for an answer that can come.
func (c *patience) waits() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.open) > 0 && c.asked <= 0
}

// unread returns a channel that is closed once nobody reads from the other end of a pipe.
func unread(f *os.File) <-chan bool {
	gone := make(chan bool)
	go func() {
		descriptor.HungUp(f)
		close(gone)
	}()
	return gone
}
