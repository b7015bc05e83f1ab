// Ua-journal-index keeps an SQLite database of the user's journals, for questions that
// SQL answers best. The journals are the truth: the database can be removed at any time
// and is then made again.
package main

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/safefile"
	"ua/internal/common/xdg"
)

func main() { prog.Main("ua-journal-index", start) }

// help is the text of --help.
const help = `usage: ua-journal-index [--db FILE] [--from DIR] [--json] [QUESTION|SQL]
       ua-journal-index [--db FILE] [--from DIR] [--project DIR] recall WORD ...

Bring the database up to date with the journals, then answer a question: what
was spent per day and model, which commands were denied, which were the slowest,
or any SQL query. recall finds what was asked, run and answered. The tables are
runs, responses, calls and words.

QUESTION is spend, denied or slow.

  --db FILE        use this database (index.db in ua's cache folder)
  --from DIR       ask about the runs that were shipped to this folder
  --json           print each row as a JSON object instead of CSV
  --project DIR    recall: look in the runs of this project only
  --help           print this help
  --version        print the version`

// start updates the database and then answers the question, if there is one.
func start(env *prog.Env) error {
	fs := prog.Flags()
	path := fs.String("db", filepath.Join(xdg.Cache(), "index.db"), "")
	from := fs.String("from", "", "")
	project := fs.String("project", "", "")
	asJSON := fs.Bool("json", false, "")
	if err := env.Parse(fs, env.Args, help); err != nil {
		return err
	}
	question := question(strings.Join(fs.Args(), " "))
	list, err := run.List(run.Root())
	if *from != "" {
		list, err = run.Shipped(*from)
		if !given(fs, "db") {
			sum := sha256.Sum256([]byte(safefile.Follow(*from)))
			*path = filepath.Join(xdg.Cache(), fmt.Sprintf("index-%x.db", sum[:6]))
		}
	}
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(*path), 0o700); err != nil {
		return err
	}
	x, err := open(*path)
	if err != nil {
		return err
	}
	defer x.db.Close()
	if err := x.update(list); err != nil {
		return err
	}
	switch {
	case question == "":
		return nil
	case fs.Arg(0) == "recall" && fs.NArg() > 1:
		return x.recall(env.Out(), fs.Args()[1:], *project, recallMost)
	}
	return x.answer(env.Out(), question, *asJSON)
}

// given reports whether an option is on the command line.
func given(fs *flag.FlagSet, name string) (is bool) {
	fs.Visit(func(f *flag.Flag) { is = is || f.Name == name })
	return is
}
