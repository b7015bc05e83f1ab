package code

import (
	"slices"
	"strings"
	"unicode"
)

// losesByName reports whether the name of a call of an unread package says that it
// deletes files or what others keep, or that it runs a program: delete_namespace,
// dropDatabase, remove_tree, run_command.
func (r *reader) losesByName(full string) bool {
	last := strings.ToLower(strings.Trim(strings.ReplaceAll(full[strings.LastIndexByte(full,
		'.')+1:], "_", ""), "!?"))
	// Such short words are too common to count in names of the language itself.
	if r.foreign(full) && has(foreignVerbs, last) {
		return true
	}
	for _, verb := range []string{"deletenamespace", "deleteall", "deletemany", "deletebucket",
		"deletetable",
		"deletestack", "deletecluster", "deletecollection", "deleteindex", "deleteinstance",
		"deletesync", "dropdatabase",
		"droptable", "dropall", "dropcollection", "dropindex", "destroyall", "flushall", "flushdb",
		"purge", "rmrf",
		"terminateinstances", "removeall", "resethard", "deletedatabase", "deleterepo",
		"rmtree", "removetree", "removedir", "removeentry", "removefile", "deletefile", "deletefolder",
		"deletedir",
		"deletetree", "dirdelete", "filedelete", "linkdelete", "rmdir", "rimraf", "unlink", "deltree",
		"emptydir", "emptytrash",
		"movetotrash", "sendtotrash", "killall", "killtree", "runcommand", "runcmd", "execcommand",
		"execcmd",
		"execshell", "shellexec", "runshell", "shellcommand", "spawnprocess", "startprocess"} {
		if strings.HasPrefix(last, verb) {
			return true
		}
	}
	return false
}

// foreignVerbs are names of functions by which a package that nobody has read deletes
// files or runs programs.
const foreignVerbs = " delete remove rm kill exec execp execv execve execvp spawn system popen " +
	"fork sh shell capture trash wipe erase destroy uninstall downgrade rollback "

// A call is a call that no list has, of a package that nobody has read.
type call struct {
	full   string // as its text names it
	path   string // with what its chain begins with: git.Repo.head.reset
	words  []string
	args   [][]token
	direct bool // the package's own function, and none of what it gives
}

// byName says by its name and its arguments what a call of a package does. Plain
// computing does nothing to the world.
func (r *reader) byName(c *call) {
	switch {
	case r.reachesSecrets(c), r.loses(c):
		r.act(Unknown, c.full)
	case r.talks(c):
		r.act(Net, c.full, r.argument(c.args, 0))
	}
	r.startsByText(c)
	r.touches(c)
}

// Words of names. A verb begins a name, or ends it as in drive_upload.
const (
	netAnywhere = " download downloads downloader upload uploads uploader deploy deploys publish " +
		"sendmail webhook s3 gcs "
	netVerbs = " push pull login signin submit release tweet subscribe serve crawl scrape " +
		"broadcast mirror "
	sendNouns = " message messages mail email sms photo document notification request tweet text " +
		"event events file data metrics "
	graveVerbs = " delete remove drop destroy purge wipe erase terminate truncate trash uninstall " +
		"unlink rm kill "
	graveNouns = " dir dirs directory file files tree folder path paths bucket database db table " +
		"tables collection repo repository branch " +
		"cluster stack instance instances all volume container image namespace topic snapshot user " +
		"account project release tag keyspace " +
		"schema env environment keychain process pid blob object objects secret key "
	secretNouns = " password passwords secret secrets credential credentials passphrase keychain " +
		"cookies creds "
	readVerbs = " get read find fetch show load list decrypt reveal retrieve dump extract "
	saysVerbs = " print echo log info debug warn warning error write text say puts comment note " +
		"title describe it test match search sub compile "
	startVerbs = " run serve start listen launch bind server runserver simple app main up "
	loadVerbs  = " load import source run exec render knit purl document register test check " +
		"compile include require use eval plugin all library" +
		" dlopen open_library install "
	writeVerbs = " set write save put create make dump export store copy move rename add init " +
		"touch append edit sync link setxattr symlink convert to "
)

