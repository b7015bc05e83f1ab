package main

import (
	"github.com/tidwall/gjson"

	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/common/uaclient"
)

// do runs the turn, and returns why it ended (StopReason).
func (t *turn) do() (any, error) {
	t.s.slot.Lock()
	defer t.s.slot.Unlock()
	if t.ctx.Err() != nil {
		return stopped("cancelled"), nil
	}
	var env []string
	if t.s.run == "" {
		env = []string{"TRACEPARENT=00-" + t.s.id + "-" + t.s.id[:16] + "-01"}
	}
	var err error
	if t.run, err = uaclient.Start(t.s.dir, env, nil, t.command()...); err != nil {
		return nil, err
	}
	t.run.ID = t.s.run
	cancelled := t.ctx.Done()
	for open := true; open; {
		select {
		case line, ok := <-t.run.Events:
			if open = ok; ok {
				t.event(line)
			}
		case <-cancelled:
			cancelled = nil
			t.run.Interrupt()
		}
	}
	for id, c := range t.calls { // what ended with the run
		if !c.over {
			t.update(id, map[string]any{"status": "failed"})
		}
		c.decided()
	}
	t.asks.Wait()
	if t.ctx.Err() != nil {
		return stopped("cancelled"), nil
	}
	if try := t.summary.Get("try"); try.Get("files").Int() > 0 && !try.Get("applied").Bool() {
		t.offer(try.Get("id").String())
	}
	return t.end()
}

// command returns the arguments of ua.
func (t *turn) command() []string {
	args, first := []string{"--json", "-q", "--ask"}, t.s.run == ""
	if first {
		args = append(args, t.a.args...)
	} else {
		args = append([]string{"resume"}, args...)
	}
	args = append(prog.Repeat(append(args, t.options...), "--attach", t.paths), "--")
	if !first {
		args = append(args, t.s.run)
	}
	return append(args, t.text)
}

// stopped returns the answer to a prompt.
func stopped(reason string) any { return map[string]any{"stopReason": reason} }

// end returns how the run has ended. What failed is an error, which editors show.
func (t *turn) end() (any, error) {
	status, said := t.run.End()
	why := t.summary.Get("message").String()
	switch {
	case !t.summary.Exists() && said != "":
		return nil, refuse(internalError, "ua: %s", said)
	case !t.summary.Exists():
		return nil, refuse(internalError, "ua was ended from outside; the next prompt resumes the run")
	case status == prog.Limit:
		t.chunk("agent_message_chunk", "\n\n[ua: "+why+"]")
		return stopped("max_turn_requests"), nil
	case status > 128: // by ua stop
		return stopped("cancelled"), nil
	case status > prog.No || t.stop == "": // at No the answer says why
		return nil, refuse(internalError, "ua: %s", why)
	case t.stop == "max_tokens", t.stop == "refusal":
		return stopped(t.stop), nil
	}
	return stopped("end_turn"), nil
}

// event takes up an event of the run.
func (t *turn) event(line []byte) {
	switch event.Type(line) {
	case "run":
		t.run.ID = event.Str(line, "id")
		t.s.run = t.run.ID
	case "summary":
		t.summary = gjson.ParseBytes(line)
	case "ask":
		t.ask(line)
	case "verdict":
		if c := t.calls[event.Str(line, "call_id")]; c != nil {
			c.decided() // perhaps by somebody else
		}
	case "instruction": // the editor's own
		return
	}
	t.show(line)
}
