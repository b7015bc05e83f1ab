package classify

import (
	"slices"
	"strings"
)

// tellsState notes of a program's output that passwords are among what it tells of a system:
// the environment of processes and containers, the outputs of infrastructure, settings. It may
// go anywhere that such output goes; who picks the passwords out of it reads secrets.
func (a *argv) tellsState() {
	if a.name == "cmake" && len(a.operands) > 0 && a.operands[0].text == "environment" ||
		a.name == "make" && a.flagged("-p", "--print-data-base") {
		a.out |= fromSecret
	}
	a.givesSecrets()
	switch a.name {
	case "npm run", "pnpm run", "yarn run", "npm run-script":
		if len(a.operands) == 1 && a.operands[0].text == "env" {
			a.out |= fromSecret
		}
	case "systemctl show-environment", "systemctl cat",
		"launchctl print", "docker inspect",
		"docker container inspect", "podman inspect", "podman container inspect",
		"nerdctl inspect", "crictl inspect", "lxc config", "incus config",
		"docker compose config", "docker-compose config", "docker compose convert",
		"docker-compose convert", "podman compose config", "terraform output", "terraform show",
		"terraform state", "tofu output", "tofu show", "tofu state", "terragrunt output",
		"terragrunt show", "ansible-inventory", "npm config", "pnpm config", "yarn config",
		"pip config", "pip config list", "pip config debug", "conda config", "poetry config",
		"composer config", "bundle config", "gem env", "helm get", "cargo config",
		"gcloud config", "gh config", "glab config", "direnv export", "direnv dump", "mise env",
		"puppet lookup", "puppet config", "salt-call", "fc", "pulumi config", "pulumi stack",
		"cdk context":
		a.out |= fromState
	}
}

// pickers are programs that print what they find in their input.
const pickers = " grep egrep fgrep ggrep zgrep rg ag ugrep awk gawk mawk sed gsed jq yq gojq " +
	"jaq dasel gron look fzf perl python python3 ruby node xq tomlq jp jello mlr qsv xsv " +
	"csvgrep fx rq xmllint xidel "

// pickMarks are parts of the names of secrets.
var pickMarks = []string{"token", "secret", "passw", "credential", "api_key", "apikey", "_key",
	"private", "passphrase"}

// picks is the rule for a program that picks secrets out of what it reads, as
// env | grep TOKEN does. Counting and testing show none.
func (a *argv) picks() {
	from := a.in.bits
	for _, wd := range a.words {
		from |= wd.from & fromPicked // <(env)
	}
	if len(a.w.dumped) > 0 {
		for _, o := range append(a.operands[:len(a.operands):len(a.operands)], lit(a.in.file)) {
			if o.text != "" && slices.Contains(a.w.dumped, a.w.at(o.text, a.sc).abs) {
				from |= fromSecret
			}
		}
	}
	if from&fromPicked == 0 || !inList(pickers, a.name) {
		return
	}
	for _, wd := range a.words {
		if strings.HasPrefix(wd.text, "-") && !strings.HasPrefix(wd.text, "--") &&
			strings.Contains(a.name, "grep") && strings.ContainsAny(wd.text, "vcqlL") ||
			wd.text == "--quiet" || wd.text == "--count" {
			return
		}
	}
	short := []string{"pass", "cred", "key", "auth", "pat"}
	if from&fromSecret == 0 {
		short = short[:2] // a service or a field may have the others' names
	}
	for _, wd := range a.words {
		low := strings.ToLower(wd.text)
		says := func(mark string) bool { return strings.Contains(low, mark) }
		if from&fromSecret == 0 && says("public") {
			continue
		}
		if slices.ContainsFunc(pickMarks, says) || slices.Contains(short, strings.Trim(low, "^=*.")) ||
			from&fromState != 0 && says(".env") && !says("/") {
			a.p.raise(destructive, "env:secret", a.name+" picks secret variables")
		}
	}
}

// searchesSecrets is the rule for a search that is told by a pattern of names to look into files
// that are secrets, or that picks their names out of a list for another program.
func (a *argv) searchesSecrets() {
	if !strings.HasSuffix(a.name, "grep") && !inList(" rg ag ugrep ", a.name) {
		return
	}
	for i, wd := range a.words {
		name, val, set := strings.Cut(wd.text, "=")
		if !inList(" -g --glob --iglob --include ", name) {
			continue
		}
		if !set {
			val = first(a.words[i+1:], "").text
		}
		a.reads(lit(val))
	}
	if a.in.open && len(a.operands) > 0 && len(a.operands[0].text) < 80 &&
		!a.flagged("-v", "--invert-match") {
		name := strings.NewReplacer(`\`, "", "^", "", "$", "").Replace(a.operands[0].text)
		if a.lists(lit(name)); secretFile(name) {
			a.out |= fromNames
		}
	}
}