// talks reports whether the call talks to other machines.
func (r *reader) talks(c *call) bool {
	first, last := c.words[0], c.words[len(c.words)-1]
	text := r.argument(c.args, 0)
	switch {
	case slices.ContainsFunc(c.words, func(w string) bool { return has(netAnywhere, w) }):
		return true
	case c.speaks("send"), c.speaks("post"):
		return true
	// fetchone and the like read rows of a database that is open already.
	case first == "fetch":
		return len(c.words) > 1 && !has(" all one many row rows val value assoc array object column ",
			c.words[1]) || c.direct
	// R's packages use pull and the like for tables (dplyr::pull).
	case c.direct && (has(netVerbs, first) || has(netVerbs, last)):
		return true
	case first == "install":
		return c.direct && (len(c.args) > 0 || len(c.words) > 1)
	case first == "clone" || first == "push" || first == "pull":
		if elsewhere(text) || has(" origin upstream ", text) || len(c.words) > 1 &&
			has(" from repo repository ", c.words[1]) {
			return true
		}
	case first == "listen":
		return c.direct || len(c.args) > 0
	// A server on all addresses can be reached from other machines.
	case has(startVerbs, first) || has(startVerbs, last) || has(" bind host address ", text):
		for n := range c.args {
			if v := r.argument(c.args, n); v == "0.0.0.0" || v == "::" {
				return true
			}
		}
	}
	if slices.ContainsFunc(strings.Split(c.path, "."), func(piece string) bool {
		return piece == "hub" || piece == "downloader" || strings.HasSuffix(piece, "_hub")
	}) && has(" load get list snapshot pull model search info create ", first) && last != "dir" {
		return true
	}
	for _, arg := range c.args {
		// As in download=True, which datasets and models have.
		if len(arg) > 2 && strings.EqualFold(arg[2].text, "true") && arg[0].kind == word &&
			slices.ContainsFunc(nameWords(arg[0].text),
				func(w string) bool { return has(" download pretrained upload push remote share ", w) }) {
			return true
		}
	}
	return false
}

// speaks reports whether the name says that a message is sent: send_mail,
// chat_postMessage.
func (c *call) speaks(verb string) bool {
	i := slices.Index(c.words, verb)
	return i >= 0 && i+1 < len(c.words) && has(sendNouns, c.words[i+1])
}

// elsewhere reports whether a text is an address on another machine.
func elsewhere(text string) bool {
	return strings.Contains(text, "://") && !strings.HasPrefix(text, "file:") ||
		strings.HasPrefix(text, "git@") ||
		strings.HasPrefix(text, "github:")
}

// argumentIs reports whether the argument is given by one of the names.
func (r *reader) argumentIs(arg []token, names ...string) bool {
	return len(arg) > 2 && arg[0].kind == word &&
		(arg[1].is("=") || arg[1].is(":") || arg[1].is("=>")) &&
		slices.Contains(names, arg[0].text)
}

// reachesSecrets reports whether the call returns what is kept as a secret.
func (r *reader) reachesSecrets(c *call) bool {
	last := c.words[len(c.words)-1]
	return len(c.words) > 1 && has(readVerbs, c.words[0]) && has(secretNouns, last) ||
		c.direct && len(c.words) > 1 && has(secretNouns, c.words[0]) && has(readVerbs, last)
}

// loses reports whether the call removes what others keep.
func (r *reader) loses(c *call) bool {
	first, last := c.words[0], c.words[len(c.words)-1]
	if has(graveVerbs, first) {
		return len(c.words) > 1 && slices.ContainsFunc(c.words[1:],
			func(w string) bool { return has(graveNouns, w) })
	}
	if c.direct && len(c.words) > 1 && has(graveNouns, first) &&
		has(graveVerbs, last) {
		return true
	}
	// These lose something only with an argument that forces them.
	if !has(" reset checkout push sync clean restore revert drop ", first) {
		return false
	}
	for n, arg := range c.args {
		if text := r.argument(c.args, n); has(" hard --hard -f --force -fd -fdx ", text) ||
			len(arg) > 0 &&
				strings.Contains(strings.ToUpper(arg[len(arg)-1].text), "HARD") {
			return true
		}
		// As in {force: true}, or force=True.
		for k := 0; k+2 < len(arg); k++ {
			if has(" force working_tree hard ", arg[k].text) &&
				(arg[k+1].is("=") || arg[k+1].is(":") || arg[k+1].is("=>")) &&
				strings.EqualFold(arg[k+2].text, "true") {
				return true
			}
		}
	}
	return false
}

