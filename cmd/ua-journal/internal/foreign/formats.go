package foreign

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
	"ua/internal/common/prog"
)

// Agents returns the names of the agents whose sessions can be read, which lie in
// ~/.claude/projects, ~/.codex/sessions and ~/.pi/agent/sessions.
func Agents() []string { return []string{"claude-code", "codex", "pi"} }

// first returns the first of the members that is there.
func first(r gjson.Result, names ...string) (v gjson.Result) {
	for i := 0; i < len(names) && !v.Exists(); i++ {
		v = r.Get(names[i])
	}
	return v
}

// line takes a line, and reports whether all of it is taken. The agents differ in names alone:
// a line has a message of somebody, or an item of one, with texts, calls and results. Lines of
// a sidechain are a subagent's, and meta lines the program's own.
func (s *session) line(r gjson.Result) bool {
	m := cmp.Or(first(r, "message", "payload").Raw, r.Raw)
	p, ts := gjson.Parse(m), r.Get("timestamp").Str
	if r.Get("type").Str == "turn_context" {
		s.model = "openai/" + p.Get("model").String()
	}
	role, list := p.Get("role").Str, p.Get("content").Array()
	if item := p.Get("type").Str; role == "toolResult" || role == "" && item != "" {
		list = []gjson.Result{p}
	}
	whole := len(list) > 0 && !r.Get("isSidechain").Bool() && !r.Get("isMeta").Bool()
	if !whole {
		return false
	}
	for _, b := range list {
		kind := cmp.Or(b.Get("type").Str, role)
		switch {
		case kind == "tool_result" || kind == "toolResult" || strings.HasSuffix(kind, "_call_output"):
			whole = s.result(ts, b) && whole
		case kind == "tool_use" || kind == "toolCall" || strings.HasSuffix(kind, "_call"):
			whole = s.call(s.open(ts, r, p), b) && whole
		case b.Type == gjson.String || strings.HasSuffix(kind, "text"):
			whole = s.text(role, cmp.Or(b.Str, b.Get("text").String()), ts, r, p) && whole
		default: // thinking, whose signature is worth something to its own provider alone
			whole = false
		}
	}
	return whole
}

// text takes what the person or the model has said. What codex says in the person's name is no
// part of the conversation.
func (s *session) text(role, text, ts string, r, p gjson.Result) bool {
	own := s.from == "codex" &&
		(strings.HasPrefix(text, "<") || strings.HasPrefix(text, "# AGENTS.md"))
	switch {
	case text == "" || own:
		return false
	case role == "user":
		s.user(ts, text)
	case role == "assistant":
		s.open(ts, r, p).say(text)
	}
	return role == "user" || role == "assistant"
}

// open returns the answer to which a line belongs, as its ID says. One of codex, which has no
// ID, ends with the results of its calls.
func (s *session) open(ts string, r, p gjson.Result) *answer {
	key := cmp.Or(p.Get("id").Str, first(r, "id", "uuid").Str)
	if s.from == "codex" {
		key = fmt.Sprint("after ", s.results)
	}
	a := &s.answer
	if a.key != key {
		s.flush()
		s.begin(ts, "")
	}
	a.key, a.ts, a.model = key, ts, s.model
	if name := p.Get("model").Str; name != "" {
		a.model = cmp.Or(p.Get("provider").Str, "anthropic") + "/" + name
	}
	if u := p.Get("usage"); u.Exists() {
		a.usage = [4]int64{first(u, "input_tokens", "input").Int(),
			first(u, "cache_read_input_tokens", "cacheRead").Int(),
			first(u, "cache_creation_input_tokens", "cacheWrite").Int(),
			first(u, "output_tokens", "output").Int()}
	}
	return a
}

// commandOf returns the command of a call that runs one, "" for others.
func commandOf(name string, input gjson.Result) string {
	if !slices.Contains([]string{"Bash", "bash", "shell", "shell_command", "exec_command",
		"local_shell"}, name) {
		return ""
	}
	list := first(input, "command", "cmd")
	if !list.IsArray() {
		return list.String()
	}
	var words []string
	for _, w := range list.Array() {
		words = append(words, prog.Quoted(w.String()))
	}
	if len(words) == 3 && (words[1] == "'-lc'" || words[1] == "'-c'") { // bash -lc TEXT
		return list.Get("2").String()
	}
	return strings.Join(words, " ")
}

// exits finds the exit status in what the agents say before or behind an output.
var exits = regexp.MustCompile(
	`(?im)^(?:process |command )?(?:exited with|exit) code:? (\d{1,3})$`)

// outcome returns the output of a call and its exit status.
func (s *session) outcome(b gjson.Result) (text string, code int64) {
	var all []string
	content := first(b, "content", "output")
	for _, part := range content.Array() {
		all = append(all, cmp.Or(part.Str, part.Get("text").String()))
	}
	text = strings.Join(all, "\n")
	if o := gjson.Parse(text); event.ValidJSON([]byte(text)) && o.Get("metadata.exit_code").Exists() {
		return o.Get("output").String(), o.Get("metadata.exit_code").Int()
	}
	if first(b, "is_error", "isError").Bool() {
		code = 1
	}
	edges := text[:min(len(text), 400)] + "\n" + text[max(0, len(text)-200):]
	if m := exits.FindStringSubmatch(edges); m != nil && (code == 1 || s.from == "codex") {
		code, _ = strconv.ParseInt(m[1], 10, 64)
	}
	return text, code
}
