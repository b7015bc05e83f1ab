package classify

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"ua/cmd/ua-gate/internal/finding"
	"ua/cmd/ua-gate/internal/judgement"
	"ua/cmd/ua-gate/internal/machine"
	"ua/cmd/ua-gate/internal/match"
	"ua/cmd/ua-gate/internal/shell"
	"ua/cmd/ua-gate/internal/table"
	"ua/internal/common/verdict"
)

// stdio is what a statement's redirections make of its input and output.
type stdio struct {
	in  shell.Stream
	out bool // standard output goes elsewhere
	own bool // standard input is opened here, and has something in it
	net bool // a descriptor is a network connection
	tty bool // standard output goes to a terminal

	lost []shell.Word // the files that are written anew
}

// redirect classifies one redirection.
func (w *walker) redirect(r *syntax.Redirect, io *stdio, sc *shell.Scope, parts *[]finding.Part) {
	var target shell.Word
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		target = w.Hdoc(r, sc, parts)
	default:
		target = w.Single(r.Word, sc, parts)
		for _, text := range w.OtherTexts(r.Word, target, sc) {
			w.redirectTo(r, target.With(text), io, sc, parts)
		}
	}
	w.redirectTo(r, target, io, sc, parts)
}

// redirectTo classifies a redirection to what its word has become.
func (w *walker) redirectTo(r *syntax.Redirect, target shell.Word, io *stdio, sc *shell.Scope,
	parts *[]finding.Part) {
	fd := ""
	if r.N != nil {
		fd = r.N.Value
	}
	p := finding.Part{Row: "redirect"}
	w.Mark(&p, r)
	stdin := fd == "0" || fd == "" && r.Op != syntax.DplOut
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc, syntax.RdrIn, syntax.RdrInOut, syntax.DplIn,
		syntax.DplOut:
		io.own = io.own || stdin && target.Text != "-" && target.Text != "/dev/null"
	}
	switch r.Op {
	// A here-document is the input itself, and its text is known.
	case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		if stdin {
			io.in = shell.Stream{Bits: target.From, Text: target.Text, Open: true, Here: true,
				Known: target.Plain() && !target.Maybe}
		}
		return
	case syntax.RdrIn:
		w.input(target, io, sc, &p, stdin)
	case syntax.DplIn, syntax.DplOut:
		if stdin {
			io.in = shell.Stream{Bits: shell.FromPipe | target.From, Open: true}
		}
		io.net = io.net || w.connected
		// >&2 and <&3 copy a descriptor and open no file; >&NAME does.
		if descriptor(target.Text) || r.Op == syntax.DplIn && target.Text == match.Hole {
			return
		}
		if target.Text == match.Hole && fd != "" {
			return
		}
		io.out = io.out || fd == "" || fd == "1"
		w.output(target, io, sc, &p, false)
	case syntax.RdrInOut:
		w.input(target, io, sc, &p, stdin)
		w.output(target, io, sc, &p, false)
	default:
		io.out = io.out || fd == "" || fd == "1" || r.Op == syntax.RdrAll || r.Op == syntax.AppAll
		io.tty = io.tty || target.Text == "/dev/tty" || strings.HasPrefix(target.Text, "/dev/pts/")
		anew := r.Op != syntax.AppOut && r.Op != syntax.AppAll
		w.output(target, io, sc, &p, anew)
		if anew && p.Level >= verdict.Write {
			io.lost = append(io.lost, target)
		}
	}
	w.connected = w.connected || fd != "" && w.At(target.Text, sc).Kind&table.PathSocket != 0
	if p.Level > verdict.ReadOnly {
		*parts = append(*parts, p)
	}
}

// descriptor reports whether >&text names a descriptor: digits, perhaps a dash.
func descriptor(text string) bool {
	return text != "" && strings.Trim(strings.TrimSuffix(text, "-"), "0123456789") == ""
}

func (w *walker) input(target shell.Word, io *stdio, sc *shell.Scope, p *finding.Part,
	stdin bool) {
	w.Read(p, target, sc)
	bits := target.From | shell.FromPipe
	if p.Level >= verdict.Destructive {
		bits |= shell.FromSecret
	}
	bits |= w.socket(p, target, io) | w.Carried(target, sc)
	if stdin {
		io.in = shell.Stream{Bits: bits, Open: true}
		if target.Plain() {
			io.in.File = target.Text
		}
		if text, ok := w.TextOf(target, sc); ok {
			io.in = shell.Stream{Bits: target.From | bits&shell.FromNames, Text: text, Known: true,
				Open: true,
				Here: true}
		}
	}
}

func (w *walker) output(target shell.Word, io *stdio, sc *shell.Scope, p *finding.Part,
	anew bool) {
	if w.socket(p, target, io) != 0 || !w.WritesFile(p, "redirect", "", target, sc, anew) {
		return
	}
	w.WroteFile(target.Text, sc)
	if target.Subst &&
		target.From&(shell.FromText|shell.FromDecode|shell.FromNet|shell.FromSecret) != 0 {
		p.Add(judgement.LosesFiles, "redirect", "writes a file whose name a command makes")
	}
}

// socket is the rule for bash's own network files.
func (w *walker) socket(p *finding.Part, target shell.Word, io *stdio) shell.Flow {
	if w.At(target.Text, &shell.Scope{}).Kind&table.PathSocket == 0 {
		return 0
	}
	p.AddBy(judgement.TalksToHosts, "path:socket", "the shell connects to another machine",
		target.Text)
	io.net = true
	return shell.FromNet
}

// emptied is the rule for files that redirections make empty.
func (w *walker) emptied(s *syntax.Stmt, lost []shell.Word, parts *[]finding.Part) {
	for _, target := range lost {
		act := judgement.LosesFiles
		held := target.Listed() || match.EveryName(target.Text)
		if held {
			act = judgement.LosesAll
		}
		if held || target.UnknownName() {
			w.Fact(parts, s, act, "path:unknown", "empties files, and nobody knows which").Held = held
		}
	}
}

// keepText notes what a statement writes into the one file that it writes, if it surely runs and
// what it prints is known. What a later command runs of that file is read as if it stood in the
// command.
func (w *walker) keepText(s *syntax.Stmt, out shell.Stream, redirected bool, sc *shell.Scope) {
	if !anew(s, sc) {
		return
	}
	last := len(w.Written) - 1
	f := &w.Written[last]
	// Of several files that mktemp has made it may be any.
	same := func(old machine.Written) bool { return old.File == f.File }
	numbered := func(r *syntax.Redirect) bool { return r.N != nil }
	f.Sure, f.Text = redirected, out.Text
	f.Known = out.Known && !strings.Contains(f.Text, match.Hole) &&
		!slices.ContainsFunc(s.Redirs, numbered) &&
		!(strings.Contains(f.File, match.Hole) && slices.ContainsFunc(w.Written[:last], same))
}
