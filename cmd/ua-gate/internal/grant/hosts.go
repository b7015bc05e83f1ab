package grant

import (
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"ua/cmd/ua-gate/internal/finding"
	"ua/internal/common/gitrules"
	"ua/internal/common/safefile"
)

// here reports whether a host is this machine.
func here(host string) bool {
	name, _, _ := strings.Cut(host, ":")
	addr, err := netip.ParseAddr(strings.Trim(host, "[]"))
	if err != nil {
		addr, err = netip.ParseAddr(name)
	}
	return name == "localhost" || strings.Trim(name, ".") == "" || err == nil && addr.IsLoopback()
}

// installers are the programs that ask the registries of the preset "packages".
const installers = ` npm npx pnpm pnpx yarn yarnpkg bun bunx deno pip pip2 pip3 pipx uv uvx poetry
	pdm conda mamba go cargo mvn mvnw gradle gradlew gem bundle bundler composer nuget dotnet cabal
	stack opam mix hex rebar3 dart flutter julia Rscript R cpan cpanm apt apt-get apk `

// installs reports whether the name of a part has one of them in it: "npm install", "python -m
// pip install".
func installs(name string) bool {
	return slices.ContainsFunc(strings.Fields(name), func(word string) bool {
		return slices.Contains(strings.Fields(installers), word)
	})
}

var (
	// webHost finds the hosts of web addresses in a word.
	webHost = lazily(`(?i)\b(?:https?|wss?)://(?:[^\s/@\x00]*@)?` +
		`([a-z0-9.-]+|\[[0-9a-f:.]+\])(:[0-9]+)?`)
	// bareHost is a word that names a host to programs that take a URL without its scheme.
	bareHost = lazily(`(?i)^([a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,})(:[0-9]+)?(?:/|$)`)
	// localHost finds this machine in a word.
	localHost = lazily(`(?:^|[@/=])(?:localhost|127\.[0-9.]+|\[?::1\]?)(?:[:/]|$)`)
)

// lazily compiles a pattern when it is first used: each run starts a gate, and few ask.
func lazily(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

// webHosts returns the hosts that the words of a part name so that the proxy can reach them, and
// whether they name this machine, which the sandbox has for itself.
func webHosts(p *finding.Part, program string) (list []string, local bool) {
	for _, w := range p.Words {
		found := webHost().FindAllStringSubmatch(w.Text, -1)
		if found == nil && w.Known && (program == "curl" || program == "wget") {
			found = bareHost().FindAllStringSubmatch(w.Text, -1)
		}
		for _, m := range found {
			if host := strings.ToLower(m[1]) + m[2]; !slices.Contains(list, host) {
				list = append(list, host)
			}
		}
		if host := remoteHost(w.Text); program == "git" && found == nil && host != "" &&
			strings.Contains(w.Text, "@") {
			list = append(list, host)
		}
		local = local || localHost().MatchString(w.Text)
	}
	return list, local
}

// maxGitConfig is how many bytes of git's settings are read, and maxRemotes how many of
// their hosts count.
const maxGitConfig, maxRemotes = 1 << 20, 8

// remoteHosts returns the hosts of the git remotes that the words name, of all if they name none.
func remoteHosts(p *finding.Part, cwd string) (named []string) {
	read := func(path string) string {
		text, _ := safefile.Read(safefile.Follow(path), maxGitConfig)
		return string(text)
	}
	dir, ok := gitrules.ConfigFolder(cwd, read)
	if !ok {
		return nil
	}
	home, _ := os.UserHomeDir()
	var all []string
	for _, r := range gitrules.Remotes(read("/etc/gitconfig"),
		read(filepath.Join(home, ".config/git/config")), read(filepath.Join(home, ".gitconfig")),
		read(filepath.Join(dir, "config"))) {
		host := remoteHost(r.URL)
		if host == "" || slices.Contains(all, host) {
			continue
		}
		all = append(all, host)
		if slices.ContainsFunc(p.Words, func(w finding.Word) bool { return w.Text == r.Name }) {
			named = append(named, host)
		}
	}
	if named == nil {
		named = all
	}
	return named[:min(len(named), maxRemotes)]
}

// remoteHost returns the host and port of a git remote, a URL or ssh's [USER@]HOST:PATH, and ""
// for a path or a transport that no proxy carries.
func remoteHost(remote string) string {
	if strings.Contains(remote, "://") {
		u, err := url.Parse(remote)
		switch {
		case err != nil:
		case u.Scheme == "http" || u.Scheme == "https":
			return u.Host
		case strings.Contains(u.Scheme, "ssh") && u.Port() == "":
			return u.Host + ":22"
		case strings.Contains(u.Scheme, "ssh"):
			return u.Host
		}
		return ""
	}
	host, _, ok := strings.Cut(remote[strings.IndexByte(remote, '@')+1:], ":")
	if !ok || host == "" || strings.ContainsAny(host, "/[\\ ") {
		return ""
	}
	return strings.ToLower(host) + ":22"
}
