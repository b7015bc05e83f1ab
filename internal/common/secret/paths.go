// Package secret says what is secret on a user's machine: places in the file system,
// names of files, and environment variables.
package secret

import (
	"slices"
	"strings"
)

// A Path is a place that holds keys, tokens, sessions, or what a person has typed.
type Path struct {
	Name     string // parted by slashes; "*" stands for any bytes of one name
	Absolute bool   // Name begins at the root; otherwise it is below a home
	Folder   bool   // the folder and all in it; otherwise a file
	Anywhere bool   // the name tells it in any folder, not in a home alone
	Mixed    bool   // settings that programs need; a secret stands in them on some machines only
	Kernel   bool   // shows root what the kernel does; nobody else can read it
}

// Paths returns all places, in a new slice for each caller. ua's own settings and state
// are not among them: package config knows those.
func Paths() (list []Path) {
	mixed := Fields(mixedPaths)
	for _, rows := range []struct {
		text string
		row  Path
	}{{anywhere, Path{Anywhere: true}}, {inHome, Path{}}, {inSystem, Path{Absolute: true}},
		{kernels, Path{Absolute: true, Kernel: true}}} {
		for _, word := range Fields(rows.text) {
			p := rows.row
			p.Name, p.Folder = strings.CutSuffix(word, "/")
			p.Mixed = slices.Contains(mixed, p.Name)
			list = append(list, p)
		}
	}
	return list
}

// Names returns the names of files that hold a secret wherever they are. "*" stands for
// any bytes.
func Names() []string { return Fields(names) }

// PublicNames returns names that match a pattern of Names but hold no secret.
func PublicNames() []string { return Fields(publicNames) }

// Pointers returns the environment variables that hold the path of a secret, or several
// paths separated as in PATH.
func Pointers() []string { return Fields(pointers) }

// Fields splits s at white space. "\ " stands for a space in a name.
func Fields(s string) []string {
	list := strings.Fields(strings.ReplaceAll(s, `\ `, "\x00"))
	for i, f := range list {
		list[i] = strings.ReplaceAll(f, "\x00", " ")
	}
	return list
}

// anywhere are places whose names nothing else has: below a home, and below any folder
// that holds a copy of a home. A slash at the end marks a folder. The names are those in
// the programs' own manuals.
const anywhere = `
.ssh/ .gnupg/ .aws/ .azure/ .kube/ .config/gcloud/ .password-store/ .vault-token
.docker/config.json
.netrc _netrc .git-credentials .config/git/credentials .config/gh/ .config/glab-cli/ .config/hub
.npmrc .yarnrc.yml .pypirc .cargo/credentials .cargo/credentials.toml .gem/credentials
.m2/settings.xml .m2/settings-security.xml .gradle/gradle.properties .composer/auth.json
.nuget/NuGet.Config .nuget/NuGet/NuGet.Config
.pgpass .my.cnf .mylogin.cnf .config/op/ .config/doppler/ .doppler/ .config/rclone/
.terraform.d/credentials.tfrc.json .terraformrc .s3cfg .boto .htpasswd .rhosts .msmtprc
.fetchmailrc .dockercfg
.config/age/ .config/sops/ .claude.json .claude/.credentials.json .codex/auth.json
.gemini/oauth_creds.json .local/share/keyrings/ .local/share/kwalletd/ .config/kwalletrc
Library/Keychains/ .mozilla/ .thunderbird/ .config/google-chrome/ .config/chromium/
.config/BraveSoftware/ .config/Bitwarden/ .config/1Password/ .electrum/ .bitcoin/ .ethereum/
.config/solana/ .local/share/fish/fish_history .bash_history .zsh_history .sh_history
.python_history .psql_history .mysql_history .node_repl_history .sqlite_history .lesshst .viminfo`

