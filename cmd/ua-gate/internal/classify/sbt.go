package classify

import "strings"

// setsOnly reports whether a word of sbt only sets a key to a value that is written out.
func setsOnly(text string) bool {
	return sbtSetting.match(text) && !codeSetting.match(text[strings.IndexByte(text, '=')+1:])
}

// codeSetting finds in a value of a build what may name code.
var codeSetting = regex{text: `[/~]|-[XJ]|plugin`}

var sbtSetting = regex{text: `^set\s+(?:\w+\s*/\s*)*\w+\s*(?::=|\+=|\+\+=)\s*(?:true|false|\d+|` +
	`"[^"]*"|(?:Seq|List)\((?:\s*"[^"]*"\s*,?)*\))$`}

// sbt's words are commands, some of which are Scala that runs.
func (a *argv) sbt() {
	for _, o := range a.operands {
		verb := strings.TrimLeft(o.text, ";+ ")
		verb, _, _ = strings.Cut(verb, " ")
		if setsOnly(o.text) {
			continue
		}
		_, rest, _ := strings.Cut(strings.TrimLeft(o.text, ";+ "), " ")
		if class, args, _ := strings.Cut(rest, " "); mainClasses[class] != "" {
			a.w.text(mainClasses[class]+" "+args, stream{}, a.sc.sub(), &a.p.Parts)
		}
		if inList(" set eval console consoleQuick consoleProject alias apply < load ", verb) ||
			strings.HasPrefix(verb, "!") || strings.HasPrefix(verb, "<") ||
			strings.Contains(o.text, ";") && strings.ContainsAny(o.text, "!{") {
			a.p.raise(destructive, "sbt "+verb, "sbt runs the Scala in "+show(o.text))
		}
	}
	a.targets()
}
