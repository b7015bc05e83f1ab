package classify

// A session is what the commands of one text know of each other.
type session struct {
	machine
	walk      func(nested) stream // judges what a command runs
	shell     string              // the shell whose language is read
	functions map[string]*function
	captured  int  // how many substitutions or pipes take what is printed
	depth     int  // commands inside commands
	stdin     bool // the shell reads its script from its standard input
	delegates bool // a command starts one of ua's programs
	committed bool // git has taken up a secret
	errexit   bool // some script ends at the first command that fails
}

// A nested is what a command runs: it is to be judged before the command itself can be.
type nested struct {
	kind  nestedKind
	words []word // of a command
	text  string // of a script
	in    stream
	sc    *scope
	parts *[]Part // gets what is in it
}

// A nestedKind is what a command runs.
type nestedKind uint8

const (
	aScript nestedKind = iota
	aCommand
	fishScript
)

// A function is one that the command defines, or an alias.
type function struct {
	out   flow   // what it prints carries this
	sends bool   // it talks to other machines
	cwd   string // the folder in which it ends
	moves bool   // which is another one than where it begins
	alias bool

	script *assignments // the script in whose straight line it is defined
}

// runScript judges a text that the shell runs.
func (s *session) runScript(text string, in stream, sc *scope, parts *[]Part) stream {
	return s.walk(nested{text: text, in: in, sc: sc, parts: parts})
}

// runWords judges a command that another one starts.
func (s *session) runWords(words []word, in stream, sc *scope, parts *[]Part) stream {
	return s.walk(nested{kind: aCommand, words: words, in: in, sc: sc, parts: parts})
}
