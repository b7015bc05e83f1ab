package main

import (
	"context"
	"sync"

	"github.com/tidwall/gjson"

	"ua/internal/common/prog"
	"ua/internal/common/uaclient"
)

// An agent is what the editor talks to. The connection calls handle for one message after the
// other; only prompts are answered later.
type agent struct {
	env      *prog.Env
	args     []string // options of ua, for each new run
	files    string   // the folder of attachments
	ctx      context.Context
	conn     *connection
	sessions map[string]*session
}

// A session is a conversation of the editor: a run of ua, which its first prompt starts and
// the others resume. Its ID is that of the run's trace, which the run event keeps, because an
// editor wants it before there is anything to do, and a run has none before.
type session struct {
	id, dir string
	mode    mode
	ctx     context.Context // of its prompts
	cancel  func()
	slot    sync.Mutex // held by the prompt that runs
	run     string     // the run's ID, "" before there is one
}

// A mode is options of ua for the next prompt. A run keeps those with which it began, so the
// first mode needs none.
type mode struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Description string   `json:"description"`
	options     []string // of ua
}

// A turn is one prompt: ua runs until it has its answer, and what it prints becomes updates.
type turn struct {
	a       *agent
	s       *session
	ctx     context.Context
	options []string

	text  string   // of the prompt
	paths []string // of its attachments

	run      *uaclient.Run
	calls    map[string]*call
	streamed bool   // the answer of the model has come in deltas
	stop     string // why the model stopped last
	summary  gjson.Result
	asks     sync.WaitGroup // questions to the editor's person
}

// A call is a tool call that the editor has been told of.
type call struct {
	over    bool
	decided func() // takes back the question about it, if there is one
}

// update tells the editor of a session's progress.
func (a *agent) update(id, kind string, fields map[string]any) {
	fields["sessionUpdate"] = kind
	a.conn.notify("session/update", map[string]any{"sessionId": id, "update": fields})
}

// update tells of a call.
func (t *turn) update(id string, fields map[string]any) {
	fields["toolCallId"] = id
	t.a.update(t.s.id, "tool_call_update", fields)
}
