package main

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/term"

	"ua/cmd/ua/internal/agentloop"
	"ua/cmd/ua/internal/manual"
	"ua/internal/common/config"
	"ua/internal/common/prog"
)

// helpOf returns the --help of one verb. It is cut out of the whole help, so that no text
// exists twice: the usage lines of the verb, the options that they name and, where they
// name RUN, the line that explains it.
func helpOf(verb string) string {
	var usage, options []string
	takes, tail := map[string]bool{"--help": true}, ""
	for line := range strings.Lines(help) {
		line = strings.TrimSuffix(line, "\n")
		words := strings.Fields(strings.TrimPrefix(line, "usage:"))
		switch {
		case len(words) > 1 && words[0] == "ua" && slices.Contains(strings.Split(words[1], "|"), verb):
			usage = append(usage, "ua "+strings.Join(words[1:], " "))
			for _, w := range words {
				takes[strings.Trim(w, "[]")] = true
			}
		// A line this deep continues the text of the option above it.
		case strings.HasPrefix(line, strings.Repeat(" ", 20)) && len(options) > 0:
			options[len(options)-1] += "\n" + line
		case len(words) > 0 && strings.HasPrefix(words[0], "-"):
			options = append(options, line)
		case strings.HasPrefix(line, "RUN is"):
			tail = line
		}
	}
	runs := "" // a verb that takes the options of a run, too
	if takes["options"] {
		takes["RUN"], takes["--at"] = true, verb == "fork"
		runs = "\n\nThe options of a run are taken, too: ua --help lists them."
	}
	options = slices.DeleteFunc(options, func(o string) bool {
		return !slices.ContainsFunc(strings.Fields(o)[:2],
			func(w string) bool { return w[0] == '-' && takes[strings.TrimSuffix(w, ",")] })
	})
	for i, o := range options {
		options[i] = ofVerb(o, verb)
	}
	text := "usage: " + strings.Join(usage, "\n       ") + "\n\n" + strings.Join(options, "\n")
	if takes["RUN"] {
		text += "\n\n" + tail
	}
	return text + runs
}

// ofVerb returns the help of an option with what it does for the verb alone, where the whole
// help says that of several: "gc: one thing; undo: another".
func ofVerb(option, verb string) string {
	const column = 24
	line := strings.ReplaceAll(option, "\n"+strings.Repeat(" ", column), " ")
	if len(line) < column || line[column-1] != ' ' {
		return option
	}
	for part := range strings.SplitSeq(line[column:], "; ") {
		names, text, ok := strings.Cut(part, ": ")
		if ok && slices.Contains(strings.Split(names, ", "), verb) {
			return line[:column] + text
		}
	}
	return option
}

// helpVerb opens the manual of a topic. On a terminal it starts man(1) where that has the
// page; otherwise it prints the copy that is embedded in this program.
func helpVerb(env *prog.Env, args []string) error {
	fs := prog.Flags()
	if err := env.Parse(fs, args, helpOf("help")); err != nil {
		return err
	}
	topics := strings.Join(manual.Topics(), " ")
	switch fs.NArg() {
	case 0:
		env.Page(shortHelp + "\nTopics: " + topics + "\n")
		return nil
	case 1:
	default:
		return agentloop.AsTask("help", fs.Args(), prog.Errorf(prog.Trouble, "help takes one topic"))
	}
	config.TakeKeys() // man(1) and pagers need none
	topic := fs.Arg(0)
	page, ok := manual.Find(topic)
	if !ok && !strings.HasSuffix(about(topic), forPrograms) { // ua(1) has the rest
		env.Page(about(topic) + "\n\n" + helpOf(topic) + "\n")
		return nil
	}
	if !ok {
		e := prog.Errorf(prog.Trouble, "no manual about %q", topic)
		if near := prog.Nearest(topic, manual.Topics()); near != "" {
			return e.Hintf("did you mean %s?", near)
		}
		return e.Hintf("one of %s; quote a task: ua %q", topics, "help "+topic)
	}
	// man(1) reports 0 even when its output was lost, so it is used on a terminal alone.
	if path := installed(page); path != "" && term.IsTerminal(int(env.Stdout.Fd())) {
		return prog.Errorf(prog.NotFound, "%s: %v", path, syscall.Exec(path,
			[]string{"man", page.Section, page.Name}, config.OutsideEnv(os.Environ())))
	}
	return inPager(env, manual.Text(page.Source()))
}

// forPrograms is said of a verb that shortHelp does not have.
const forPrograms = ": for programs; see man ua"

// about returns what a verb does, as shortHelp says it.
func about(verb string) string {
	for line := range strings.Lines(shortHelp) {
		names, text, ok := strings.Cut(strings.TrimPrefix(line, "  "), "  ")
		if ok && slices.Contains(strings.Split(names, ", "), verb) {
			return "ua " + verb + ": " + strings.TrimSpace(text)
		}
	}
	return "ua " + verb + forPrograms
}

// installed returns the path of man(1) if it has the page, or "". Containers without
// manuals have a man that answers every question with a sentence and status 0, so the
// answer must be the path of a file.
func installed(page manual.Page) string {
	path := prog.Lookup("man")
	if path == "" {
		return ""
	}
	c := exec.Command(path, "-w", page.Section, page.Name)
	c.Env = config.OutsideEnv(os.Environ())
	out, err := c.Output()
	file := strings.TrimSpace(string(out))
	if _, missing := os.Stat(file); err != nil || missing != nil || !filepath.IsAbs(file) {
		return ""
	}
	return path
}

// inPager prints a text. On a terminal it goes through the pager that man(1) would use:
// MANPAGER, then PAGER, then less. They are shell text, as for man(1).
func inPager(env *prog.Env, text string) error {
	if term.IsTerminal(int(env.Stdout.Fd())) {
		pager := cmp.Or(os.Getenv("MANPAGER"), os.Getenv("PAGER"), "less")
		if _, err := config.LookOutside(strings.Fields(pager + " less")[0]); err == nil {
			c := exec.Command("/bin/sh", "-c", pager)
			c.Env = config.OutsideEnv(os.Environ())
			c.Stdin, c.Stdout, c.Stderr = strings.NewReader(text), env.Stdout, env.Stderr
			return c.Run()
		}
	}
	env.Printf("%s", text)
	return nil
}
