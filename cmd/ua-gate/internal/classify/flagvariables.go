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
	if strings.HasPrefix(name, "ERL_") || name == "ELIXIR_ERL_OPTIONS" {
		return emulatorFlags(text)
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

// countsOnly reports whether the value of a variable is a number or a switch, and its name says
// that it is one: JULIA_NUM_THREADS=4.
func countsOnly(name, text string) bool {
	return text != "" && (strings.Trim(text, "0123456789.") == "" ||
		inList(" true false yes no on off auto ", strings.ToLower(text))) &&
		inAny(" threads jobs workers count color colors colour debug verbose verbosity timeout "+
			"retries limit quiet telemetry "+
			"disable depth parallel progress nocows stats silent test tests failfast fast skip "+
			"enable enabled strict seed check checks offline ", keyWords(name)) &&
		!strings.HasPrefix(name, "HIST")
}

// emulatorFlags reports whether flags of Erlang's virtual machine only tune it: +X of the
// emulator, and settings of the kernel, the library and the log.
func emulatorFlags(text string) bool {
	words := strings.Fields(text)
	for i := 0; i < len(words); i++ {
		switch {
		case words[i] == "-kernel" || words[i] == "-stdlib" || words[i] == "-sasl" ||
			words[i] == "-logger":
			i += 2
			if i >= len(words) || strings.ContainsAny(words[i], "/~[") {
				return false
			}
		case inList(" -noshell -noinput -hidden -smp enable auto disable ", words[i]),
			strings.HasPrefix(words[i], "+") && !strings.ContainsAny(words[i], "/~"),
			i > 0 && strings.HasPrefix(words[i-1], "+") &&
				strings.Trim(words[i], "0123456789truefals") == "":
		default:
			return false
		}
	}
	return true
}

// tunes reports whether the value of a variable of options that no row knows is flags that
// say how a program works and name nothing that it loads: --fail-fast, --seed=1 -v.
func tunes(text string) bool {
	flag := false
	for word := range strings.FieldsSeq(text) {
		if flag && strings.Trim(word, "abcdefghijklmnopqrstuvwxyz0123456789") == "" {
			flag = false
			continue // the value of a flag that names nothing
		}
		name, val, set := strings.Cut(word, "=")
		flag = !set && strings.HasPrefix(name, "--")
		if name == "" || name[0] != '-' || !strings.HasPrefix(name, "--") &&
			strings.Trim(name, "-vqxsl") != "" || strings.ContainsAny(val, "/~.") {
			return false
		}
		for _, w := range keyWords(name) {
			if inList(programWords, w) || inList(" include load plugin plugins require init script "+
				"import path module modules file config "+
				"reporter formatter loader preload setup opts options args flags agent lib library output ",
				w) {
				return false
			}
		}
	}
	return true
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
