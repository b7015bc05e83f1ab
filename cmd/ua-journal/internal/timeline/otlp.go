package timeline

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
	"ua/internal/common/prog"
)

// The parts of an ExportTraceServiceRequest in the JSON of OTLP: IDs in hexadecimal,
// 64-bit numbers as strings (OTLP 1.x, "JSON Protobuf Encoding").
type (
	traces struct {
		ResourceSpans []resourceSpans `json:"resourceSpans"`
	}
	resourceSpans struct {
		Resource   resource     `json:"resource"`
		ScopeSpans []scopeSpans `json:"scopeSpans"`
	}
	resource struct {
		Attributes []attribute `json:"attributes"`
	}
	scopeSpans struct {
		Scope scope      `json:"scope"`
		Spans []otelSpan `json:"spans"`
	}
	scope struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	}
	otelSpan struct {
		TraceID    string      `json:"traceId"`
		SpanID     string      `json:"spanId"`
		ParentID   string      `json:"parentSpanId,omitempty"`
		Name       string      `json:"name"`
		Kind       int         `json:"kind"`
		Start      string      `json:"startTimeUnixNano"`
		End        string      `json:"endTimeUnixNano"`
		Attributes []attribute `json:"attributes,omitempty"`
		Status     *otelStatus `json:"status,omitempty"`
	}
	otelStatus struct {
		Code    int    `json:"code"`
		Message string `json:"message,omitempty"`
	}
	attribute struct {
		Key   string `json:"key"`
		Value value  `json:"value"`
	}
	value struct {
		String *string  `json:"stringValue,omitempty"`
		Int    *string  `json:"intValue,omitempty"`
		Double *float64 `json:"doubleValue,omitempty"`
		Array  *array   `json:"arrayValue,omitempty"`
	}
	array struct {
		Values []value `json:"values"`
	}
)

// Kinds and status of a span (opentelemetry/proto/trace/v1/trace.proto).
const (
	kindInternal = 1
	kindClient   = 3
	statusError  = 2
)

// text returns an attribute with text.
func text(key, s string) attribute { return attribute{key, value{String: &s}} }

// number returns an attribute with a whole number.
func number(key string, n int64) attribute {
	s := strconv.FormatInt(n, 10)
	return attribute{key, value{Int: &s}}
}

// OTLP writes the lanes as spans in one JSON object: a span for each agent, below it its
// turns, and below each turn its model calls and commands. Names follow OpenTelemetry's
// semantic conventions for GenAI. A collector accepts the object at /v1/traces.
func OTLP(w io.Writer, lanes []*Lane) error {
	var spans []otelSpan
	var above []string // the spans of the agents above, by depth
	for _, l := range lanes {
		o := newTrace(l)
		parent := ""
		// Lanes come in the order of the tree, so the last span of a depth is the parent.
		if l.Depth > 0 && l.Depth <= len(above) {
			parent = above[l.Depth-1]
		}
		above = append(above[:min(l.Depth, len(above))], o.agent)
		spans = append(spans, o.spans(parent)...)
	}
	return json.NewEncoder(w).Encode(traces{[]resourceSpans{{
		Resource: resource{[]attribute{text("service.name", "ua"),
			text("service.version", prog.Version())}},
		ScopeSpans: []scopeSpans{{Scope: scope{"ua", prog.Version()}, Spans: spans}},
	}}})
}

// A trace makes the spans of one lane.
type trace struct {
	lane      *Lane
	id, agent string // of the trace, and of the agent's span
}

// newTrace takes the IDs from the run's traceparent (W3C Trace Context), or derives them
// from the ID of the run.
func newTrace(l *Lane) trace {
	if parts := strings.Split(l.Trace, "-"); len(parts) == 4 && isHex(parts[1], 32) &&
		isHex(parts[2], 16) {
		return trace{l, parts[1], parts[2]}
	}
	sum := sha256.Sum256([]byte(l.ID))
	return trace{l, hex.EncodeToString(sum[:16]), hex.EncodeToString(sum[16:24])}
}

// isHex reports whether s is a valid ID of so many digits; all zeros is none.
func isHex(s string, digits int) bool {
	_, err := hex.DecodeString(s)
	return err == nil && len(s) == digits && strings.Trim(s, "0") != ""
}

// spanID returns an ID that is the same every time the same run is exported.
func (o trace) spanID(kind string, n int) string {
	sum := sha256.Sum256([]byte(o.agent + kind + strconv.Itoa(n)))
	return hex.EncodeToString(sum[:8])
}