// ranPrograms are programs that are usually started to change something or to reach
// another machine.
const ranPrograms = " rm mv cp dd sh bash dash zsh curl wget git sudo chmod chown tee kill " +
	"pkill ssh scp nc docker kubectl npm pip python python3 node " +
	"perl ruby env find xargs systemctl crontab apt apt-get brew make "

// startsByText notes arguments that are commands: a text that begins with a program and
// goes on with words, or a program's name before a list of words.
func (r *reader) startsByText(c *call) {
	if has(saysVerbs, c.words[0]) {
		return
	}
	for n, arg := range c.args {
		for _, t := range arg {
			// A template engine would run it.
			if t.kind == str && runsInside(t.text) {
				r.act(Unknown, c.full)
			}
			program, rest, _ := strings.Cut(t.text, " ")
			if t.kind == str && len(arg) > 1 && rest != "" && has(ranPrograms, program) {
				r.act(Shell, c.full, t.text)
			}
		}
		text := r.argument(c.args, n)
		program, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
		if !has(ranPrograms, program) {
			continue
		}
		if rest != "" {
			r.act(Shell, c.full, text)
		} else if n == 0 && len(c.args) > 1 && len(c.args[1]) > 0 &&
			(c.args[1][0].is("[") || c.args[1][0].kind == str) {
			r.argv(c.full, c.args)
		}
	}
}

// runsInside reports whether a text that a package may evaluate, such as a template,
// holds code that runs programs.
func runsInside(text string) bool {
	for _, mark := range []string{"os.system(", "os.popen(", "subprocess.", "child_process",
		"mainModule", "Runtime.getRuntime", "Kernel.system"} {
		if strings.Contains(text, mark) {
			return true
		}
	}
	return false
}

// touches notes the paths among the arguments that lead out of the workspace. The name
// tells whether the call runs, writes or reads them.
func (r *reader) touches(c *call) {
	for n := range c.args {
		if n > 8 {
			return
		}
		path := strings.TrimPrefix(r.argument(c.args, n), "file://")
		if !strings.HasPrefix(path, "/") && !strings.HasPrefix(path, "~") &&
			!strings.HasPrefix(path, "../..") ||
			strings.ContainsAny(path, " \n"+Hole) || len(path) < 3 {
			continue
		}
		any := func(list string) bool {
			return slices.ContainsFunc(c.words, func(w string) bool { return has(list, w) })
		}
		dot := strings.LastIndexByte(path, '.') + 1
		switch {
		case has(" so dll dylib Rmd qmd R r py js mjs cjs rb pl lua ipynb jl exs pkl pickle joblib "+
			"keras h5 pt pth ckpt whl gem jar ", path[dot:]) &&
			dot > 0, any(loadVerbs) && !any(" data csv json image dataset file text config yaml toml "):
			r.act(Load, c.full, path)
		case any(writeVerbs), r.opensToWrite(c.args):
			r.act(Write, c.full, path)
		default:
			r.act(Read, c.full, path)
		}
	}
}

// opensToWrite reports whether an argument is the mode of a file that is written.
func (r *reader) opensToWrite(args [][]token) bool {
	for n := range args {
		if has(" w a x wb ab w+ r+ a+ rw wt ", r.argument(args, n)) {
			return true
		}
	}
	return false
}

// nameWords returns the words of a name in small letters, for dbExecute and db_execute
// alike.
func nameWords(name string) (words []string) {
	from, lower := 0, false
	add := func(to int) {
		if to > from {
			words = append(words, strings.ToLower(name[from:to]))
		}
		from = to
	}
	for i, c := range name {
		switch {
		case !unicode.IsLetter(c) && !unicode.IsDigit(c):
			add(i)
			from = i + len(string(c))
			lower = false
		case unicode.IsUpper(c) && lower:
			add(i)
			lower = false
		default:
			lower = unicode.IsLower(c) || unicode.IsDigit(c)
		}
	}
	add(len(name))
	return words
}

// has reports whether a list of words, separated by spaces, contains the word.
func has(list, w string) bool {
	return w != "" && strings.Contains(list, " "+w+" ")
}
