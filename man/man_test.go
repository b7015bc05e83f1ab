// Package man holds the manuals' tests: what a manual says is what the program
// does.
package man

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ua/internal/test/scripttest"
)

// programs is the manuals of section 1.
func programs(t *testing.T) (names []string) {
	t.Helper()
	pages, _ := filepath.Glob("*.1")
	for _, p := range pages {
		names = append(names, strings.TrimSuffix(p, ".1"))
	}
	if len(names) < 6 {
		t.Fatalf("manuals of %v", names)
	}
	return names
}

func TestEveryProgramHasAManual(t *testing.T) {
	built, err := os.ReadDir(scripttest.Bin(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range built {
		if !slices.Contains(programs(t), b.Name()) {
			t.Errorf("%s has no manual", b.Name())
		}
	}
}

func TestLint(t *testing.T) {
	scripttest.Need(t, "mandoc")
	pages, _ := filepath.Glob("*.[157]")
	out, _ := exec.Command("mandoc", append([]string{"-T", "lint", "-W", "warning"},
		pages...)...).CombinedOutput()
	if len(out) > 0 {
		t.Errorf("%s", out)
	}
}

var (
	itFl   = regexp.MustCompile(`(?m)^\.It (Fl .*)$`)
	flag   = regexp.MustCompile(`Fl (?:Fl )?([A-Za-z0-9][A-Za-z0-9-]*)`)
	option = regexp.MustCompile(`(?m)^ +(-[^\s].*)$`)
	dashed = regexp.MustCompile(`(?:^|[ ,])--?([A-Za-z0-9][A-Za-z0-9-]*)`)
)

// TestHelpAndManualListTheSameOptions compares the options that --help lists
// with those that the manual explains.
func TestHelpAndManualListTheSameOptions(t *testing.T) {
	for _, name := range programs(t) {
		help, err := exec.Command(filepath.Join(scripttest.Bin(t), name), "--help").Output()
		if err != nil {
			t.Errorf("%s --help: %v", name, err)
		}
		page, _ := os.ReadFile(name + ".1")
		var inHelp, inPage []string
		for _, m := range option.FindAllSubmatch(help, -1) {
			words, _, _ := strings.Cut(string(m[1]), "  ")
			for _, o := range dashed.FindAllStringSubmatch(words, -1) {
				inHelp = append(inHelp, o[1])
			}
		}
		for _, m := range itFl.FindAllSubmatch(page, -1) {
			for _, o := range flag.FindAllStringSubmatch(string(m[1]), -1) {
				inPage = append(inPage, o[1])
			}
		}
		for _, o := range inHelp {
			if !slices.Contains(inPage, o) {
				t.Errorf("%s.1 has no .It Fl for %s, which --help lists", name, o)
			}
		}
		for _, o := range append(inPage, "help", "version") {
			if !slices.Contains(inHelp, o) {
				t.Errorf("%s --help does not list %s, which the manual has", name, o)
			}
		}
		if !bytes.HasPrefix(help, []byte("usage: "+name)) {
			t.Errorf("%s --help begins with %.40q", name, help)
		}
	}
}

// given is an option that --help describes with its default in parentheses.
var given = regexp.MustCompile(`(?m)^ +(?:-\w, )?--?([a-z-]+)(?: \w+)? {2,}.*\(([0-9][^()]*)\)`)

// amount is a default in one of them: a number with a unit, perhaps.
var amount = regexp.MustCompile(`[0-9]+ ?(?:[KMGT]i?B?|[a-z]*)\b`)

// TestHelpAndManualNameTheSameDefaults looks for the numbers that --help gives as
// defaults in the paragraphs that the manual has on the option.
func TestHelpAndManualNameTheSameDefaults(t *testing.T) {
	seen := 0
	for _, name := range programs(t) {
		help, _ := exec.Command(filepath.Join(scripttest.Bin(t), name), "--help").Output()
		page, _ := os.ReadFile(name + ".1")
		for _, m := range given.FindAllStringSubmatch(string(help), -1) {
			about := ""
			for _, entry := range strings.Split(string(page), "\n.It ") {
				heading, _, _ := strings.Cut(entry, "\n")
				if regexp.MustCompile(`Fl ` + m[1] + `\b`).MatchString(heading) {
					entry, _, _ = strings.Cut(entry, "\n.El")
					about += entry
				}
			}
			for _, n := range amount.FindAllString(m[2], -1) {
				seen++
				if !regexp.MustCompile(`\b` + n + `\b`).MatchString(about) {
					t.Errorf("%s --help: the default of %s is %s; %s.1 does not say so", name, m[1], n, name)
				}
			}
		}
	}
	if seen < 25 {
		t.Errorf("only %d defaults", seen)
	}
}

func TestVersion(t *testing.T) {
	for _, name := range programs(t) {
		out, err := exec.Command(filepath.Join(scripttest.Bin(t), name), "--version").Output()
		if err != nil || !strings.HasPrefix(string(out), name+" ") {
			t.Errorf("%s --version: %q, %v", name, out, err)
		}
	}
}

// TestExamples runs each line of an EXAMPLES section that begins with "$ " in a
// shell, in one empty folder and home a manual. "> " goes on with a here-document,
// as the shell shows it. Other lines that follow are what it prints; without any,
// it only has to succeed.
func TestExamples(t *testing.T) {
	scripttest.Need(t, "bash")
	pages, _ := filepath.Glob("*.[157]")
	for _, page := range pages {
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			if page == "ua-events.5" { // whose stages are in sh, jq and Python
				scripttest.Need(t, "jq")
				scripttest.Need(t, "python3")
			}
			home := t.TempDir()
			for _, e := range examples(t, page) {
				if tries.MatchString(e.command) && scripttest.TriesRefused(t) != "" {
					t.Run("try", func(t *testing.T) { scripttest.NeedTries(t) })
					continue
				}
				cmd := exec.Command("bash", "-c", e.command)
				cmd.Dir = home
				cmd.Env = []string{"HOME=" + home, "PATH=" + scripttest.Bin(t) + ":" + os.Getenv("PATH"),
					"LANG=C.UTF-8", "TERM=dumb"}
				var stderr bytes.Buffer
				cmd.Stderr = &stderr
				out, err := cmd.Output()
				if err != nil && !e.mayFail {
					t.Errorf("$ %s\n%v\n%s%s", e.command, err, out, stderr.Bytes())
				}
				if e.want != "" && !strings.Contains(string(out)+stderr.String(), e.want) {
					t.Errorf("$ %s\nprints\n%s%swhere the manual has\n%s", e.command, out, stderr.Bytes(), e.want)
				}
			}
		})
	}
}

