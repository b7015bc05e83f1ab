package classify

import (
	"path"
	"strings"
	"unicode/utf8"
)

// What a program runs out of a text that is no shell's, a setting or another language's code, is
// not read as commands. A deny or ask rule holds for it all the same: it looks for the names of
// its commands in the text.

// maxRuns bounds how much of such texts a part keeps, and maxAfter how many words behind a
// program's name may be the rest of a pattern.
const (
	maxRuns  = 16_000
	maxAfter = 40
)

// runsText notes a text with commands in it that no part stands for.
func (p *Part) runsText(text string) {
	if text != "" && len(p.Runs)+len(text) < maxRuns {
		p.Runs += text + "\n"
	} else if text != "" {
		p.Unread = true
	}
}

// runsWords is runsText for words.
func (p *Part) runsWords(words []word) {
	for _, wd := range words {
		p.runsText(wd.text)
	}
}

// mentioned reports whether a text that the part runs has the pattern's program in it, and
// behind it the plain words of the pattern. The quotes and signs of whatever language are not
// looked at.
func (p *Pattern) mentioned(part *Part) bool {
	if part.Runs == "" || strings.Trim(p.words[0], "*") == "" {
		return false
	}
	words := strings.FieldsFunc(part.Runs, partsNames)
	for i, w := range words {
		if !strings.Contains(p.words[0], "/") {
			w = path.Base(w)
		}
		if glob(p.words[0], w) && p.follows(words[i+1:min(len(words), i+1+maxAfter)]) {
			return true
		}
	}
	return false
}

// follows reports whether the words of the pattern behind its program are among the words.
func (p *Pattern) follows(words []string) bool {
	for _, flag := range p.flags {
		if !anyGlob(flag, words) {
			return false
		}
	}
	for _, w := range p.words[1:] {
		if plain := !strings.ContainsFunc(w, partsNames); plain && !anyGlob(w, words) {
			return false
		}
	}
	return true
}

func anyGlob(pattern string, words []string) bool {
	for _, w := range words {
		if glob(pattern, w) {
			return true
		}
	}
	return false
}

// partsNames reports whether no name of a program has the letter in it.
func partsNames(c rune) bool {
	const signs = "_-.+/~"
	return c < utf8.RuneSelf && !strings.ContainsRune(signs, c) &&
		(c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z')
}

// keepsForRules notes what the command runs that no part stands for: the values by which git
// starts programs, and the words and the input of a command of which no more is known than that
// it may run other code.
func (a *argv) keepsForRules() {
	program, _, _ := strings.Cut(a.name, " ")
	words := a.words[:len(a.words)-len(a.rest)]
	if a.strange > 0 { // of a flag that is not known the value may begin the rest
		words = a.words
	}
	switch name := strings.ReplaceAll(a.name, " ", "+"); {
	case inList(runsItsWords, name), inList(" kubectl oc ", name) &&
		inList(" exec run debug rsh ", first(a.operands, "").text):
	case program == "git":
		a.keepsForGit()
		return
	case inList(runsItsOptions, program):
		words = optionsOnly(words)
	case a.p.Level != destructive || inList(losesItsWords, program) || beside(a.p.Row):
		return
	}
	a.p.runsWords(words)
	if a.in.known || a.in.here {
		a.p.runsText(a.in.text)
	}
}

// keepsForGit is keepsForRules for settings, and for addresses that are commands.
func (a *argv) keepsForGit() {
	for i, wd := range a.words {
		switch {
		case a.name == "git config", strings.HasPrefix(wd.text, "ext::"):
			a.p.runsText(wd.text)
		case strings.HasPrefix(wd.text, "-c"):
			a.p.runsText(strings.TrimPrefix(wd.text, "-c"))
			a.p.runsWords(a.words[i+1 : min(i+2, len(a.words))])
		}
	}
}

// optionsOnly returns the words that are or may be values of flags.
func optionsOnly(words []word) (values []word) {
	for i, wd := range words {
		if i > 0 && strings.HasPrefix(words[i-1].text, "-") || strings.HasPrefix(wd.text, "-") {
			values = append(values, wd)
		}
	}
	return values
}

const (
	// losesItsWords are the programs of which a level from destructive on says that they lose what
	// they name.
	losesItsWords = " rm rmdir unlink shred truncate mv cp dd ln tee sed find install rsync " +
		"chmod chown touch mkdir rename sort grep cat ls tar zip unzip kill pkill killall brew apt " +
		"npm pip gio xdg-open "

	// runsItsWords are the programs that start what their words say where no level tells that: in
	// a container, on another machine, as another account, or for a project.
	runsItsWords = " docker+run docker+create docker+exec podman+run podman+create podman+exec " +
		"nerdctl+run docker+compose+run docker+compose+exec heroku+run heroku fly " +
		"gcloud+compute+ssh gh+codespace gh+alias+set salt salt-call ansible ansible-console " +
		"pipx+run uv+run uv+tool+run uvx poetry+run pipenv+run hatch+run pdm+run rye+run conda+run " +
		"mamba+run micromamba+run bundle+exec rbenv+exec pyenv+exec nodenv+exec asdf+exec mise " +
		"pnpm+exec yarn+exec yarn+run nix+run nix+shell nix+develop guix+environment guix+shell " +
		"consul etcdctl su runuser nsenter setpriv capsh machinectl lxc-attach lxc-execute flatpak " +
		"snap+run cgexec ip tc rsh lerna+exec composer+exec fab git+filter-branch git+filter-repo " +
		"git+mergetool git+difftool git+instaweb git+daemon git+hook git+cvsimport git+remote-ext " +
		"git+for-each-repo aws+ssm sem "

	// runsItsOptions are those that start what an option says, or what stands in their input.
	runsItsOptions = " ssh scp sftp mosh et svn ftp lftp ncftp smbclient telnet aria2c yt-dlp " +
		"youtube-dl rclone restic borg duplicity unison transmission-cli w3m lynx elinks irssi " +
		"weechat mutt neomutt cvs hg openvpn tcpdump pppd dhclient dpkg mongosh mongo impala-shell " +
		"sqlplus isql usql sqlcmd cqlsh litecli jupyter scrapy rpm psql mysql mariadb "
)