// inHome are places that are secret only below a home. Elsewhere the same name may be a
// project's own.
const inHome = `
.age/ .pki/ .oci/ .docker/ .fly/config.yml .heroku/ .netlify/ .databrickscfg .snowsql/ .kaggle/
.bluemix/ .ibmcloud/ .minikube/ .rancher/ .supabase/ .wrangler/ .ngrok2/ .snowflake/ .dbt/
.config/scw/ .config/stripe/ .config/ngrok/ .config/netlify/ .config/kaggle/ .config/heroku/
.config/.wrangler/ .config/configstore/ .local/share/com.vercel.cli/ .local/share/heroku/
.config/helm/registry/ .config/helm/repositories.yaml .config/doctl/ .config/hcloud/
.config/linode-cli .config/containers/auth.json .pulumi/credentials.json
.config/github-copilot/ .config/pip/pip.conf .pip/pip.conf .bundle/config .curlrc .wgetrc .hgrc
.subversion/auth/ .config/nix/nix.conf .sbt/.credentials .sbt/credentials .ivy2/.credentials
.config/composer/auth.json .nuget/NuGet/ .config/msmtp/ .mbsyncrc .config/filezilla/
.config/keepassxc/ .gemini/ .anthropic/ .config/anthropic/ .openai/ .config/openai/
.config/cursor/auth.json .local/share/opencode/auth.json .aider.conf.yml .huggingface/token
.cache/huggingface/token .config/microsoft-edge/ .config/vivaldi/ .config/opera/
.cache/mozilla/ .cache/google-chrome/ .cache/chromium/ snap/firefox/ snap/chromium/ .var/app/
.config/Signal/ .config/Slack/ .config/discord/ .local/share/TelegramDesktop/ .purple/
.config/evolution/ .local/share/evolution/ .Xauthority .ICEauthority .config/pulse/cookie
.histfile .history .zhistory .zsh_sessions/ .irb_history .Rhistory .gdb_history
.local/share/atuin/ .config/nushell/history.txt .local/share/powershell/ .rediscli_history
.wget-hsts Library/Cookies/ Library/Mail/ Library/Messages/ Library/Safari/
Library/Application\ Support/Google/Chrome/ Library/Application\ Support/Firefox/
Library/Application\ Support/BraveSoftware/ Library/Application\ Support/Arc/
Library/Application\ Support/com.apple.TCC/ Library/Group\ Containers/
.authinfo .authinfo.gpg .hex/ .Renviron .vnc/ .config/tigervnc/ .weechat/ .config/weechat/ .irssi/
.config/irssi/ .config/hexchat/ .config/profanity/ .local/share/profanity/ .config/Element/
.config/Mattermost/ .config/zoomus.conf .android/adbkey .mc/ .aliyun/
.tccli/ .qcloudcli/ .ossutilconfig .civo.json .config/exoscale/ .config/vultr-cli.yaml
.config/upctl.yaml .config/yandex-cloud/ .remmina/ .local/share/remmina/
.sentryclirc .config/wandb/ .wandb/ .comet.config .neptune/ .modal.toml .config/modal/
.runpod/ .vast_api_key .replicate/ .config/replicate/ .config/io.datasette.llm/keys.json
.config/aichat/ .config/mods/ .continue/ .codeium/ .config/TabNine/ .qwen/
.local/share/crush/ .config/amp/ .local/share/amp/ .factory/auth.json .config/rbw/
.local/share/rbw/
.config/Bitwarden\ CLI/ .lastpass/ .local/share/lpass/ .lpass/ .config/pypoetry/auth.toml
.local/share/uv/credentials/ .config/gitea/ .config/tea/ .config/jira/ .config/.jira/
.jira.d/ .config/acli/ .twilio-cli/ .config/railway/ .railway/ .render/ .vercel/ .surge/
.config/firebase/ .expo/ .config/eas-cli/ .dbshell .mongodb/ .config/mongosh/ .mongorc.js
.local/share/DBeaverData/ .pgadmin/ .azure-devops/ .cassandra/credentials .influxdbv2/
.config/influx/ .dbvis/ .config/DataGrip/ .sonar/ .datadogrc .config/datadog/ .newrelic/
.config/argocd/ .argocd/ .config/crc/ .crc/ .sigstore/ .notary/ .step/ .lego/ .acme.sh/
.config/letsencrypt/ .wg/ .config/nordvpn/ .config/protonvpn/ .openvpn/ .smbcredentials .smb/
.credentials/ .muttrc .mutt/ .config/mutt/ .config/neomutt/ .config/aerc/ .config/himalaya/
.offlineimaprc .getmail/ .config/isyncrc .config/mbsync/ .config/neomuttrc .twurlrc .trc
.config/toot/ .config/spotify/ .config/spotifyd/ .config/spotify-player/ .config/transmission/
.config/qBittorrent/ .config/syncthing/ .local/state/syncthing/ .config/Nextcloud/ .dropbox/
.megarc .config/megatools/ .gdrive/ .config/gdrive/ .config/onedrive/ .b2_account_info
.s3curl .passwd-s3fs .config/restic/ .config/rustic/ .config/borg/keys/ .config/borg/security/
.config/kopia/ .duplicity/ .jupyter/jupyter_notebook_config.json
.jupyter/jupyter_server_config.json
.local/share/jupyter/runtime/ .config/zulip/ .zuliprc
.config/matrix-commander/ .local/share/matrix-commander/ .config/nheko/ .config/gcalcli/
.gcalcli_oauth
.config/todoist/ .config/rtm/ .config/linear/ .config/circleci/ .circleci/cli.yml .travis/
.config/buildkite/ .buildkite/ .config/snyk/ .config/akamai/ .edgerc .config/fastly/
.vagrant.d/data/ .chef/ .puppetlabs/ .ansible/galaxy_token .config/nomad/ .consul-token
.nomad-token .okta/ .aws-sso/ .awsvault/ .saml2aws .config/gcalcli_oauth
.config/helm/credentials/ .config/teleport/ .tsh/ .boundary/ .zrok/ .config/cloudflared/
.cloudflared/
.config/tailscale/ .near-credentials/ .aptos/ .sui/ .brownie/accounts/ .foundry/keystores/ .monero/
.zcash/ .litecoin/ .dogecoin/ .linode-cli .cf/ .pause .clasprc.json .1password/ .signify/
.netrc.bak .config/goose/secrets.yaml .config/Exodus/ .config/Ledger\ Live/
.local/share/Cryptomator/`

