package classify

import "mvdan.cc/sh/v3/syntax"

// functionAt returns the function that surely runs where the words stand, or nil. Special
// builtins go before functions in some shells.
func (w *session) functionAt(words []word, sc *scope) *function {
	if len(words) == 0 || !words[0].known() || w.changesShell(words[0].text) || sc.script == nil ||
		sc.script.all || sc.script.times[words[0].text] > 0 {
		return nil
	}
	if f := w.functions[words[0].text]; f != nil && f.script == sc.script {
		return f
	}
	return nil
}

// function judges the body of a function once, where it is defined: as if it ran there, with any
// arguments, among them the texts that its calls give it.
func (w *walker) function(c *syntax.FuncDecl, sc *scope, parts *[]Part) {
	if w.nested++; w.nested > maxNested {
		w.nested--
		w.unread(parts, nil, "limit:depth", "too many functions inside functions")
		return
	}
	defer func() { w.nested-- }()
	name := "()" // zsh calls it where it stands
	if c.Name != nil {
		name = c.Name.Value
	} else if len(c.Names) > 0 {
		name = c.Names[0].Value
	}
	cwd, before, stay, given := sc.cwd, sc.before, sc.stay, sc.vars["@"]
	delete(sc.vars, "@")
	if sc.script != nil {
		var args []word
		for _, text := range sc.script.given(name) {
			args = append(args, lit(text))
		}
		sc.array("@", args)
	}
	sc.maybe++
	w.callsItself(c, name, parts)
	from := len(*parts)
	out := w.stmt(c.Body, stream{bits: fromPipe, open: true}, sc, parts)
	sc.maybe--
	f := function{out: out.bits, cwd: sc.cwd, moves: sc.cwd != cwd}
	level := highest((*parts)[from:])
	f.sends = level >= network
	// The parser takes a pipe behind the body for a part of it, and the shell defines beside then.
	if _, piped := c.Body.Cmd.(*syntax.BinaryCmd); !piped && sc.maybe+sc.chain == 0 {
		f.script = sc.script
	}
	for _, n := range append(c.Names, c.Name) {
		if n != nil {
			w.functions[n.Value] = &f
		}
	}
	if name == "()" {
		return
	}
	sc.cwd, sc.before, sc.stay = cwd, before, stay
	sc.put("@", given)
}

// callsItself is the rule for a function that starts itself beside itself, which fills the machine
// if it does so twice.
func (w *walker) callsItself(c *syntax.FuncDecl, name string, parts *[]Part) {
	calls, beside := 0, false
	syntax.Walk(c.Body, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			if len(n.Args) > 0 && n.Args[0].Lit() == name {
				calls++
			}
		case *syntax.Stmt:
			beside = beside || n.Background
		case *syntax.BinaryCmd:
			beside = beside || n.Op == syntax.Pipe || n.Op == syntax.PipeAll
		}
		return true
	})
	switch {
	case calls > 1 && beside:
		w.fact(parts, nil, never, "function:itself", name+" calls itself")
	case calls > 0 && beside:
		w.fact(parts, nil, runsHidden, "function:itself", name+" calls itself")
	}
}

// called adds what a call of a function does that its body does not: what it is given.
func (a *argv) called(f *function) {
	if f.alias {
		a.p.add(runsHidden, "alias", a.name+" is an alias")
		a.p.Unread = true
		return
	}
	from := a.in.bits
	for _, wd := range a.words {
		from |= wd.from
		evaluates(a.p, "an argument", wd.text)
	}
	if from&fromSecret != 0 && f.sends {
		a.p.add(sendsSecrets, "pipe:secret", "a secret goes to the network")
	}
	a.fromVariable(from)
	a.unknownWords(a.name)
	a.out |= f.out | from&^passing
	if f.moves {
		a.sc.cwd = f.cwd
	}
	a.p.add(readsFiles, "function", "a function of this command")
}
