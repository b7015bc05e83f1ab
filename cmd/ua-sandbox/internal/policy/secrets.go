package policy

import (
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ua/internal/common/config"
)

// inHome are the places below a home that hold keys, tokens, sessions or what a
// person typed. Names are those that the programs' own manuals give.
const inHome = `
.ssh .rhosts .gnupg .password-store .age .config/sops .vault-token .local/share/keyrings .local/share/kwalletd .pki
.aws .azure .oci .boto .s3cfg .kube .docker .fly/config.yml .heroku .netlify .databrickscfg .snowsql .kaggle .bluemix .ibmcloud
.config/gcloud .config/doctl .config/hcloud .config/rclone .config/linode-cli .config/containers/auth.json
.terraformrc .terraform.d/credentials.tfrc.json .pulumi/credentials.json
.netrc .git-credentials .config/git/credentials .config/gh .config/glab-cli .config/hub .config/github-copilot
.npmrc .yarnrc.yml .pypirc .config/pip/pip.conf .cargo/credentials .cargo/credentials.toml .gem/credentials
.m2/settings.xml .m2/settings-security.xml .gradle/gradle.properties .composer/auth.json .config/composer/auth.json .nuget/NuGet
.pgpass .my.cnf .mylogin.cnf .config/op .config/1Password .config/Bitwarden .config/keepassxc
.claude.json .claude/.credentials.json .codex/auth.json .gemini .anthropic .config/openai .huggingface/token .cache/huggingface/token
.mozilla .thunderbird .config/google-chrome .config/chromium .config/BraveSoftware .config/microsoft-edge .config/vivaldi .config/opera
.cache/mozilla .cache/google-chrome .cache/chromium snap/firefox snap/chromium .var/app
.config/Signal .config/Slack .config/discord .local/share/TelegramDesktop .purple .config/evolution .local/share/evolution
.bitcoin .ethereum .electrum .config/solana .Xauthority .ICEauthority .config/pulse/cookie
.bash_history .zsh_history .sh_history .python_history .node_repl_history .psql_history .mysql_history .sqlite_history
.rediscli_history .lesshst .viminfo .wget-hsts .local/share/fish/fish_history
Library/Keychains Library/Cookies Library/Mail Library/Messages Library/Safari Library/Application\ Support/Google/Chrome
Library/Application\ Support/Firefox Library/Application\ Support/BraveSoftware Library/Application\ Support/Arc
Library/Application\ Support/com.apple.TCC Library/Group\ Containers`

// inSystem are the machine's own: a command of root could read them by their
// owner, even without a capability.
const inSystem = `
/etc/shadow /etc/shadow- /etc/gshadow /etc/gshadow- /etc/sudoers /etc/sudoers.d /etc/ssl/private /etc/krb5.keytab
/etc/ssh/ssh_host_*_key /etc/NetworkManager/system-connections /etc/wireguard /etc/ppp/chap-secrets /etc/kubernetes
/etc/rancher /etc/docker/key.json /etc/ipsec.secrets /run/secrets /var/run/secrets /var/lib/docker /var/lib/kubelet
/var/lib/sss/secrets /var/backups /swapfile /swap.img`

// pointers are variables that name a secret's place.
const pointers = `GNUPGHOME AWS_SHARED_CREDENTIALS_FILE AWS_CONFIG_FILE KUBECONFIG DOCKER_CONFIG NETRC PGPASSFILE
GOOGLE_APPLICATION_CREDENTIALS AZURE_CONFIG_DIR CLOUDSDK_CONFIG HISTFILE XAUTHORITY NPM_CONFIG_USERCONFIG PIP_CONFIG_FILE`

// harmless are files that hold a registry's token on some machines only, and
// settings that programs need on all others.
const harmless = `.npmrc .yarnrc.yml .config/pip/pip.conf .m2/settings.xml .gradle/gradle.properties`

// secrets is every path that no profile may read, whether it exists or not.
func secrets(home string) (paths []string) {
	add := func(path string) {
		if filepath.IsAbs(path) && path != "/" && !slices.Contains(paths, path) {
			paths = append(paths, filepath.Clean(path))
		}
	}
	homes := []string{home}
	if h := accountHome(); h != "" && h != home {
		homes = append(homes, h)
	}
	plain := fields(harmless)
	for _, h := range homes {
		for _, name := range fields(inHome) {
			if path := filepath.Join(h, name); !slices.Contains(plain, name) || holdsToken(path) {
				add(path)
			}
		}
	}
	for _, pattern := range fields(inSystem) {
		if !strings.ContainsRune(pattern, '*') {
			add(pattern)
		} else if found, err := filepath.Glob(pattern); err == nil {
			paths = append(paths, found...)
		}
	}
	for _, name := range fields(pointers) {
		for _, path := range filepath.SplitList(os.Getenv(name)) {
			if _, err := os.Stat(path); err == nil && !slices.Contains(homes, filepath.Clean(path)) {
				add(path)
			}
		}
	}
	if x := os.Getenv("XDG_CONFIG_HOME"); filepath.IsAbs(x) {
		for _, name := range fields(inHome) {
			if rest, ok := strings.CutPrefix(name, ".config/"); ok {
				add(filepath.Join(x, rest))
			}
		}
	}
	add(config.Dir())
	add(config.StateDir())
	return paths
}

// fields splits at white space; "\ " stands for a space in a name.
func fields(s string) []string {
	list := strings.Fields(strings.ReplaceAll(s, `\ `, "\x00"))
	for i, f := range list {
		list[i] = strings.ReplaceAll(f, "\x00", " ")
	}
	return list
}

// holdsToken says whether a file of settings holds a secret too.
func holdsToken(path string) bool {
	text, err := os.ReadFile(path)
	if err != nil {
		return !os.IsNotExist(err)
	}
	low := strings.ToLower(string(text))
	for _, word := range []string{"_auth", "token", "password", "passwd", "secret", "apikey"} {
		if strings.Contains(low, word) {
			return true
		}
	}
	for _, line := range strings.Split(low, "\n") {
		if _, rest, ok := strings.Cut(line, "://"); ok && strings.Contains(rest, "@") {
			return true
		}
	}
	return false
}

// accountHome is the home that the user database gives: HOME may say another.
func accountHome() string {
	u, err := user.LookupId(strconv.Itoa(os.Getuid()))
	if err != nil || !filepath.IsAbs(u.HomeDir) || u.HomeDir == "/" {
		return ""
	}
	return u.HomeDir
}

// linksTo are the symbolic links in home, or one folder below it, on the way of
// the well-known names to real.
func linksTo(real, home string) (links []string) {
	for _, name := range fields(inHome) {
		path := home
		for _, part := range strings.Split(name, "/") {
			path = filepath.Join(path, part)
			info, err := os.Lstat(path)
			if err != nil {
				break
			}
			if info.Mode()&os.ModeSymlink == 0 {
				continue
			}
			if to, err := filepath.EvalSymlinks(path); err == nil && Under(real, to) {
				links = append(links, path)
			}
			break
		}
	}
	return links
}
