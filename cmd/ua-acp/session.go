package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/runfolder"
	"ua/internal/common/style"
)

// modes returns the modes, of which a session has the first.
func modes() []mode {
	return []mode{
		{"default", "Default", "As the session began: by ua's settings and options", nil},
		{"read-only", "Read only", "Commands can write nothing and have no network",
			[]string{"--profile", "read-only"}},
		{"workspace", "Workspace", "Commands write in the folder and have no network",
			[]string{"--profile", "workspace"}},
		{"network", "Network", "Commands also reach the allowed hosts",
			[]string{"--profile", "network"}},
		{"try", "Try", "What commands change is kept apart until you apply it",
			[]string{"--try"}},
	}
}

// handle takes up a message (https://agentclientprotocol.com/protocol/overview).
func (a *agent) handle(method string, params gjson.Result, answer func(any, error)) {
	id := params.Get("sessionId").String()
	switch method {
	case "initialize":
		answer(map[string]any{"protocolVersion": 1, "authMethods": []any{},
			"agentInfo": map[string]any{"name": "ua", "title": "ua", "version": prog.Version()},
			"agentCapabilities": map[string]any{"loadSession": true,
				"promptCapabilities":  map[string]any{"image": true, "embeddedContext": true},
				"sessionCapabilities": map[string]any{"resume": struct{}{}}}}, nil)
	case "session/new":
		var trace [16]byte // an ID of W3C Trace Context
		rand.Read(trace[:])
		answer(a.open(hex.EncodeToString(trace[:]), "", params))
	case "session/load", "session/resume":
		answer(a.load(id, params, method == "session/load"))
	case "session/set_mode", "session/prompt", "session/cancel":
		if s := a.sessions[id]; s != nil {
			a.within(s, method, params, answer)
		} else {
			answer(nil, refuse(invalidParams, "%.40q: no such session here", id))
		}
	default:
		answer(nil, refuse(unknownMethod, "%.80q: no such method", method))
	}
}

// within takes up a message about an open session.
func (a *agent) within(s *session, method string, params gjson.Result, answer func(any, error)) {
	switch method {
	case "session/set_mode":
		id := params.Get("modeId").String()
		i := slices.IndexFunc(modes(), func(m mode) bool { return m.ID == id })
		if i < 0 {
			answer(nil, refuse(invalidParams, "%.40q: no such mode", id))
			return
		}
		s.mode = modes()[i]
	case "session/prompt":
		t := &turn{a: a, s: s, ctx: s.ctx, options: s.mode.options, calls: map[string]*call{}}
		if err := t.read(params.Get("prompt")); err != nil {
			answer(nil, err)
			return
		}
		go func() { answer(t.do()) }()
		return
	case "session/cancel":
		s.cancel()
		s.ctx, s.cancel = context.WithCancel(a.ctx)
	}
	answer(struct{}{}, nil)
}

// open opens a session in a folder of the editor's. A run that goes on stays in its own.
func (a *agent) open(id, runID string, params gjson.Result) (any, error) {
	dir := params.Get("cwd").String()
	if info, err := os.Stat(dir); err != nil || !filepath.IsAbs(dir) || !info.IsDir() {
		return nil, refuse(invalidParams, "cwd: %.200q is no folder", dir)
	}
	if n := len(params.Get("mcpServers").Array()); n > 0 {
		a.env.Warnf("the editor's %s left out: [mcp.NAME] in ua's settings names servers",
			style.Plural(int64(n), "MCP server"))
	}
	if old := a.sessions[id]; old != nil {
		old.cancel()
	}
	s := &session{id: id, dir: dir, run: runID, mode: modes()[0]}
	s.ctx, s.cancel = context.WithCancel(a.ctx)
	a.sessions[id] = s
	return map[string]any{"sessionId": id,
		"modes": map[string]any{"currentModeId": s.mode.ID, "availableModes": modes()}}, nil
}

// load opens the session of a run that goes on, and perhaps shows what was said in it.
func (a *agent) load(id string, params gjson.Result, shows bool) (any, error) {
	r, ok := find(id)
	if !ok {
		return nil, refuse(invalidParams, "%.40q: no such session", id)
	}
	result, err := a.open(id, r.ID, params)
	if err == nil && shows {
		err = a.replay(id, r)
	}
	return result, err
}

// find returns the run of a session, the newest if runs share a trace. An ID of a run is one
// of a session, too.
func find(id string) (run.Run, bool) {
	if runfolder.IsID(id) {
		r, err := runfolder.Find(run.Root(), id)
		return r, err == nil
	}
	all, _ := run.List(run.Root())
	for _, r := range all {
		parts := strings.Split(event.Str(runfolder.Begin(r), "traceparent"), "-")
		if len(parts) == 4 && parts[1] == id {
			return r, true
		}
	}
	return run.Run{}, false
}
