package classify

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"ua/internal/common/verdict"
)

// Short names of the levels for the code of this package.
const (
	readOnly    = verdict.ReadOnly
	buildTest   = verdict.BuildTest
	write       = verdict.Write
	destructive = verdict.Destructive
	network     = verdict.Network
	privileged  = verdict.Privileged
	denied      = verdict.Denied
)

// A walker goes through one command and all that it holds.
type walker struct {
	expander
	connected bool // some descriptor is a connection to another machine
	unrolled  int  // rounds of loops
}

// Limits of what is read. What lies beyond one of them is a part of its own,
// which is Unread.
const (
	MaxBytes  = 256_000 // bytes of a script with its data and comments
	MaxSimple = 2000    // simple commands, those inside others included
	MaxDepth  = 16      // commands inside commands

	// maxOpened bounds the brackets of a script: the parser goes down one level
	// for each, and beyond some hundred thousand its stack would end the program.
	maxOpened = 16_000
	// maxNested bounds expansions inside expansions and compound commands
	// inside each other.
	maxNested = 50
)

// Classify returns the report on one command. A nil o is Options{}.
func Classify(command string, o *Options) Report {
	if o == nil {
		o = &Options{}
	}
	var w walker
	w.o, w.shell, w.functions = o, cmp.Or(o.Shell, "bash"), map[string]*function{}
	w.walk, w.commands = w.nestedIn, w.subst
	var r Report
	if w.shell == "fish" {
		w.fish(command, &scope{cwd: o.Cwd}, &r.Parts)
	} else {
		w.text(command, stream{}, &scope{cwd: o.Cwd}, &r.Parts)
	}
	if w.simple > MaxSimple {
		w.unread(&r.Parts, nil, "limit:simple",
			fmt.Sprintf("more than %d simple commands", MaxSimple))
	}
	w.unreadSays(&r, command)
	r.Delegates = w.delegates
	for part := range r.All() {
		if part.Level > r.Level || r.Row == "" {
			r.Level, r.Row, r.Reason = part.Level, part.Row, part.Reason
		}
	}
	r.nameAll()
	return r
}

// nameAll has the reason say what all parts of its level do: programs of which no more is to be
// said than the level in one go, "find, xargs and grep only read", and others one after the other.
func (r *Report) nameAll() {
	if r.Reason == "" {
		r.Reason = "no program runs"
	}
	if len(r.Parts) == 0 || len(r.Parts) == 1 && len(r.Parts[0].Parts) == 0 {
		return
	}
	one := does(r.Level)
	var names, reasons []string
	for part := range r.All() {
		plain := part.Name != "" && part.Reason == part.Name+" "+one
		switch {
		case part.Level != r.Level || part.Reason == "":
		case plain && !slices.Contains(names, part.Name):
			if names = append(names, part.Name); len(names) == 1 {
				reasons = append(reasons, hole)
			}
		case !plain && !slices.Contains(reasons, part.Reason):
			reasons = append(reasons, part.Reason)
		}
	}
	all := strings.Join(names, "")
	if last := len(names) - 1; last > 0 {
		if last > 3 {
			last, names = 3, append(names[:3], "others")
		}
		one = plural.Replace(one)
		all = strings.Join(names[:last], ", ") + " and " + names[last]
	}
	if len(reasons) > 3 {
		reasons = append(reasons[:2], "and more of the kind")
	}
	if len(reasons) > 0 {
		r.Reason = strings.Replace(strings.Join(reasons, "; "), hole, all+" "+one, 1)
	}
}

// plural has several programs do what does says of one.
var plural = strings.NewReplacer("reads", "read", "builds", "build", "tests", "test", "writes",
	"write", "talks", "talk", "needs", "need", "changes", "change")

