package classify

import "strings"

// sends is the rule for a value of which @FILE is a file.
func (a *argv) sends(val word, flag string) {
	if _, file, ok := strings.Cut(val.text, "@"); ok && !strings.Contains(val.text, "=") &&
		inList(" --data-urlencode --url-query ", flag) {
		val = val.with("@" + file) // NAME@FILE
	}
	i := strings.IndexAny(val.text, "@<")
	if i < 0 || i > 0 && val.text[i-1] != '=' && val.text[i-1] != ';' {
		a.out |= val.from
		return
	}
	file := val.cut(i + 1)
	if file.text, _, _ = strings.Cut(file.text, ";"); file.text != "-" {
		a.reads(file)
	}
}

// gitSends is the rule for a secret that git takes up and sends with a later command: a file that
// is added, a message or a note that is read from one, an address that holds it.
func (a *argv) gitSends(from flow) {
	switch a.name {
	case "cp", "install", "ln", "mv", "rsync":
		if n := len(a.operands); n > 0 && (from|a.out)&fromSecret != 0 {
			a.w.copied = a.w.copied || a.w.inWorkspace(a.w.at(a.operands[n-1].text, a.sc))
		}
	case "git add", "git stage", "git commit", "git notes", "git tag", "git remote", "git config",
		"git hash-object", "git remote add", "git remote set-url", "git notes add", "git stash":
		a.w.committed = a.w.committed || (from|a.out)&fromSecret != 0 ||
			a.row.name != "git config" && a.addsDumped()
	case "git push", "git fetch", "git pull", "git ls-remote", "git send-pack", "git remote update":
		if a.w.committed {
			a.out |= fromSecret
		}
	}
}

// addsDumped reports whether git takes up a file into which the command has put a secret.
func (a *argv) addsDumped() bool {
	all := a.flagged("-A", "--all", "-a") || a.letter("A") || a.letter("a") ||
		len(a.operands) > 0 && a.anyWhole(a.operands)
	if all && a.w.copied {
		return true
	}
	for _, file := range a.w.dumped {
		at := a.w.place(file)
		if all && a.w.inWorkspace(at) {
			return true
		}
		for _, o := range a.operands {
			if folder := a.w.at(o.text, a.sc).abs; at.within(folder) {
				return true
			}
		}
	}
	return false
}

// typesSecrets is the rule for a program for files on another machine whose input says which of
// them it sends.
func (a *argv) typesSecrets() {
	if !inList(" sftp ftp lftp ncftp tftp smbclient ", a.name) || !a.in.known && !a.in.here {
		return
	}
	for line := range strings.Lines(a.in.text) {
		words := strings.Fields(line)
		if len(words) < 2 || !inList(" put mput reput send append mirror ", words[0]) {
			continue
		}
		for _, text := range words[1:] {
			a.reads(lit(text))
		}
	}
}

// curlConfig is the rule for options of curl that its input holds.
func (a *argv) curlConfig() {
	file, ok := a.value("-K", "--config")
	switch {
	case !ok || !inList(" - /dev/stdin ", file.text):
	case !a.in.known:
		a.p.Unread = true
	default:
		for line := range strings.Lines(a.in.text) {
			name, val, _ := strings.Cut(strings.TrimLeft(strings.TrimSpace(line), "-"), "=")
			if val == "" {
				name, val, _ = strings.Cut(name, " ")
			}
			words := []word{lit("curl"), lit("--" + strings.TrimSpace(name)),
				lit(strings.Trim(val, `" `))}
			a.out |= a.w.run(words, stream{}, a.sc.sub(), &a.p.Parts).bits
		}
	}
}

// givesSecrets is the rule for what a program that keeps secrets prints: a plain sender of bytes
// sends it to whom it is told to.
func (a *argv) givesSecrets() {
	if a.flagged("--export-secret-keys", "--export-secret-subkeys") {
		a.out |= fromSecret
	}
	program, _, _ := strings.Cut(a.name, " ")
	for _, keeper := range secretKeepers {
		if rest, ok := strings.CutPrefix(keeper, program); ok && a.begins(rest) {
			a.out |= fromState
			return
		}
	}
	if a.in.bits&fromState != 0 && inList(" curl wget http https xh nc ncat netcat socat telnet ",
		a.name) {
		a.p.hold("pipe:secret", a.name+" sends what another command tells of secrets")
	}
}

// begins reports whether the words are those of the text, whatever follows.
func (a *argv) begins(text string) bool {
	n := 0
	for name := range strings.FieldsSeq(text) {
		if n >= len(a.words) || a.words[n].text != name {
			return false
		}
		n++
	}
	return text == "" || text[0] == ' '
}

// secretKeepers print secrets: how they are called for that.
var secretKeepers = []string{"pass", "gopass", "gh auth token", "glab auth token",
	"gcloud auth print-access-token", "gcloud auth print-identity-token",
	"gcloud secrets versions access", "gcloud auth application-default print-access-token",
	"aws configure get", "aws configure export-credentials", "aws sts get-session-token",
	"aws sts assume-role", "aws secretsmanager get-secret-value", "aws ssm get-parameter",
	"aws ssm get-parameters", "aws ecr get-login-password", "az account get-access-token",
	"az keyvault secret show", "vault kv get", "vault read", "vault print token", "op read",
	"op item get", "bw get", "lpass show", "keepassxc-cli show", "secret-tool lookup",
	"security find-generic-password", "security find-internet-password",
	"kubectl config view --raw", "kubectl get secret", "kubectl get secrets",
	"kubectl create token", "oc get secret", "oc get secrets", "oc whoami -t", "sops -d",
	"sops --decrypt", "sops decrypt", "age -d", "age --decrypt", "rage -d",
	"git credential fill", "heroku auth:token", "doppler secrets", "chamber read",
	"chamber export", "infisical secrets", "firebase login:ci"}