// mixedPaths are those of the places above in which most machines keep settings and no
// secret.
const mixedPaths = `
.npmrc .yarnrc.yml .config/pip/pip.conf .pip/pip.conf .bundle/config .curlrc .wgetrc .hgrc
.config/nix/nix.conf .Renviron .muttrc .mongorc.js .aider.conf.yml .m2/settings.xml
.gradle/gradle.properties`

// inSystem are the machine's own places. A process of root could read them as their
// owner, even without capabilities.
const inSystem = `
/etc/shadow /etc/shadow- /etc/gshadow /etc/gshadow- /etc/master.passwd /etc/security/opasswd
/etc/sudoers /etc/sudoers.d/ /etc/ssl/private/ /etc/ssh/ssh_host_*_key /etc/krb5.keytab
/etc/NetworkManager/system-connections/ /etc/wireguard/ /etc/openvpn/ /etc/ppp/chap-secrets
/etc/ppp/pap-secrets /etc/kubernetes/ /etc/rancher/ /etc/docker/key.json /etc/ipsec.secrets
/run/secrets/ /var/run/secrets/ /var/lib/docker/ /var/lib/kubelet/ /var/lib/sss/secrets/
/etc/wpa_supplicant/ /var/backups/ /var/spool/cron/ /var/mail/ /var/spool/mail/ /swapfile
/swap.img`

// kernels are folders of the kernel that show root what other programs do.
const kernels = `/sys/kernel/debug/ /sys/kernel/tracing/ /sys/fs/pstore/ /sys/fs/bpf/`

// names are those that Names returns.
const names = `
.env .env.local .env.production .env.prod .env.development .env.dev .env.staging .env.stage
.env.secret .env.secrets .env.*.local .envrc .flaskenv
id_rsa id_dsa id_ecdsa id_ed25519 id_ecdsa_sk id_ed25519_sk authorized_keys
*.pem *.key *.p12 *.pfx *.p8 *.jks *.keystore *.kdbx *.ppk *.ovpn *.asc.key
credentials.json credentials.db credentials.yml credentials.yaml credentials.yml.enc
service-account.json service_account.json serviceAccount.json serviceAccountKey.json
client_secret*.json secrets.yml secrets.yaml secrets.json secrets.toml .secrets .secret
wallet.dat kubeconfig kubeconfig.yml kubeconfig.yaml auth.json oauth_creds.json master.key
.htaccess.secret`

// publicNames are those that PublicNames returns.
const publicNames = `
*.pub *.pub.pem cacert.pem ca-certificates.pem fullchain.pem cert.pem ca.pem *-cert.pem *cert*.pem
chain.pem *-chain.pem *_chain.pem *-fullchain.pem *-bundle.pem *_bundle.pem bundle.pem *-ca.pem
.env.example .env.sample .env.template`

// pointers are those that Pointers returns.
const pointers = `
GNUPGHOME AWS_SHARED_CREDENTIALS_FILE AWS_CONFIG_FILE KUBECONFIG DOCKER_CONFIG NETRC PGPASSFILE
GOOGLE_APPLICATION_CREDENTIALS AZURE_CONFIG_DIR CLOUDSDK_CONFIG HISTFILE XAUTHORITY
NPM_CONFIG_USERCONFIG PIP_CONFIG_FILE`
