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
.ssh .rhosts .gnupg .password-store .age .config/age .config/sops .vault-token .local/share/keyrings .local/share/kwalletd .pki
.aws .azure .oci .boto .s3cfg .kube .docker .fly/config.yml .heroku .netlify .databrickscfg .snowsql .kaggle .bluemix .ibmcloud
.minikube .rancher .supabase .wrangler .ngrok2 .snowflake .dbt .config/scw .config/stripe .config/ngrok .config/netlify .config/kaggle .config/heroku
.config/.wrangler .config/configstore .local/share/com.vercel.cli .local/share/heroku .config/helm/registry .config/helm/repositories.yaml
.config/gcloud .config/doctl .config/hcloud .config/rclone .config/linode-cli .config/containers/auth.json
.terraformrc .terraform.d/credentials.tfrc.json .pulumi/credentials.json
.netrc .git-credentials .config/git/credentials .config/gh .config/glab-cli .config/hub .config/github-copilot
.npmrc .yarnrc.yml .pypirc .config/pip/pip.conf .pip/pip.conf .bundle/config .curlrc .wgetrc .hgrc .subversion/auth .config/nix/nix.conf .cargo/credentials .cargo/credentials.toml .gem/credentials
.m2/settings.xml .m2/settings-security.xml .gradle/gradle.properties .sbt/.credentials .sbt/credentials .ivy2/.credentials .composer/auth.json .config/composer/auth.json .nuget/NuGet
.msmtprc .config/msmtp .mbsyncrc .fetchmailrc .config/filezilla .pgpass .my.cnf .mylogin.cnf .config/op .config/1Password .config/Bitwarden .config/keepassxc
.claude.json .claude/.credentials.json .codex/auth.json .gemini .anthropic .config/anthropic .openai .config/openai .config/cursor/auth.json .local/share/opencode/auth.json .aider.conf.yml .huggingface/token .cache/huggingface/token
.mozilla .thunderbird .config/google-chrome .config/chromium .config/BraveSoftware .config/microsoft-edge .config/vivaldi .config/opera
.cache/mozilla .cache/google-chrome .cache/chromium snap/firefox snap/chromium .var/app
.config/Signal .config/Slack .config/discord .local/share/TelegramDesktop .purple .config/evolution .local/share/evolution
.bitcoin .ethereum .electrum .config/solana .Xauthority .ICEauthority .config/pulse/cookie
.bash_history .zsh_history .sh_history .python_history .node_repl_history .psql_history .mysql_history .sqlite_history
.histfile .history .zhistory .zsh_sessions .irb_history .Rhistory .gdb_history .local/share/atuin .config/nushell/history.txt .local/share/powershell
.rediscli_history .lesshst .viminfo .wget-hsts .local/share/fish/fish_history
Library/Keychains Library/Cookies Library/Mail Library/Messages Library/Safari Library/Application\ Support/Google/Chrome
Library/Application\ Support/Firefox Library/Application\ Support/BraveSoftware Library/Application\ Support/Arc
Library/Application\ Support/com.apple.TCC Library/Group\ Containers`

// inSystem are the machine's own: a command of root could read them by their
// owner, even without a capability.
const inSystem = `
/etc/shadow /etc/shadow- /etc/gshadow /etc/gshadow- /etc/sudoers /etc/sudoers.d /etc/ssl/private /etc/krb5.keytab
/etc/NetworkManager/system-connections /etc/wireguard /etc/ppp/chap-secrets /etc/kubernetes
/etc/rancher /etc/docker/key.json /etc/ipsec.secrets /run/secrets /var/run/secrets /var/lib/docker /var/lib/kubelet
/var/lib/sss/secrets /var/backups /swapfile /swap.img`

// kernels show root what the kernel and other programs do, also without a
// capability; nobody else can look into them.
const kernels = `/sys/kernel/debug /sys/kernel/tracing /sys/fs/pstore /sys/fs/bpf`

// pointers are variables that name a secret's place.
const pointers = `GNUPGHOME AWS_SHARED_CREDENTIALS_FILE AWS_CONFIG_FILE KUBECONFIG DOCKER_CONFIG NETRC PGPASSFILE
GOOGLE_APPLICATION_CREDENTIALS AZURE_CONFIG_DIR CLOUDSDK_CONFIG HISTFILE XAUTHORITY NPM_CONFIG_USERCONFIG PIP_CONFIG_FILE`

// harmless are files that hold a registry's token on some machines only, and
// settings that programs need on all others.
const harmless = `.npmrc .yarnrc.yml .config/pip/pip.conf .pip/pip.conf .bundle/config .curlrc .wgetrc .hgrc .config/nix/nix.conf .aider.conf.yml .m2/settings.xml .gradle/gradle.properties`

// A secret is a path that no profile may read, and the symbolic link in a home
// that leads there, if one does.
type secret struct{ path, link string }

// secrets are the secrets that exist here, and the paths of those that don't.
func secrets(t tree, home string) (found []secret, missing []string) {
	add := func(path, below string) {
		link, ok := t.walk(path, below)
		switch {
		case !ok:
			missing = append(missing, path)
		case !slices.Contains(found, secret{path, link}):
			found = append(found, secret{path, link})
		}
	}
	homes := []string{home}
	if h := accountHome(); h != "" && h != home {
		homes = append(homes, h)
	}
	plain := fields(harmless)
	for _, h := range homes {
		for _, name := range fields(inHome) {
			if path := h + "/" + name; !slices.Contains(plain, name) || holdsToken(path) {
				add(path, h)
			}
		}
	}
	system := fields(inSystem)
	if os.Getuid() == 0 {
		system = append(system, fields(kernels)...)
	}
	for _, path := range system {
		add(path, "/")
	}
	for _, path := range pointed(homes) {
		add(path, filepath.Dir(path))
	}
	return found, missing
}

// pointed are the secrets whose places variables name.
func pointed(homes []string) (paths []string) {
	add := func(path string) {
		if filepath.IsAbs(path) && path != "/" && !slices.Contains(homes, path) {
			paths = append(paths, path)
		}
	}
	for _, name := range fields(pointers) {
		for _, path := range filepath.SplitList(os.Getenv(name)) {
			add(filepath.Clean(path))
		}
	}
	if x := os.Getenv("XDG_CONFIG_HOME"); filepath.IsAbs(x) {
		for _, name := range fields(inHome) {
			if rest, ok := strings.CutPrefix(name, ".config/"); ok {
				add(filepath.Join(x, rest))
			}
		}
	}
	if keys, err := filepath.Glob("/etc/ssh/ssh_host_*_key"); err == nil {
		paths = append(paths, keys...)
	}
	for _, path := range settings() {
		add(path)
	}
	add(config.StateDir())
	return paths
}

// settings is what a command may not read of ua's own settings: all but the
// policy and its hooks, by which the gate of a subagent judges too.
func settings() (paths []string) {
	entries, err := os.ReadDir(config.Dir())
	if err != nil {
		return []string{config.Dir()}
	}
	for _, e := range entries {
		if name := e.Name(); name != "policy.toml" && name != "hooks" {
			paths = append(paths, filepath.Join(config.Dir(), name))
		}
	}
	return paths
}

// A tree remembers what was looked at: most of the well-known names lie in a
// few folders that are not there.
type tree struct{ seen map[string]os.FileInfo }

// walk says whether path exists, and the first symbolic link on its way below
// the folder from.
func (t tree) walk(path, from string) (link string, ok bool) {
	for at := len(from); at < len(path); {
		rest := strings.IndexByte(path[at+1:], '/')
		if at++; rest < 0 {
			at = len(path)
		} else {
			at += rest
		}
		info, known := t.seen[path[:at]]
		if !known {
			info, _ = os.Lstat(path[:at])
			t.seen[path[:at]] = info
		}
		if info == nil {
			return "", false
		}
		if info.Mode()&os.ModeSymlink != 0 {
			_, err := os.Stat(path)
			return path[:at], err == nil
		}
	}
	return "", true
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
		return true
	}
	low := strings.ToLower(string(text))
	for _, word := range []string{"_auth", "token", "password", "passwd", "secret", "apikey", "api-key", "authorization"} {
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
