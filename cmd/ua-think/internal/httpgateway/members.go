package httpgateway

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-think/internal/eventgateway"
	"ua/cmd/ua-think/internal/provider"
	"ua/cmd/ua-think/internal/sharedbudget"
	"ua/cmd/ua-think/internal/usage"
	"ua/internal/common/event"
)

// An api is what of one API's questions passes.
type api struct {
	name    string // in the table of package provider
	path    string
	members shape
	limits  []string // members that bound the answer's tokens; the first is the usual one
	counts  string   // what has a stream report its usage, as a member, or ""
}

// A shape says which members of an object pass, and how: as a leaf, a shape or tools. The
// objects of a list have the shape of the list. The member plain stands for a value that is
// no object; without it none passes.
type shape map[string]any

const plain = ""

// A leaf is a value that is not looked into.
type leaf int

const (
	whole leaf = iota
	data       // in base64
	link       // data in a URL: an address is refused
	own        // what the gateway writes itself
)

// tools is a list of those with a type that the client runs itself. The others are left out.
type tools struct {
	shape
	local []string // how these types begin
}

// of returns a shape with members that pass whole, and others.
func of(names string, others shape) shape {
	s := shape{}
	for _, name := range strings.Fields(names) {
		s[name] = whole
	}
	for name, how := range others {
		s[name] = how
	}
	return s
}

// apis returns the table.
func apis() []api {
	kind := of("type", nil)
	// Anthropic's blocks: a result holds others, of which a document holds texts.
	block := of("type text title context id name input tool_use_id is_error thinking signature data",
		shape{plain: whole, "cache_control": kind, "source": of("type media_type", shape{
			"data": data, "content": of("type text", shape{plain: whole})})})
	result := of("", block)
	result["content"] = block
	// OpenAI's parts of a message, in both of its APIs.
	part := of("type text detail refusal filename", shape{plain: whole,
		"image_url": of("detail", shape{plain: link, "url": link}), "file_data": link,
		"file":        of("filename", shape{"file_data": link}),
		"input_audio": of("format", shape{"data": data})})
	return []api{
		{name: "anthropic", path: "/messages", limits: []string{"max_tokens"},
			members: of("stop_sequences stream temperature tool_choice top_k top_p", shape{
				"model": own, "max_tokens": own,
				"cache_control": kind, "messages": of("role", shape{"content": result}),
				"output_config": of("effort format", nil), "system": block,
				"thinking": of("type budget_tokens display", nil),
				"tools": tools{of("type name description input_schema strict",
					shape{"cache_control": kind}),
					[]string{"custom", "bash_", "text_editor_", "memory_"}}})},
		{name: "openai", path: "/responses", limits: []string{"max_output_tokens"},
			members: of("include instructions parallel_tool_calls prompt_cache_key store stream "+
				"temperature tool_choice top_logprobs top_p truncation user", shape{
				"model": own, "max_output_tokens": own,
				"input": of("type role status call_id name arguments input action phase summary "+
					"encrypted_content", shape{plain: whole, "content": part, "output": part}),
				"reasoning": of("effort summary", nil), "text": of("format verbosity", nil),
				"tools": tools{of("type name description parameters strict format", nil),
					[]string{"function", "custom", "local_shell", "apply_patch"}}})},
		{name: "openai-chat", path: "/chat/completions",
			limits: []string{"max_completion_tokens", "max_tokens"},
			counts: `,"stream_options":{"include_usage":true}`,
			members: of("frequency_penalty logit_bias logprobs parallel_tool_calls presence_penalty "+
				"prompt_cache_key reasoning_effort response_format seed stop stream temperature "+
				"tool_choice top_k top_logprobs top_p user verbosity", shape{
				"model": own, "max_completion_tokens": own, "max_tokens": own, "stream_options": own,
				"messages": of("role name tool_call_id refusal reasoning reasoning_content "+
					"reasoning_details", shape{"content": part,
					"tool_calls": of("id index type extra_content", shape{
						"function": of("name arguments", nil), "custom": of("name input", nil)})}),
				"reasoning": of("effort enabled exclude", nil),
				"tools": tools{of("type", shape{"custom": of("name description format", nil),
					"function": of("name description parameters strict", nil)}),
					[]string{"function", "custom"}}})},
	}
}

// A question is a request to the model, rebuilt from what of it passes.
type question struct {
	sharedbudget.Question
	model provider.Model
	limit string // the member that bounds the answer's tokens
	body  []byte // without that, and without its end
}

