// Package otlp exports what a run and its subagents did to OpenTelemetry: a span for each
// agent, below it its turns, and below each turn its model calls and commands. Names follow
// the semantic conventions for GenAI.
package otlp

import (
	"encoding/json"
	"io"
	"path/filepath"

	"ua/cmd/ua-journal/internal/store"
	"ua/internal/common/journal"
	"ua/internal/common/prog"
	"ua/internal/common/run"
)

// A span is one in the JSON of OTLP: IDs are in hexadecimal, 64-bit numbers are strings
// (OTLP 1.x, "JSON Protobuf Encoding").
type span struct {
	TraceID    string      `json:"traceId"`
	SpanID     string      `json:"spanId"`
	ParentID   string      `json:"parentSpanId,omitempty"`
	Name       string      `json:"name"`
	Kind       int         `json:"kind"`
	Start      int64       `json:"startTimeUnixNano,string"`
	End        int64       `json:"endTimeUnixNano,string"`
	Attributes []attribute `json:"attributes,omitempty"`
	Status     *status     `json:"status,omitempty"`
}

// An attribute is a name with a value, whose only member names its type.
type attribute struct {
	Key   string         `json:"key"`
	Value map[string]any `json:"value"`
}

// A status is how a span has ended, if that was no success.
type status struct {
	Code    int    `json:"code"`
	Message string `json:"message,omitempty"`
}

// Kinds and status of a span (opentelemetry/proto/trace/v1/trace.proto).
const (
	kindInternal = 1
	kindClient   = 3
	statusError  = 2
)

// Write writes the spans of the runs with the journals at paths as one
// ExportTraceServiceRequest. A collector accepts the object at /v1/traces. The spans of a
// subagent lie below those of its run, if that stands before it. bad is called with a line that
// is no event, and with such a subagent's journal that cannot be read.
func Write(w io.Writer, paths []string, bad func(path string) func(error)) error {
	list, agents := []span{}, map[string]string{} // the span of the agent in each folder
	for _, path := range paths {
		r := run.Run{Dir: filepath.Dir(path)}
		above, _ := r.Above()
		a, err := read(path, bad(path))
		parent, below := agents[above.Dir]
		switch {
		case err == nil:
			list = append(list, a.spans(parent)...)
			agents[r.Dir] = a.span
		case below:
			bad(path)(err)
		default:
			return err
		}
	}
	type object = map[string]any
	return json.NewEncoder(w).Encode(object{"resourceSpans": []object{{
		"resource": object{"attributes": []attribute{text("service.name", "ua"),
			text("service.version", prog.Version())}},
		"scopeSpans": []object{{
			"scope": object{"name": "ua", "version": prog.Version()}, "spans": list}},
	}}})
}

// read reads what an agent did.
func read(path string, bad func(error)) (*agent, error) {
	j, size, err := store.Open(path)
	if err != nil {
		return nil, err
	}
	defer j.Close()
	a := &agent{calls: map[string]*call{}, exit: -1}
	return a, journal.Each(j, size, bad, a.event)
}
