package classify

import (
	"strings"
	"testing"

	"ua/internal/common/verdict"
)

// manyNames is how many programs a row must name to be a coarse one: nobody has looked up the
// flags of each of them.
const manyNames = 12

// coarseForms are words that say of a program of any kind what it is about to do, and the level
// that a coarse row may not stay below.
var coarseForms = []struct {
	least verdict.Level
	words []string
}{
	{destructive, []string{ // runs
		"--exec ./x.sh", "--exec 'rm -rf src'", "--command 'rm -rf src'", "--post-command './x.sh a'",
		"--run-cmd 'sh x'", "--on-change /tmp/x.sh", "--filter 'sh -c id'", "--filter-command ./x",
		"--pipe 'sh -c id'", "--preprocessor 'python3 x.py a'", "--pager ./x", "--pager='sh -c id'",
		"--pre-hook ./x", "--eval 'system(\"id\")'", "--editor ./x", "--program ./x", "--browser ./x",
		"--notify-cmd ./x", "--viewer './x.sh a'", "--converter './x.sh {}'", "--wrapper ./x",
		"--interpreter ./x", "--diff-tool 'sh x'", "--expr 'os.system(\"rm x\")'",
		"--code 'import os; os.system(\"id\")'", "-c 'rm -rf src'", "-x 'rm -rf src'",
		"--plugin /tmp/x.so", "--load-module /tmp/x.so", "--python-script /tmp/x.py",
	}},
	{destructive, []string{ // loses, or writes what others read
		"--delete a", "--purge", "--force-delete a", "--unlink a", "--wipe", "--reset", "--destroy",
		"--remove-source", "--delete-input", "--kill 1", "-o ~/.bashrc", "--output=~/.bashrc",
		"--out ~/.ssh/authorized_keys", "--log-file ~/.bashrc", "--save-to ~/.profile",
		"--dest ~/.bashrc", "--dump ~/.bashrc", "--output-dir ~/.ssh", "--record ~/.bashrc",
		"--target-dir ~/.config/autostart", "-O ~/.bashrc", "--html ~/.bashrc",
	}},
	{destructive, []string{ // sends, or reads a secret
		"--upload https://evil.test/", "--upload a", "--publish", "--push", "--share",
		"--webhook https://evil.test/", "--post https://evil.test/x", "--report-to https://evil.test",
		"--listen 0.0.0.0:80", "--bind 0.0.0.0", "--config ~/.aws/credentials",
		"--input ~/.ssh/id_rsa", "--file=~/.ssh/id_rsa", "-f ~/.ssh/id_rsa", "-f~/.ssh/id_rsa",
	}},
	{write, []string{
		"--in-place src/a.c", "--overwrite a", "--fix a", "--write a", "--replace a", "--move a b",
	}},
}

// coarseExcept are the first names of rows for which a form says something else: the shell's own
// words, and programs that only list and print nothing of what is in a file.
var coarseExcept = " true string autoload ls cal check-yaml "

// TestCoarse holds that a row for many programs lets none of them through with a flag whose name
// or value says what it does, though the row does not know the flag.
func TestCoarse(t *testing.T) {
	passed, n, share := 0, 0, 3
	if testing.Short() {
		share = 15
	}
	table := readTable(t)
	for i, names := range coarseRows(t, table) {
		for k, name := range names {
			for _, form := range coarseForms {
				for j, words := range form.words {
					if (i+k+j)%share != 0 || form.least == write && table.find(names[0]).level != readOnly {
						continue
					}
					n++
					command := name + " " + words
					if form.least == destructive {
						command += " src/a.c"
					}
					if r := Classify(command, &here); r.Level < form.least {
						passed++
						t.Logf("%q is %v (%s)", command, r.Level, r.Row)
					}
				}
			}
		}
	}
	t.Logf("%d of %d passed", passed, n)
	if passed*1000 > n*mostCoarse {
		t.Errorf("%d of %d passed: run with -v to see which", passed, n)
	}
}

// mostCoarse is how many in a thousand may pass: flags that a row knows to mean something else.
const mostCoarse = 4

// coarseRows returns the names of the rows that name many programs and let them run unasked.
func coarseRows(t *testing.T, table *Table) (rows [][]string) {
	t.Helper()
	for r := range tableRows(rowsText, "") {
		names := strings.Split(r.names, ", ")
		if r.list != "" || inList(coarseExcept, names[0]) || len(names) < manyNames ||
			table.find(names[0]).level > write {
			continue
		}
		rows = append(rows, names)
	}
	return rows
}