// question rebuilds a request. What is left out the answer's header names.
func (x *exchange) question(a api, body []byte) (*question, *refusal) {
	sum := sha256.Sum256(body)
	x.record.SHA256 = hex.EncodeToString(sum[:])
	root := gjson.ParseBytes(body)
	if !event.ValidJSON(body) || !root.IsObject() {
		return nil, refuse(400, "form", "the request is not a JSON object")
	}
	q := &question{model: x.Model, limit: a.limits[0]}
	q.model.API, q.model.Name = a.name, root.Get("model").Str
	if q.model.Name != "" && x.AnyModel && !x.Allowed(q.model) {
		q.model.Name = x.Model.Name
	}
	x.record.Model = q.model.Spec()
	switch {
	case q.model.Name == "":
		return nil, refuse(400, "form", "the request names no model")
	case !x.Allowed(q.model):
		return nil, refuse(403, "model", "this gateway does not ask %s", q.model.Name)
	}
	for _, name := range slices.Backward(a.limits) {
		n := root.Get(name).Int()
		if n > 0 && n < 1<<30 && (q.Answer == 0 || n < q.Answer) {
			q.limit, q.Answer = name, n
		}
	}
	var f filter
	f.members(root, a.members)
	if f.address {
		return nil, refuse(403, "hosted", "this gateway does not let the provider fetch addresses")
	}
	if q.body = event.AppendString([]byte(`{"model":`), q.model.Name); len(f.out) > 0 {
		q.body = append(append(q.body, ','), f.out...)
	}
	if root.Get("stream").Bool() {
		q.body = append(q.body, a.counts...)
	}
	q.Spec, q.Prompt = q.model.Spec(), f.tokens()
	q.Thinking = root.Get("thinking.budget_tokens").Int()
	if p, ok := usage.PriceOf(q.Spec, x.Config.Price); ok {
		q.Price = &p
	}
	if left := slices.Compact(slices.Sorted(slices.Values(f.left))); len(left) > 0 {
		x.w.Header().Set("Ua-Left-Out", eventgateway.Word(strings.Join(left, " ")))
	}
	return q, nil
}

// A filter writes what of a request passes, in the client's own bytes, and adds up its size.
type filter struct {
	out     []byte
	text    int   // bytes
	media   int64 // tokens
	address bool  // a medium is named by an address, which the provider would fetch
	left    []string
}

// tokens returns about how many tokens that takes.
func (f *filter) tokens() int64 { return usage.Estimate(f.text) + f.media }

// value writes a value.
func (f *filter) value(v gjson.Result, how any) {
	if s, is := how.(shape); is && !v.IsArray() {
		if v.IsObject() {
			f.out = append(f.out, '{')
			f.members(v, s)
			f.out = append(f.out, '}')
			return
		}
		how = s[plain]
	}
	switch {
	case v.IsArray() && how != whole:
		f.list(v, how)
	case how == whole:
		f.text += len(v.Raw)
		f.out = append(f.out, v.Raw...)
	case v.Type == gjson.String && (how == data || how == link):
		f.address = f.address || how == link && !strings.HasPrefix(v.Str, "data:") &&
			strings.Contains(v.Str, ":")
		if f.media += int64(usage.Medium(v.Str)); strings.Contains(v.Str, " ") {
			f.text += len(v.Raw) // a document that is text
		}
		f.out = append(f.out, v.Raw...)
	default:
		f.out = append(f.out, "null"...)
	}
}

// list writes the elements of a list.
func (f *filter) list(v gjson.Result, how any) {
	f.out = append(f.out, '[')
	start := len(f.out)
	v.ForEach(func(_, e gjson.Result) bool {
		element := how
		if t, is := how.(tools); is {
			typ := e.Get("type").String()
			begins := func(local string) bool { return strings.HasPrefix(typ, local) }
			if typ != "" && !slices.ContainsFunc(t.local, begins) {
				f.left = append(f.left, typ)
				return true
			}
			element = t.shape
		}
		if len(f.out) > start {
			f.out = append(f.out, ',')
		}
		f.value(e, element)
		return true
	})
	f.out = append(f.out, ']')
}

// members writes the members of an object that pass, each once: servers differ in which of
// two they take.
func (f *filter) members(v gjson.Result, s shape) {
	seen := map[string]bool{}
	v.ForEach(func(key, value gjson.Result) bool {
		how, known := s[key.Str]
		if !known || seen[key.Str] {
			f.left = append(f.left, key.Str)
			return true
		} else if how == own {
			return true
		}
		if len(seen) > 0 {
			f.out = append(f.out, ',')
		}
		seen[key.Str] = true
		f.text += len(key.Raw)
		f.out = append(append(f.out, key.Raw...), ':')
		f.value(value, how)
		return true
	})
}