// unprintable are the characters that a terminal does not show as what they
// are: controls but for tab and newline, and the marks that hide or reorder text.
func unprintable(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' || r == 0x7f || r == 0x200b || r == 0x2060 ||
		r == 0xfeff ||
		r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

// text classifies a script.
func (w *walker) text(text string, in stream, sc *scope, parts *[]Part) stream {
	if w.depth++; w.depth > MaxDepth {
		w.depth--
		w.unread(parts, nil, "limit:depth", fmt.Sprintf("more than %d commands inside commands",
			MaxDepth))
		return stream{open: true}
	}
	defer func() { w.depth-- }()
	s, why := w.o.parser.parse(text, w.shell)
	if why != nil {
		w.unread(parts, nil, why.row, why.why)
		return stream{open: true}
	}
	w.errexit = w.errexit || (strings.Contains(s.text, "errexit") ||
		strings.Contains(s.text, "set -") || strings.Contains(s.text, "sh -")) && errexit.match(s.text)
	outer := w.source
	if w.source = ""; w.depth == 1 {
		w.source = s.text
	}
	w.invisible(&s, parts)
	for _, name := range sc.assigns(s.File) {
		if w.functions[name] == nil {
			w.functions[name] = &function{}
		}
	}
	out := w.stmts(s.Stmts, in, sc, parts)
	w.source = outer
	return out
}

// errexit finds what makes a script end at the first command that fails.
var errexit = regex{text: `\bset -\w*e|\berrexit\b|\bsh -\w*e`}

// invisible is the rule for characters that a terminal does not show: outside
// comments they are part of what runs. The parser takes a carriage return for a
// blank and the shell does not, so what follows one is not read.
func (w *walker) invisible(s *script, parts *[]Part) {
	if strings.IndexFunc(s.text, unprintable) < 0 {
		return
	}
	text := []byte(s.text)
	syntax.Walk(s.File, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.Comment); ok {
			at := int(c.Hash.Offset())
			for at < len(text) && text[at] != '\n' {
				text[at] = ' '
				at++
			}
		}
		return true
	})
	if bytes.IndexFunc(text, unprintable) < 0 {
		return
	}
	p := w.fact(parts, nil, runsHidden, "limit:control",
		"a control or invisible character in the command")
	p.Unread = bytes.IndexByte(text, '\r') >= 0
}

func (w *walker) stmts(list []*syntax.Stmt, in stream, sc *scope, parts *[]Part) (out stream) {
	for i, s := range list {
		o := w.stmt(s, in, sc, parts)
		if i == 0 {
			out = o
		} else {
			out = out.with(o)
		}
	}
	return out
}

// subst returns a list of commands whose output becomes text elsewhere.
func (w *walker) subst(list []*syntax.Stmt, sc *scope, parts *[]Part) stream {
	if w.depth++; w.depth > MaxDepth {
		w.depth--
		w.unread(parts, nil, "limit:depth", fmt.Sprintf("more than %d commands inside commands",
			MaxDepth))
		return stream{bits: fromPipe, open: true}
	}
	defer func() { w.depth-- }()
	return w.stmts(list, stream{}, sc.beside(), parts)
}

// nestedIn classifies what a command runs.
func (w *walker) nestedIn(n nested) stream {
	switch n.kind {
	case aCommand:
		return w.run(n.words, n.in, n.sc, n.parts)
	case fishScript:
		w.fish(n.text, n.sc, n.parts)
		return stream{open: true}
	}
	return w.text(n.text, n.in, n.sc, n.parts)
}

