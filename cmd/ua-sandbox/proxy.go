package main

import (
	"crypto/rand"
	"encoding/hex"
	"os"
	"path/filepath"

	"ua/cmd/ua-sandbox/internal/proxy"
	"ua/internal/common/config"
	"ua/internal/common/confine/policy"
)

// newServer is the proxy that the policy asks for, with a secret of its own.
func newServer(p *policy.Policy, o *options) (*proxy.Server, error) {
	allow, err := proxy.ParsePolicy(p.Allow)
	if err != nil {
		return nil, usage("--net-allow: %w", err)
	}
	var secret [16]byte
	rand.Read(secret[:])
	server := &proxy.Server{Policy: allow, Secret: hex.EncodeToString(secret[:])}
	for _, item := range p.Inject {
		in, err := proxy.ParseInject(item, os.Getenv)
		if err != nil {
			return nil, usage("--inject: %w", err)
		}
		server.Inject = append(server.Inject, in)
	}
	if o.netLog != "" {
		if err := p.Steady(o.netLog); err != nil { // this stage writes it, outside
			return nil, usage("--net-log: %w", err)
		}
	}
	log, err := openLog(o.netLog)
	if err != nil {
		return nil, usage("--net-log: %w", err)
	}
	if log != nil {
		server.Log = func(line []byte) { log.Write(append(line, '\n')) }
	}
	return server, nil
}

// openLog opens the file that gets an event for each request: the one asked for,
// or net.jsonl in the run's folder, or the user's audit log if there is one. Nil
// is nowhere.
func openLog(path string) (*os.File, error) {
	asked := path != ""
	if dir := os.Getenv("UA_RUN_DIR"); path == "" && dir != "" {
		path = filepath.Join(dir, "net.jsonl")
	}
	if path == "" {
		if path = os.Getenv("UA_AUDIT"); path == "" {
			path = filepath.Join(config.StateDir(), "audit.jsonl")
		}
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil && !asked {
		return nil, nil
	}
	return f, err
}
