// Package tool does what the words after a server's name ask for: it lists tools, explains
// and calls them, and reads resources and prompts. All that a server says is data from it.
package tool

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ua/cmd/ua-mcp/internal/server"
	"ua/internal/common/prog"
	"ua/internal/common/verdict"
)

// A Reply is a part of the answer: text for stdout or stderr, or a file.
type Reply struct {
	Out  string `json:"out,omitempty"`
	Err  string `json:"err,omitempty"`
	File *File  `json:"file,omitempty"`
	Exit *int   `json:"exit,omitempty"` // the last one
}

// A File is a picture, a sound or other data that is no text.
type File struct {
	Media string `json:"media"`
	Data  []byte `json:"data"`
}

// A Request is what is asked of a server.
type Request struct {
	Words []string
	Stdin string // read where the word "-" stands
	// May returns why a call of a tool is not allowed whose annotations ask for the level.
	May func(words []string, least verdict.Level) error
}

// isName matches what a tool may be called: it has to be one word of a command.
var isName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_./-]{0,127}$`)

// Do does it, and passes on the parts of the answer. Its error has the exit status.
func (r Request) Do(ctx context.Context, s *server.Server, to func(Reply)) error {
	emit := func(p Reply) {
		p.Out, p.Err = s.Hide(p.Out), s.Hide(p.Err)
		to(p)
	}
	words := r.Words
	first := ""
	if len(words) > 0 {
		first = words[0]
	}
	if err := r.May(words, verdict.ReadOnly); err != nil {
		return err
	}
	switch first {
	case "", "--all", "--help", "-h":
		return list(ctx, s, first == "--all", emit)
	case "read":
		return read(ctx, s, words[1:], emit)
	case "prompt":
		return r.prompt(ctx, s, words[1:], emit)
	case "call":
		if words = words[1:]; len(words) == 0 {
			return prog.Errorf(prog.Trouble, "call: want the name of a tool")
		}
	}
	t, err := find(ctx, s, words[0])
	if err != nil {
		return err
	}
	if slices.Contains(words, "--help") {
		emit(Reply{Out: explain(s.Name, t)})
		return nil
	}
	if destroys(t) {
		if err := r.May(r.Words, verdict.Destructive); err != nil {
			return err
		}
	}
	a, err := parse(properties(t.InputSchema), words[1:], r.Stdin)
	if err != nil {
		return hinted(err, s.Name+" "+t.Name+" --help lists them")
	}
	p := &mcp.CallToolParams{Name: t.Name, Arguments: a.values}
	res, err := s.Call(ctx, p, func(text string) {
		emit(Reply{Err: s.Name + ": " + oneLine(text, 200) + "\n"})
	})
	if err != nil {
		return s.Failed(err)
	}
	return show(res, a.json, emit)
}

// destroys reports whether the tool says of itself that it may destroy something. What it
// says lowers nothing.
func destroys(t *mcp.Tool) bool {
	h := t.Annotations
	return h != nil && h.DestructiveHint != nil && *h.DestructiveHint && !h.ReadOnlyHint
}

// hinted gives an error a hint.
func hinted(err error, hint string) error {
	return prog.Errorf(prog.Trouble, "%w", err).Hintf("%s", hint)
}

// bounded yields what a server lists, at most most of it and not for ever.
func bounded[T any](seq iter.Seq2[T, error], most int) (list []T, more bool, err error) {
	for v, err := range seq {
		if err != nil {
			return list, false, err
		}
		if len(list) >= most {
			return list, true, nil
		}
		list = append(list, v)
	}
	return list, false, nil
}

// tools returns the tools of a server, sorted, and how many are left out whose names are no
// words.
func tools(ctx context.Context, s *server.Server) (list []*mcp.Tool, left int, err error) {
	if c := s.InitializeResult(); c == nil || c.Capabilities == nil || c.Capabilities.Tools == nil {
		return nil, 0, nil
	}
	ctx, cancel := context.WithTimeout(ctx, listPatience)
	defer cancel()
	all, more, err := bounded(s.Tools(ctx, nil), toolsMax)
	if err != nil {
		return nil, 0, s.Failed(err)
	}
	for _, t := range all {
		if t == nil || !isName.MatchString(t.Name) ||
			slices.ContainsFunc(list, func(o *mcp.Tool) bool { return o.Name == t.Name }) {
			left++
			continue
		}
		list = append(list, t)
	}
	if more {
		left++
	}
	slices.SortFunc(list, func(a, b *mcp.Tool) int { return cmp.Compare(a.Name, b.Name) })
	return list, left, nil
}

// find returns the tool with that name.
func find(ctx context.Context, s *server.Server, name string) (*mcp.Tool, error) {
	list, _, err := tools(ctx, s)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(list))
	for i, t := range list {
		if names[i] = t.Name; t.Name == name {
			return t, nil
		}
	}
	e := prog.Errorf(prog.Trouble, "%q: %s has no such tool", name, s.Name)
	if near := prog.Nearest(name, names); near != "" {
		return nil, e.Hintf("did you mean %s?", near)
	}
	return nil, e.Hintf("%s lists them", s.Name)
}

// list prints what a server offers, in about ten lines.
func list(ctx context.Context, s *server.Server, all bool, emit func(Reply)) error {
	tools, left, err := tools(ctx, s)
	if err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d tools; %s TOOL --help prints the arguments of one", s.Name,
		len(tools), s.Name)
	if c := s.InitializeResult().Capabilities; c != nil && c.Resources != nil {
		fmt.Fprintf(&b, "; %s read [URI]", s.Name)
	}
	if c := s.InitializeResult().Capabilities; c != nil && c.Prompts != nil {
		fmt.Fprintf(&b, "; %s prompt [NAME]", s.Name)
	}
	b.WriteByte('\n')
	width, line, lines, rest := 0, "", 0, 0
	for _, t := range tools {
		width = max(width, len(t.Name))
	}
	for i, t := range tools {
		switch {
		case all || len(tools) <= listLines:
			fmt.Fprintf(&b, "%-*s  %s\n", min(width, 30), t.Name, oneLine(t.Description, 100))
		case len(line)+len(t.Name) < 100:
			line += t.Name + "  "
		case lines == listLines-2:
			rest, line = len(tools)-i, line+fmt.Sprintf(" and %d more: %s --all", len(tools)-i, s.Name)
		default:
			b.WriteString(strings.TrimSpace(line) + "\n")
			line, lines = t.Name+"  ", lines+1
		}
		if rest > 0 {
			break
		}
	}
	if line != "" {
		b.WriteString(strings.TrimSpace(line) + "\n")
	}
	if left > 0 {
		fmt.Fprintf(&b, "[left out: %d with names that are no words, or too many]\n", left)
	}
	emit(Reply{Out: b.String()})
	return nil
}

// oneLine returns a text as one line without controls, of at most most characters.
func oneLine(text string, most int) string {
	text = strings.Join(strings.FieldsFunc(text, unseen), " ")
	if r := []rune(text); len(r) > most {
		return string(r[:most]) + "…"
	}
	return text
}

// explain returns the usage of a tool.
func explain(name string, t *mcp.Tool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "usage: %s %s [--ARGUMENT VALUE ...] [-] [--json]\n\n%s\n", name, t.Name,
		oneLine(t.Description, 2000))
	if destroys(t) {
		b.WriteString("\nIt may destroy something: where that has to be judged, give --destroys.\n")
	}
	b.WriteByte('\n')
	for i, p := range properties(t.InputSchema) {
		if i >= argumentsMax {
			fmt.Fprintf(&b, "[%d more]\n", len(properties(t.InputSchema))-i)
			break
		}
		need := ""
		if p.required {
			need = ", required"
		}
		fmt.Fprintf(&b, "  --%s %s%s  %s\n", oneLine(p.name, 60), p.kind, need, oneLine(p.about, 300))
	}
	b.WriteString("  -  take arguments from a JSON object on standard input\n" +
		"  --json  print the structured result, or the whole one, as JSON\n")
	return b.String()
}

// show prints a result. One that the tool calls an error ends with status 1.
func show(res *mcp.CallToolResult, asJSON bool, emit func(Reply)) error {
	if asJSON {
		var v any = res
		if res.StructuredContent != nil {
			v = res.StructuredContent
		}
		b, err := json.Marshal(v)
		if err != nil {
			return err
		}
		emit(Reply{Out: string(b) + "\n"})
	} else {
		for _, c := range res.Content {
			content(c, emit)
		}
		if len(res.Content) == 0 && res.StructuredContent != nil {
			b, _ := json.Marshal(res.StructuredContent)
			emit(Reply{Out: string(b) + "\n"})
		}
	}
	if res.IsError {
		return prog.Exit(prog.No)
	}
	return nil
}

// content prints one part of a result.
func content(c mcp.Content, emit func(Reply)) {
	switch c := c.(type) {
	case *mcp.TextContent:
		emit(Reply{Out: strings.TrimSuffix(c.Text, "\n") + "\n"})
	case *mcp.ImageContent:
		emit(Reply{File: &File{c.MIMEType, c.Data}})
	case *mcp.AudioContent:
		emit(Reply{File: &File{c.MIMEType, c.Data}})
	case *mcp.ResourceLink:
		emit(Reply{Out: fmt.Sprintf("resource %s  %s\n", oneLine(c.URI, 1000),
			oneLine(c.Description, 200))})
	case *mcp.EmbeddedResource:
		if c.Resource != nil {
			resource(c.Resource, emit)
		}
	}
}

// resource prints what a resource holds.
func resource(r *mcp.ResourceContents, emit func(Reply)) {
	if r.Blob != nil {
		emit(Reply{File: &File{r.MIMEType, r.Blob}})
		return
	}
	emit(Reply{Out: strings.TrimSuffix(r.Text, "\n") + "\n"})
}

// read prints a resource, or lists those that there are.
func read(ctx context.Context, s *server.Server, words []string, emit func(Reply)) error {
	if len(words) > 1 {
		return errors.New("read: want one URI")
	}
	if len(words) == 1 {
		res, err := s.ReadResource(ctx, &mcp.ReadResourceParams{URI: words[0]})
		if err != nil {
			return s.Failed(err)
		}
		for _, c := range res.Contents {
			resource(c, emit)
		}
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, listPatience)
	defer cancel()
	all, more, err := bounded(s.Resources(ctx, nil), resourcesMax)
	if err != nil {
		return s.Failed(err)
	}
	for _, r := range all {
		emit(Reply{Out: fmt.Sprintf("%s  %s\n", oneLine(r.URI, 1000),
			oneLine(cmp.Or(r.Description, r.Name), 100))})
	}
	if more {
		emit(Reply{Out: "[and more]\n"})
	}
	return nil
}

// prompt prints a prompt, or lists those that there are.
func (r Request) prompt(ctx context.Context, s *server.Server, words []string,
	emit func(Reply)) error {
	within, cancel := context.WithTimeout(ctx, listPatience)
	defer cancel()
	all, more, err := bounded(s.Prompts(within, nil), resourcesMax)
	if err != nil {
		return s.Failed(err)
	}
	for _, p := range all {
		var args []property
		usage := oneLine(p.Name, 100)
		for _, a := range p.Arguments {
			args = append(args, property{name: a.Name, kind: "string", required: a.Required})
			usage += " --" + oneLine(a.Name, 60)
		}
		if len(words) == 0 {
			emit(Reply{Out: usage + "  " + oneLine(cmp.Or(p.Description, p.Title), 100) + "\n"})
			continue
		}
		if p.Name != words[0] {
			continue
		}
		given, err := parse(args, words[1:], r.Stdin)
		if err != nil {
			return err
		}
		texts := map[string]string{}
		for name, v := range given.values {
			texts[name] = fmt.Sprint(v)
		}
		res, err := s.GetPrompt(ctx, &mcp.GetPromptParams{Name: p.Name, Arguments: texts})
		if err != nil {
			return s.Failed(err)
		}
		for _, m := range res.Messages {
			emit(Reply{Out: string(m.Role) + ":\n"})
			content(m.Content, emit)
		}
		return nil
	}
	if len(words) > 0 {
		return prog.Errorf(prog.Trouble, "%q: %s has no such prompt", words[0], s.Name)
	}
	if more {
		emit(Reply{Out: "[and more]\n"})
	}
	return nil
}

// How many lines a list of tools takes, how many tools and other things of a server are
// looked at and how long it may take to list them, and how many arguments are explained.
const (
	listLines    = 9
	toolsMax     = 2000
	resourcesMax = 200
	argumentsMax = 60
	listPatience = time.Minute
)