// span returns a span without status. An unknown time becomes that of the lane's start.
func (o trace) span(id, parent, name string, kind int, start, end time.Time,
	a ...attribute) otelSpan {
	nano := func(t time.Time) string {
		if t.IsZero() {
			t = o.lane.Start
		}
		return strconv.FormatInt(t.UnixNano(), 10)
	}
	return otelSpan{TraceID: o.id, SpanID: id, ParentID: parent, Name: name, Kind: kind,
		Start: nano(start), End: nano(end), Attributes: a}
}

// spans returns the spans of the lane. A turn lasts from its first bar to its last.
func (o trace) spans(parent string) []otelSpan {
	l := o.lane
	name := "invoke_agent"
	if l.Agent != "" {
		name += " " + oneLine(l.Agent, 100)
	}
	agent := o.span(o.agent, parent, name, kindInternal, l.Start, l.End,
		text("gen_ai.operation.name", "invoke_agent"), text("gen_ai.agent.name",
			legible(l.Agent, 100)),
		text("gen_ai.agent.id", legible(l.ID, 100)), text("gen_ai.conversation.id",
			legible(l.ID, 100)),
		text("gen_ai.request.model", legible(l.Model, 200)),
		number("gen_ai.usage.input_tokens", l.TokensIn),
		number("gen_ai.usage.output_tokens", l.TokensOut), number("ua.exit_code", l.Status))
	if l.Status != 0 {
		agent.Status = &otelStatus{Code: statusError,
			Message: "exit status " + strconv.FormatInt(l.Status, 10)}
	}
	list := []otelSpan{agent}
	turns := map[int]int{} // where in list a turn's span is
	for i, b := range l.Bars {
		at, ok := turns[b.Turn]
		if !ok {
			at = len(list)
			turns[b.Turn] = at
			list = append(list, o.span(o.spanID("turn", b.Turn), o.agent,
				"turn "+strconv.Itoa(b.Turn), kindInternal, b.Start, b.End))
		}
		span := o.bar(b, i, list[at].SpanID)
		// A turn has no times of its own; it spans what happened in it.
		list[at].Start, list[at].End = earlier(list[at].Start, span.Start), later(list[at].End,
			span.End)
		list = append(list, span)
	}
	return list
}

// earlier returns the smaller of two times in nanoseconds, written as decimal numbers.
func earlier(a, b string) string {
	if len(b) < len(a) || len(b) == len(a) && b < a {
		return b
	}
	return a
}

// later returns the larger of two such times.
func later(a, b string) string {
	if earlier(a, b) == a {
		return b
	}
	return a
}

// bar returns the span of a model call or a command.
func (o trace) bar(b Bar, n int, turn string) (s otelSpan) {
	if b.Kind == "model" {
		provider, model, _ := strings.Cut(b.Label, "/")
		u := gjson.GetBytes(b.Event, "usage")
		stop := event.Str(b.Event, "stop_reason")
		s = o.span(o.spanID("bar", n), turn, "chat "+oneLine(model, 100), kindClient, b.Start,
			b.End,
			text("gen_ai.operation.name", "chat"), text("gen_ai.provider.name",
				legible(provider, 100)),
			text("gen_ai.request.model", legible(model, 200)),
			text("gen_ai.response.model", legible(model, 200)),
			number("gen_ai.usage.input_tokens",
				u.Get("input").Int()+u.Get("cache_read").Int()+u.Get("cache_write").Int()),
			number("gen_ai.usage.cache_read.input_tokens", u.Get("cache_read").Int()),
			number("gen_ai.usage.output_tokens", u.Get("output").Int()),
			attribute{"gen_ai.response.finish_reasons",
				value{Array: &array{[]value{{String: &stop}}}}})
	} else {
		s = o.span(o.spanID("bar", n), turn, "execute_tool shell", kindInternal, b.Start, b.End,
			text("gen_ai.operation.name", "execute_tool"), text("gen_ai.tool.name", "shell"),
			text("gen_ai.tool.type", "function"),
			text("gen_ai.tool.call.id", legible(b.Call, 200)),
			text("process.command_line", legible(b.Label, 4000)),
			text("ua.level", legible(b.Level, 20)), text("ua.outcome", b.Outcome))
		if code := gjson.GetBytes(b.Event, "exit_code"); code.Exists() {
			s.Attributes = append(s.Attributes, number("process.exit.code", code.Int()))
		}
	}
	if b.Outcome != "done" {
		s.Attributes = append(s.Attributes, text("error.type", b.Outcome))
		s.Status = &otelStatus{Code: statusError, Message: oneLine(b.Note, 200)}
	}
	return s
}
