package main

import "ua/internal/common/event"

// answer is the result of a call that was not run.
func answer(c *call, status, why string) []byte {
	return event.New("tool_result").Str("call_id", c.id).Str("output", why).
		Bool("truncated", false).Int("duration_ms", 0).Str("status", status).Line()
}

// result is the result of a command that was run.
func (e *execution) result() []byte {
	text, cut := e.keep.text()
	b := event.New("tool_result").Str("call_id", e.call.id)
	ws := e.ended.status
	if ws.Signaled() {
		b.Int("exit_code", int64(128+ws.Signal())).Str("signal", signalName(ws.Signal()))
	} else {
		b.Int("exit_code", int64(ws.ExitStatus()))
	}
	u := e.ended.usage
	cpu := (u.Utime.Nano() + u.Stime.Nano()) / 1e6
	return b.Str("output", text).Bool("truncated", cut).Int("duration_ms", e.took.Milliseconds()).
		Int("cpu_ms", cpu).Int("bytes", e.keep.seen).Str("profile", string(e.call.profile)).
		Int("level", int64(e.level)).Str("cwd", e.cwd).Str("status", e.status).Line()
}
