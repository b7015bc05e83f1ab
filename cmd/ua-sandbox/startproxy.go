package main

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"os"

	"ua/cmd/ua-sandbox/internal/access"
	"ua/cmd/ua-sandbox/internal/eventlog"
	"ua/cmd/ua-sandbox/internal/proxy"
	"ua/internal/common/safefile"
)

// newServer returns the proxy that the policy asks for, with a random secret. Its events
// go to log, which may be nil.
func newServer(p *access.Policy, o *options, log *eventlog.Log) (*proxy.Server, error) {
	allow, err := proxy.ParseAllowlist(p.Allow)
	if err != nil {
		return nil, usage("--net-allow: %w", err)
	}
	if o.netAllowFD >= 0 {
		allow.Follow(os.NewFile(uintptr(o.netAllowFD), "hosts"))
	}
	var secret [16]byte
	rand.Read(secret[:])
	server := &proxy.Server{Allowlist: allow, Secret: hex.EncodeToString(secret[:])}
	for _, item := range p.Inject {
		in, err := proxy.ParseInject(item, os.Getenv)
		if err != nil {
			return nil, usage("--inject: %w", err)
		}
		server.Inject = append(server.Inject, in)
	}
	if log != nil {
		server.Log = log.Write
	}
	return server, nil
}

// openLog opens what gets an event for each request and each protected file: a descriptor
// of the caller's, or a file. It is nil without either.
func openLog(p *access.Policy, o *options) (*eventlog.Log, error) {
	if o.netLogFD >= 0 {
		f := os.NewFile(uintptr(o.netLogFD), "net log")
		if _, err := f.Stat(); err != nil {
			return nil, usage("--net-log-fd %d: %w", o.netLogFD, errors.Unwrap(err))
		}
		return eventlog.New(f, true), nil
	}
	if o.netLog == "" {
		return nil, nil
	}
	if err := p.Steady(o.netLog); err != nil { // this stage writes it, outside
		return nil, usage("--net-log: %w", err)
	}
	f, err := safefile.Append(o.netLog)
	if err != nil {
		return nil, usage("--net-log: %w", err)
	}
	return eventlog.New(f, false), nil
}