// tries are commands that need what only some systems let a user do.
var tries = regexp.MustCompile(`ua[- ](try|undo|record)\b|--(try|atomic)\b`)

type example struct {
	command, want string
	mayFail       bool // the manual names a status: "# exit N"
}

var status = regexp.MustCompile(`# exit [1-9]`)

// examples is the commands of a manual's EXAMPLES section.
func examples(t *testing.T, page string) (list []example) {
	f, err := os.Open(page)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	in := false
	s := bufio.NewScanner(f)
	for s.Scan() {
		line := strings.NewReplacer(`\e`, `\`, `\(aq`, `'`, `\-`, `-`, `\&`, "", `\(ti`, "~",
			`\(ha`, "^", `\(dq`, `"`).Replace(s.Text())
		last := len(list) - 1
		switch {
		case strings.HasPrefix(line, ".Sh"):
			in = line == ".Sh EXAMPLES" || line == ".Sh WRITING A STAGE"
		case !in || strings.HasPrefix(line, "."):
			if in && last >= 0 && strings.HasPrefix(line, ".Ed") {
				list = append(list, example{})
			}
		case strings.HasPrefix(line, "$ "):
			list = append(list, example{command: line[2:], mayFail: status.MatchString(line)})
		case last >= 0 && strings.HasPrefix(line, "> ") && strings.Contains(list[last].command, "<<"):
			list[last].command += "\n" + line[2:]
		case last >= 0 && list[last].command != "" && strings.HasSuffix(list[last].command, `\`):
			list[last].command += "\n" + line
		case last >= 0 && list[last].command != "":
			list[last].want += line + "\n"
		}
	}
	return slices.DeleteFunc(list, func(e example) bool { return e.command == "" })
}
