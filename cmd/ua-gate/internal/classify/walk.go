package classify

import (
	"fmt"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"ua/cmd/ua-gate/internal/expansion"
	"ua/cmd/ua-gate/internal/finding"
	"ua/cmd/ua-gate/internal/judgement"
	"ua/cmd/ua-gate/internal/machine"
	"ua/cmd/ua-gate/internal/match"
	"ua/cmd/ua-gate/internal/program"
	"ua/cmd/ua-gate/internal/shell"
)

func (w *walker) stmts(list []*syntax.Stmt, in shell.Stream, sc *shell.Scope,
	parts *[]finding.Part) (out shell.Stream) {
	for i, s := range list {
		o := w.stmt(s, in, sc, parts)
		if i == 0 {
			out = o
		} else {
			out = out.With(o)
		}
	}
	return out
}

// subst returns a list of commands whose output becomes text elsewhere.
func (w *walker) subst(list []*syntax.Stmt, sc *shell.Scope, parts *[]finding.Part) shell.Stream {
	if w.Depth++; w.Depth > program.MaxDepth {
		w.Depth--
		w.Unread(parts, nil, "limit:depth", fmt.Sprintf("more than %d commands inside commands",
			program.MaxDepth))
		return shell.Stream{Bits: shell.FromPipe, Open: true}
	}
	defer func() { w.Depth-- }()
	return w.stmts(list, shell.Stream{}, sc.Beside(), parts)
}

// stmt classifies one statement: its redirections, then the command. It gives
// back what its output carries.
func (w *walker) stmt(s *syntax.Stmt, in shell.Stream, sc *shell.Scope,
	parts *[]finding.Part) shell.Stream {
	if w.Simple > machine.MaxSimple {
		return shell.Stream{Open: true}
	}
	var redirs []finding.Part
	io := stdio{in: in}
	before := len(w.Written)
	for _, r := range s.Redirs {
		w.redirect(r, &io, sc, &redirs)
	}
	if s.Background {
		sc = sc.Beside()
	}
	out := io.in
	if call, ok := s.Cmd.(*syntax.CallExpr); ok {
		// It does not find in a file what its redirection makes anew.
		made := slices.Clone(w.Written[before:])
		w.Written = w.Written[:before]
		out = w.call(call, &io, sc, parts)
		w.Written = append(w.Written, made...)
		if len(w.Written) == before+1 {
			w.keepText(s, out, len(made) == 1, sc)
		}
	} else if s.Cmd != nil {
		out = w.compound(s.Cmd, io.in, sc, parts)
	}
	empties := out.Known && strings.TrimSpace(out.Text) == ""
	if call, ok := s.Cmd.(*syntax.CallExpr); s.Cmd == nil || ok && len(call.Args) == 1 &&
		match.InList(" : true ", call.Args[0].Lit()) || empties {
		w.emptied(s, io.lost, &redirs)
	}
	// What was written meanwhile holds what came out: secrets, or what was fetched.
	for i := range w.Written[before:] {
		w.Written[before+i].From |= out.Bits & (shell.FromSecret | shell.FromNet)
	}
	if io.net && out.Bits&shell.FromSecret != 0 {
		w.Fact(parts, s, judgement.SendsSecrets, "pipe:secret", "a secret goes to the network")
	}
	if io.tty && (!out.Known || strings.Contains(out.Text, "\x1b]")) {
		w.Fact(parts, s, judgement.RunsHidden, "limit:control",
			"may send control sequences to the terminal")
	}
	*parts = append(*parts, redirs...)
	if io.out {
		return shell.Stream{Bits: out.Bits, Open: true}
	}
	return out
}

// compound classifies what is not a simple command.
func (w *walker) compound(cmd syntax.Command, in shell.Stream, sc *shell.Scope,
	parts *[]finding.Part) shell.Stream {
	if w.Nested++; w.Nested > expansion.MaxNested {
		w.Nested--
		w.Unread(parts, nil, "limit:depth", "too many commands inside commands")
		return shell.Stream{Open: true}
	}
	defer func() { w.Nested-- }()
	switch c := cmd.(type) {
	case *syntax.BinaryCmd:
		return w.binary(c, in, sc, parts)
	case *syntax.Block:
		return w.stmts(c.Stmts, in, sc, parts)
	case *syntax.Subshell:
		stdin := w.Stdin
		w.Stdin = false
		defer func() { w.Stdin = stdin }()
		return w.stmts(c.Stmts, in, sc.Beside(), parts)
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
		return shell.Stream{Bits: w.Declare(c, sc, parts), Open: true}
	case *syntax.TimeClause:
		if c.Stmt != nil {
			return w.stmt(c.Stmt, in, sc, parts)
		}
	case *syntax.CoprocClause:
		w.Unread(parts, c, "dialect:coproc", "a coprocess, which is not read")
		return shell.Stream{Open: true}
	case *syntax.TestDecl:
		return w.stmt(c.Body, in, sc.Sub(), parts)
	default: // [[ ]], (( )), let
		w.Inside(cmd, sc, parts)
	}
	return shell.Stream{}
}
