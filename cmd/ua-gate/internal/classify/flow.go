package classify

// A flow is what bytes may carry from where they come to where they go.
type flow uint32

// passing are the flows that go on only through programs known to pass them on.
const passing = fromVar | fromTemp | fromFilter

const (
	fromNet     flow = 1 << iota // another machine's answer
	fromDecode                   // what a decoder made readable
	fromSecret                   // a secret
	fromText                     // what a text tool made: tr, rev, sed, printf
	fromPipe                     // anything at all
	fromNames                    // the names of secret files
	fromVar                      // the value of a secret variable
	fromTemp                     // the name that mktemp gave, and nothing else
	fromOutside                  // names of files outside the workspace
	fromFilter                   // a list that leaves files out, or lies in a named folder
)

// joined returns the flows of what is one of two texts or holds both: it is a list that leaves
// files out only if both are.
func (f flow) joined(g flow) flow { return (f|g)&^fromFilter | f&g&fromFilter }

// A stream is what a command finds on its standard input or leaves on its
// output.
type stream struct {
	bits  flow
	text  string // all of it, if known
	known bool
	open  bool   // there is something: not the input that ua-gate's user has
	here  bool   // it stands in the command itself, as a here-document
	file  string // the one file that it is, as named
}

// with returns the stream with more on it, of unknown text.
func (s stream) with(t stream) stream {
	return stream{bits: s.bits.joined(t.bits) &^ fromTemp, open: true}
}

// scriptFrom is the rule for a program that runs what it reads: the level and
// the reason.
func scriptFrom(p *Part, from flow, what string) {
	switch {
	case from&fromNet != 0 && from&fromDecode == 0:
		p.add(talks, "pipe:net", what+" runs what comes from the network")
		p.Unread = true
	case from&fromDecode != 0:
		p.add(runsStrangers, "pipe:decoded", what+" runs what a decoder makes")
	default:
		p.add(runsHidden, "pipe:shell", what+" runs what it reads")
	}
}

// scriptInput is scriptFrom for a program that runs its standard input, which
// nobody has read unless its text is known.
func scriptInput(p *Part, in stream, what string) {
	scriptFrom(p, in.bits, what)
	p.Unread = p.Unread || !in.known
}

// leak is the rule for a part that talks to the network: no secret may reach
// it.
func leak(p *Part, from flow) {
	if from&fromSecret != 0 && p.Level >= network && p.Level < denied {
		p.add(sendsSecrets, "pipe:secret", "a secret goes to the network")
	}
}
