package classify

import (
	"path"
	"strings"
)

// optionsOf names the program whose flags a variable holds, with the words that make it
// do nothing else.
func optionsOf(name string) string {
	switch name {
	case "PYTEST_ADDOPTS":
		return "pytest"
	case "GREP_OPTIONS":
		return "grep x"
	case "FZF_DEFAULT_OPTS":
		return "fzf"
	case "BAT_OPTS":
		return "bat"
	case "ACK_OPTIONS":
		return "ack x"
	case "XZ_OPT", "XZ_DEFAULTS":
		return "xz -c"
	case "ANSIBLE_LINT_ARGS":
		return "ansible-lint"
	case "TF_CLI_ARGS_plan", "TF_CLI_ARGS_fmt", "TF_CLI_ARGS_validate":
		return "terraform " + strings.TrimPrefix(name, "TF_CLI_ARGS_")
	}
	return ""
}

// mildOptions reports whether the value of a variable by which programs can be made to run
// code is flags that do not: it is judged as the command line that it becomes.
func (w *walker) mildOptions(name, text string) bool {
	if strings.ContainsAny(text, "`$;|&<>(){}!\\\"'\n"+hole) {
		return false
	}
	switch name {
	case "BROWSER": // which one a test drives
		return inList(" firefox chromium chrome webkit edge safari none chrome-headless "+
			"ChromeHeadless headlesschrome ", text)
	case "PYTHONWARNINGS": // a category with a dot is imported
		return !strings.ContainsAny(text, "./~ ")
	case "RUBYOPT":
		return allBegin(text, "-w", "-W", "--disable=", "--enable=frozen", "--yjit", "--jit",
			"--encoding=", "-E")
	case "PERL5OPT":
		return allBegin(text, "-w", "-W", "-T", "-Mstrict", "-Mwarnings", "-CS", "-CSD", "-CA")
	case "LESS":
		return !strings.ContainsAny(text, "+okKjzpPtTD/~") ||
			allBegin(text, "-R", "-F", "-X", "-S", "-i", "--no-init",
				"--quit-if-one-screen", "--RAW-CONTROL-CHARS")
	case "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS":
		return allBegin(text, "-Xm", "-Xs", "-Dfile.encoding=", "-Djava.awt.headless=", "-Duser.",
			"-XX:+Use",
			"-XX:MaxRAMPercentage=", "-XX:MaxMetaspaceSize=", "-XX:TieredStopAtLevel=", "-XX:-Use", "-ea",
			"-Djava.net.preferIPv4Stack=", "-XX:ActiveProcessorCount=", "-XX:+Exit",
			"-Djava.io.tmpdir=/tmp") &&
			!strings.Contains(text, "boot")
	}
	program := optionsOf(name)
	if program == "" {
		return false
	}
	var words []word
	for _, field := range append(strings.Fields(program), strings.Fields(text)...) {
		words = append(words, lit(field))
	}
	var p Part
	w.command(&p, words, stream{}, &scope{cwd: w.o.Cwd})
	parts := []Part{p}
	return all(parts, func(p *Part) bool { return p.Level <= buildTest })
}

// allBegin reports whether each word of the text begins with one of the flags.
func allBegin(text string, flags ...string) bool {
	for word := range strings.FieldsSeq(text) {
		mild := false
		for _, flag := range flags {
			mild = mild || strings.HasPrefix(word, flag)
		}
		if !mild {
			return false
		}
	}
	return true
}

// pair is NAME=VALUE among the words of a program that starts another one with the variable.
func (a *argv) pair(val word) {
	name, text, set := strings.Cut(val.text, "=")
	if !set {
		return
	}
	v := val.cut(len(name) + 1)
	a.w.setting(a.p, setting{name, v}, a.rest)
	a.w.namesPlace(a.p, setting{name, v}, a.rest, a.sc)
	if !strings.Contains(name, hole) && len(a.rest) > 0 &&
		inList(shellNames, path.Base(a.rest[0].text)) {
		a.sc = a.sc.sub()
		a.sc.set(name, value{text: text, from: val.from})
	}
}
