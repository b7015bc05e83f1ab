// Package spans exports what a run and its subagents did to OpenTelemetry: a span for each
// agent, below it its turns, and below each turn its model calls and commands. Names follow
// the semantic conventions for GenAI.
package spans

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"path/filepath"

	"ua/cmd/ua-journal/internal/store"
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

// maxDepth is how many levels of subagents are followed.
const maxDepth = 16

// Write writes the spans of the runs with the journals at paths, and of their subagents, as
// one ExportTraceServiceRequest. A collector accepts the object at /v1/traces. bad is called
// with a line that is no event, and with a subagent's journal that cannot be read.
func Write(w io.Writer, paths []string, bad func(path string) func(error)) error {
	list := []span{}
	for _, path := range paths {
		var err error
		if list, err = add(list, path, "", 0, bad); err != nil {
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

// add adds the spans of one agent, and then those of its subagents, oldest first.
func add(list []span, path, parent string, depth int,
	bad func(path string) func(error)) ([]span, error) {
	j, size, err := store.Open(path)
	if err != nil {
		return nil, err
	}
	defer j.Close()
	a := agent{calls: map[string]*call{}, exit: -1}
	if err := store.Each(j, size, bad(path), a.event); err != nil {
		return nil, err
	}
	list = append(list, a.spans(parent)...)
	children, err := run.Run{Dir: filepath.Dir(path)}.Children()
	if err != nil || depth == maxDepth {
		return list, err
	}
	for i := len(children) - 1; i >= 0; i-- {
		below := children[i].Journal()
		more, err := add(list, below, a.span, depth+1, bad)
		if err == nil {
			list = more
		} else if !errors.Is(err, fs.ErrNotExist) {
			bad(below)(err)
		}
	}
	return list, nil
}