// stmt classifies one statement: its redirections, then the command. It gives
// back what its output carries.
func (w *walker) stmt(s *syntax.Stmt, in stream, sc *scope, parts *[]Part) stream {
	if w.simple > MaxSimple {
		return stream{open: true}
	}
	var redirs []Part
	io := stdio{in: in}
	before := len(w.written)
	for _, r := range s.Redirs {
		w.redirect(r, &io, sc, &redirs)
	}
	if s.Background {
		sc = sc.beside()
	}
	out := io.in
	if call, ok := s.Cmd.(*syntax.CallExpr); ok {
		// It does not find in a file what its redirection makes anew.
		made := slices.Clone(w.written[before:])
		w.written = w.written[:before]
		out = w.call(call, &io, sc, parts)
		w.written = append(w.written, made...)
		if len(w.written) == before+1 {
			w.keepText(s, out, len(made) == 1, sc)
		}
	} else if s.Cmd != nil {
		out = w.compound(s.Cmd, io.in, sc, parts)
	}
	empties := out.known && strings.TrimSpace(out.text) == ""
	if call, ok := s.Cmd.(*syntax.CallExpr); s.Cmd == nil || ok && len(call.Args) == 1 &&
		inList(" : true ", call.Args[0].Lit()) || empties {
		w.emptied(s, io.lost, &redirs)
	}
	// What was written meanwhile holds what came out: secrets, or what was fetched.
	for i := range w.written[before:] {
		w.written[before+i].from |= out.bits & (fromSecret | fromNet)
	}
	if io.net && out.bits&fromSecret != 0 {
		w.fact(parts, s, sendsSecrets, "pipe:secret", "a secret goes to the network")
	}
	if io.tty && (!out.known || strings.Contains(out.text, "\x1b]")) {
		w.fact(parts, s, runsHidden, "limit:control", "may send control sequences to the terminal")
	}
	*parts = append(*parts, redirs...)
	if io.out {
		return stream{bits: out.bits, open: true}
	}
	return out
}

// compound classifies what is not a simple command.
func (w *walker) compound(cmd syntax.Command, in stream, sc *scope, parts *[]Part) stream {
	if w.nested++; w.nested > maxNested {
		w.nested--
		w.unread(parts, nil, "limit:depth", "too many commands inside commands")
		return stream{open: true}
	}
	defer func() { w.nested-- }()
	switch c := cmd.(type) {
	case *syntax.BinaryCmd:
		return w.binary(c, in, sc, parts)
	case *syntax.Block:
		return w.stmts(c.Stmts, in, sc, parts)
	case *syntax.Subshell:
		stdin := w.stdin
		w.stdin = false
		defer func() { w.stdin = stdin }()
		return w.stmts(c.Stmts, in, sc.beside(), parts)
	case *syntax.IfClause:
		return w.ifClause(c, in, sc, parts)
	case *syntax.WhileClause:
		return w.whileClause(c, in, sc, parts)
	case *syntax.ForClause:
		return w.forClause(c, in, sc, parts)
	case *syntax.CaseClause:
		return w.caseClause(c, in, sc, parts)
	case *syntax.FuncDecl:
		w.function(c, sc, parts)
	case *syntax.DeclClause:
		return stream{bits: w.declare(c, sc, parts), open: true}
	case *syntax.TimeClause:
		if c.Stmt != nil {
			return w.stmt(c.Stmt, in, sc, parts)
		}
	case *syntax.CoprocClause:
		w.unread(parts, c, "dialect:coproc", "a coprocess, which is not read")
		return stream{open: true}
	case *syntax.TestDecl:
		return w.stmt(c.Body, in, sc.sub(), parts)
	default: // [[ ]], (( )), let
		w.inside(cmd, sc, parts)
	}
	return stream{}
}

func (w *walker) ifClause(c *syntax.IfClause, in stream, sc *scope, parts *[]Part) (out stream) {
	sc.maybe++
	defer func() { sc.maybe-- }()
	stay := sc.stay
	for ; c != nil; c = c.Else {
		out = out.with(w.stmts(c.Cond, in, sc, parts))
		failed := sc.stay
		sc.stay = stay // where a cd of the condition has not failed
		out = out.with(w.stmts(c.Then, in, sc, parts))
		sc.stay = cmp.Or(failed, sc.stay)
	}
	return out
}

func (w *walker) caseClause(c *syntax.CaseClause, in stream, sc *scope,
	parts *[]Part) (out stream) {
	w.inside(c.Word, sc, parts)
	sc.maybe++
	defer func() { sc.maybe-- }()
	for _, item := range c.Items {
		for _, p := range item.Patterns {
			w.inside(p, sc, parts)
		}
		out = out.with(w.stmts(item.Stmts, in, sc, parts))
	}
	return out
}
