package classify

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// stdio is what a statement's redirections make of its input and output.
type stdio struct {
	in  stream
	out bool // standard output goes elsewhere
	own bool // standard input is opened here, and has something in it
	net bool // a descriptor is a network connection
	tty bool // standard output goes to a terminal

	lost []word // the files that are written anew
}

// redirect classifies one redirection.
func (w *walker) redirect(r *syntax.Redirect, io *stdio, sc *scope, parts *[]Part) {
	var target word
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		target = w.hdoc(r, sc, parts)
	default:
		target = w.single(r.Word, sc, parts)
		for _, text := range w.otherTexts(r.Word, target, sc) {
			w.redirectTo(r, target.with(text), io, sc, parts)
		}
	}
	w.redirectTo(r, target, io, sc, parts)
}

// redirectTo classifies a redirection to what its word has become.
func (w *walker) redirectTo(r *syntax.Redirect, target word, io *stdio, sc *scope, parts *[]Part) {
	fd := ""
	if r.N != nil {
		fd = r.N.Value
	}
	p := Part{Row: "redirect"}
	w.mark(&p, r)
	stdin := fd == "0" || fd == "" && r.Op != syntax.DplOut
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc, syntax.RdrIn, syntax.RdrInOut, syntax.DplIn,
		syntax.DplOut:
		io.own = io.own || stdin && target.text != "-" && target.text != "/dev/null"
	}
	switch r.Op {
	// A here-document is the input itself, and its text is known.
	case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		if stdin {
			io.in = stream{bits: target.from, text: target.text, open: true, here: true,
				known: target.plain() && !target.maybe}
		}
		return
	case syntax.RdrIn:
		w.input(target, io, sc, &p, stdin)
	case syntax.DplIn, syntax.DplOut:
		if stdin {
			io.in = stream{bits: fromPipe | target.from, open: true}
		}
		io.net = io.net || w.connected
		// >&2 and <&3 copy a descriptor and open no file; >&NAME does.
		if descriptor(target.text) || r.Op == syntax.DplIn && target.text == hole {
			return
		}
		if target.text == hole && fd != "" {
			return
		}
		io.out = io.out || fd == "" || fd == "1"
		w.output(target, io, sc, &p, false)
	case syntax.RdrInOut:
		w.input(target, io, sc, &p, stdin)
		w.output(target, io, sc, &p, false)
	default:
		io.out = io.out || fd == "" || fd == "1" || r.Op == syntax.RdrAll || r.Op == syntax.AppAll
		io.tty = io.tty || target.text == "/dev/tty" || strings.HasPrefix(target.text, "/dev/pts/")
		anew := r.Op != syntax.AppOut && r.Op != syntax.AppAll
		w.output(target, io, sc, &p, anew)
		if anew && p.Level >= write {
			io.lost = append(io.lost, target)
		}
	}
	w.connected = w.connected || fd != "" && w.at(target.text, sc).kind&pathSocket != 0
	if p.Level > readOnly {
		*parts = append(*parts, p)
	}
}

// descriptor reports whether >&text names a descriptor: digits, perhaps a dash.
func descriptor(text string) bool {
	return text != "" && strings.Trim(strings.TrimSuffix(text, "-"), "0123456789") == ""
}

func (w *walker) input(target word, io *stdio, sc *scope, p *Part, stdin bool) {
	w.read(p, target, sc)
	bits := target.from | fromPipe
	if p.Level >= destructive {
		bits |= fromSecret
	}
	bits |= w.socket(p, target, io) | w.carried(target, sc)
	if stdin {
		io.in = stream{bits: bits, open: true}
		if target.plain() {
			io.in.file = target.text
		}
		if text, ok := w.textOf(target, sc); ok {
			io.in = stream{bits: target.from | bits&fromNames, text: text, known: true, open: true,
				here: true}
		}
	}
}

func (w *walker) output(target word, io *stdio, sc *scope, p *Part, anew bool) {
	if w.socket(p, target, io) != 0 || !w.writesFile(p, "redirect", "", target, sc, anew) {
		return
	}
	w.wroteFile(target.text, sc)
	if target.subst && target.from&(fromText|fromDecode|fromNet|fromSecret) != 0 {
		p.add(losesFiles, "redirect", "writes a file whose name a command makes")
	}
}

// socket is the rule for bash's own network files.
func (w *walker) socket(p *Part, target word, io *stdio) flow {
	if w.at(target.text, &scope{}).kind&pathSocket == 0 {
		return 0
	}
	p.addBy(talks, "path:socket", "the shell connects to another machine", target.text)
	io.net = true
	return fromNet
}

// named returns the place that something is done to, for a reason.
func named(text string) string {
	if text == hole {
		return "something known only when it runs"
	}
	return show(text)
}

// show returns text for a reason, with the holes as dots.
func show(text string) string {
	text = strings.ReplaceAll(text, hole, "…")
	if len(text) > 60 {
		text = text[:57] + "…"
	}
	return text
}
