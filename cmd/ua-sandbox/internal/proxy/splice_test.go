package proxy

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"io"
	"net"
	"testing"
)

// Each direction of a tunnel carries its bytes once and in order, those that
// came with the head too, and ends by itself; the event has their exact number.
func TestSplicedBytes(t *testing.T) {
	const up, down, early = 9<<20 + 1, 5<<20 + 3, 3000
	sent, got := make([]byte, up), make([]byte, down)
	fill(sent, 1)
	fill(got, 2)
	for _, way := range []string{"the client ends first", "the server ends first"} {
		clientFirst := way == "the client ends first"
		received := make(chan [32]byte, 1)
		_, port := bytesServer(t, func(c net.Conn, r *bufio.Reader) {
			answer := func() { c.Write(got); c.(*net.TCPConn).CloseWrite() }
			if !clientFirst {
				answer()
			}
			all, _ := io.ReadAll(r)
			received <- sha256.Sum256(all)
			if clientFirst {
				answer()
			}
		})
		g := start(t, nil, "127.0.0.1:"+port)
		conn, err := net.Dial("tcp", g.addr)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		ask := wire("CONNECT 127.0.0.1:" + port + " HTTP/1.1\nAUTH\n\n")
		conn.Write(append([]byte(ask), sent[:early]...))
		r := bufio.NewReader(conn)
		if status, err := readResponse(r); status != 200 {
			t.Fatal(status, err)
		}
		upload := func() { conn.Write(sent[early:]); conn.(*net.TCPConn).CloseWrite() }
		if clientFirst {
			upload()
		}
		if all, err := io.ReadAll(r); !bytes.Equal(all, got) {
			t.Errorf("%s: %d bytes came down, %v", way, len(all), err)
		}
		if !clientFirst {
			upload()
		}
		if <-received != sha256.Sum256(sent) {
			t.Errorf("%s: other bytes went up", way)
		}
		if e := g.event(t, 1); e.Get("bytes_up").Int() != up || e.Get("bytes_down").Int() != down ||
			e.Get("reason").Exists() {
			t.Errorf("%s: event %s", way, e)
		}
	}
}

// fill writes bytes that do not repeat soon.
func fill(b []byte, seed uint32) {
	for i := range b {
		seed = seed*1664525 + 1013904223
		b[i] = byte(seed >> 24)
	}
}

// A side that vanishes amid a transfer ends the other side, as broken off, and
// the event.
func TestVanish(t *testing.T) {
	for _, gone := range []string{"client", "server"} {
		cut := make(chan error, 1)
		serverGoes := make(chan bool)
		_, port := bytesServer(t, func(c net.Conn, r *bufio.Reader) {
			if gone == "server" {
				c.Write(block)
				<-serverGoes
				c.(*net.TCPConn).SetLinger(0)
				return
			}
			for {
				if _, err := c.Write(block); err != nil {
					cut <- err
					return
				}
			}
		})
		g := start(t, nil, "127.0.0.1:"+port)
		conn, r := g.dialTunnel(t, "127.0.0.1:"+port)
		if _, err := io.CopyN(io.Discard, r, int64(len(block))); err != nil {
			t.Fatal(gone, err)
		}
		if gone == "server" {
			close(serverGoes)
			if n, err := io.Copy(io.Discard, r); err == nil {
				t.Errorf("the client took a cut after %d bytes for an end", n)
			}
		} else {
			conn.Close()
			<-cut
		}
		if e := g.event(t, 1); e.Get("bytes_down").Int() < int64(len(block)) {
			t.Errorf("%s: event %s", gone, e)
		}
	}
}
