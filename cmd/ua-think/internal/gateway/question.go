package gateway

import (
	"errors"
	"io"
	"net/http"
	"path"
	"strings"
	"time"
	"ua/cmd/ua-think/internal/budget"
	"unicode/utf8"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	"ua/cmd/ua-think/internal/jsontext"
	"ua/cmd/ua-think/internal/provider"
	"ua/cmd/ua-think/internal/usage"
)

// A question is a request to the model that was inspected.
type question struct {
	budget.Question
	model  provider.Model
	body   []byte
	stream bool
	limit  string // the member that bounds the answer's tokens
}

// read reads the body of a request, limited in time and in memory. The memory is that of
// all requests together.
func (g *Gateway) read(x *exchange) *refusal {
	control := http.NewResponseController(x.w)
	control.SetReadDeadline(time.Now().Add(bodyTime))
	piece := make([]byte, 32<<10)
	for {
		n, err := x.r.Body.Read(piece)
		x.body = append(x.body, piece[:n]...)
		switch fits := g.bodies.add(x.client, n); {
		case len(x.body) > maxBody:
			// Most clients look for an answer only when they have sent all.
			io.CopyN(io.Discard, x.r.Body, maxBody)
			return refuse(reasonSize, "the request is longer than %d MiB", maxBody>>20)
		case !fits:
			return refuse(reasonBusy, "the requests being answered already take too much memory")
		case errors.Is(err, io.EOF):
			control.SetReadDeadline(time.Time{})
			return nil
		case err != nil:
			return refuse(reasonForm, "the request is incomplete")
		}
	}
}

// inspect examines a question: which model it asks, what it can cost, and whether the
// provider can answer it alone.
func (g *Gateway) inspect(m provider.Model, body []byte) (*question, *refusal) {
	if !jsontext.Valid(body) || !gjson.ParseBytes(body).IsObject() {
		return nil, refuse(reasonForm, "the request is not a JSON object")
	}
	root := gjson.ParseBytes(body)
	// The provider's reader may take another of two members than this one.
	if key, is := ambiguous(root); is {
		return nil, refuse(reasonForm, "the request has more than one %q, or one not in small letters",
			word(key))
	}
	if member := dearer(root); member != "" {
		return nil, refuse(reasonForm, "this gateway does not pass on %s: they would escape the budget",
			member)
	}
	name := root.Get("model")
	if name.Type != gjson.String || name.Str == "" {
		return nil, refuse(reasonForm, "the request names no model")
	}
	m.Name = name.Str
	if !g.allows(m.Name) {
		return nil, refuse(reasonModel, "this gateway does not pass on questions to %s",
			word(m.Name))
	}
	stream := root.Get("stream")
	q := &question{model: m, body: body, stream: m.Streams(stream.Exists(), stream.Bool())}
	q.Spec = m.Spec()
	if p, ok := usage.PriceOf(m.Spec(), g.Prices); ok {
		q.Price = &p
	}
	q.limit = m.Limits()[0]
	// The first limit that the request sets is the one to lower.
	for _, path := range m.Limits() {
		if v := root.Get(path); v.Type == gjson.Number && v.Int() > 0 {
			q.limit, q.Answer = path, v.Int()
			break
		}
	}
	if at := m.ThinkingLimit(); at != "" {
		q.Thinking = root.Get(at).Int()
	}
	var c content
	c.walk(root)
	q.Prompt = c.tokens()
	if !g.Hosted {
		if what := c.hosted(m, root); what != "" {
			return nil, refuse(reasonHosted, "this gateway does not let the provider %s", what)
		}
	}
	return q, nil
}

// allows reports whether a model may be asked.
func (g *Gateway) allows(name string) bool {
	for _, pattern := range append([]string{g.Model.Name}, g.Allow...) {
		if ok, _ := path.Match(pattern, name); ok || pattern == name {
			return true
		}
	}
	return false
}

// dearer returns a member of the request that makes it cost more than its tokens suggest:
// several answers, a faster service, a place that costs more, or other models that answer
// in place of the one that it names. It is "" if there is none.
func dearer(root gjson.Result) string {
	for _, member := range []string{"models", "fallbacks"} {
		if v := root.Get(member); v.Exists() && v.Type != gjson.Null {
			return member
		}
	}
	switch root.Get("inference_geo").String() {
	case "", "global", "not_available":
	default:
		return "inference_geo"
	}
	for _, member := range []string{"n", "best_of"} {
		if v := root.Get(member); v.Exists() && v.Type != gjson.Null && v.Float() != 1 {
			return member
		}
	}
	if root.Get("speed").Exists() {
		return "speed"
	}
	switch root.Get("service_tier").String() {
	case "", "auto", "default", "flex", "standard_only":
		return ""
	}
	return "service_tier"
}

// ambiguous returns a member of the request, or of the options in it, that occurs twice
// or is not in lower-case ASCII. Servers differ in which of two they use, and some fold
// letters (encoding/json takes a long s for an s). What was inspected might not be what
// they act on.
func ambiguous(root gjson.Result) (member string, is bool) {
	for _, at := range append(provider.LimitObjects(), "@this") {
		object := root.Get(at)
		if !object.IsObject() {
			continue
		}
		seen := map[string]bool{}
		object.ForEach(func(key, _ gjson.Result) bool {
			member = key.Str
			is = seen[member] || strings.ContainsFunc(member, func(r rune) bool {
				return r >= utf8.RuneSelf || r >= 'A' && r <= 'Z'
			})
			seen[member] = true
			return !is
		})
		if is {
			return member, true
		}
	}
	return "", false
}

// bounded returns the question as it is sent on: with the limit on its answer that the
// budget leaves, and with a request to report usage. A question in which that limit
// cannot be set is refused.
func (q *question) bounded(h *budget.Hold) (*question, *refusal) {
	sent := *q
	if h.Answer > 0 {
		for _, path := range q.model.Limits() {
			asked := gjson.GetBytes(sent.body, path)
			bounded := asked.Type == gjson.Number && 0 < asked.Int() && asked.Int() <= h.Answer
			if bounded || path != q.limit && !asked.Exists() {
				continue
			}
			sent.body, _ = sjson.SetBytes(sent.body, path, h.Answer)
			if gjson.GetBytes(sent.body, path).Int() != h.Answer {
				return nil, refuse(reasonForm, "the request's %s can't be set", path)
			}
		}
		sent.Answer = h.Answer
	}
	on := q.model.UsageSwitch()
	if on != "" && q.stream && !gjson.GetBytes(q.body, on).Bool() {
		sent.body, _ = sjson.SetBytes(sent.body, on, true)
		if !gjson.GetBytes(sent.body, on).Bool() {
			return nil, refuse(reasonForm, "the request's %s can't be set", on)
		}
	}
	return &sent, nil
}
