package redact

// A class is a set of bytes, as indexes of the table classes.
type class uint8

const (
	alnum    class = 1 << iota // A-Z a-z 0-9
	upper                      // A-Z 0-9
	hexa                       // 0-9 a-f
	word                       // alnum _ -
	dotted                     // alnum _ - .
	base64s                    // alnum + / = _ -
	password                   // what a password in a URL may hold
	pem                        // the body of a PEM block, also with "\n" spelled out
)

// members says which classes a byte belongs to.
func members(c byte) (m class) {
	lower, up, digit := c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9'
	if lower || up || digit {
		m |= alnum | word | dotted | base64s | password | pem
	}
	if up || digit {
		m |= upper
	}
	if digit || c >= 'a' && c <= 'f' {
		m |= hexa
	}
	switch c {
	case '_', '-':
		m |= word | dotted | base64s
	case '.':
		m |= dotted
	case '+', '/', '=':
		m |= base64s
	}
	switch c {
	case '+', '/', '=', '-', '\n', '\r', '\t', ' ', '\\', ':', ',', '.':
		m |= pem
	}
	if c > ' ' && c < 0x7f && c != '@' && c != '/' && c != '"' && c != '\'' && c != '<' && c != '>' {
		m |= password
	}
	return m
}

// A rule is one format of secrets: a fixed start, then min to max bytes of a
// class (max 0: any number), with no word character before it.
type rule struct {
	kind   string
	prefix string
	then   class
	min    int
	max    int
}

// rules are formats that vendors document for their keys. What counts is that
// the start is fixed, so that text is rarely taken for a key.
var rules = [...]rule{
	{"aws_access_key", "AKIA", upper, 16, 16},
	{"aws_access_key", "ASIA", upper, 16, 16},
	{"aws_access_key", "ABIA", upper, 16, 16},
	{"aws_access_key", "ACCA", upper, 16, 16},
	{"aws_bedrock_key", "ABSKQmVkcm9ja0FQSUtleS", base64s, 80, 0},
	{"aws_bedrock_key", "bedrock-api-key-", base64s, 20, 0},
	{"anthropic_key", "sk-ant-", word, 20, 0},
	{"openai_key", "sk-proj-", word, 20, 0},
	{"openai_key", "sk-svcacct-", word, 20, 0},
	{"openai_key", "sk-admin-", word, 20, 0},
	{"openrouter_key", "sk-or-", word, 20, 0},
	{"api_key", "sk-", alnum, 32, 0},
	{"google_key", "AIza", word, 35, 35},
	{"google_key", "GOCSPX-", word, 28, 0},
	{"google_token", "ya29.", dotted, 30, 0},
	{"groq_key", "gsk_", alnum, 40, 0},
	{"xai_key", "xai-", alnum, 60, 0},
	{"perplexity_key", "pplx-", alnum, 40, 0},
	{"replicate_key", "r8_", alnum, 37, 37},
	{"huggingface_token", "hf_", alnum, 34, 0},
	{"huggingface_token", "api_org_", alnum, 34, 34},
	{"github_token", "ghp_", alnum, 36, 0},
	{"github_token", "gho_", alnum, 36, 0},
	{"github_token", "ghu_", alnum, 36, 0},
	{"github_token", "ghs_", dotted, 36, 0},
	{"github_token", "ghr_", alnum, 36, 0},
	{"github_token", "github_pat_", word, 36, 0},
	{"gitlab_token", "glpat-", dotted, 20, 0},
	{"gitlab_token", "gldt-", word, 20, 0},
	{"gitlab_token", "glrt-", dotted, 20, 0},
	{"gitlab_token", "glptt-", word, 40, 0},
	{"gitlab_token", "glcbt-", word, 20, 0},
	{"gitlab_token", "glsoat-", word, 20, 0},
	{"gitlab_token", "glagent-", word, 40, 0},
	{"bitbucket_token", "ATBB", alnum, 32, 0},
	{"atlassian_token", "ATATT3", base64s, 100, 0},
	{"slack_token", "xoxb-", word, 20, 0},
	{"slack_token", "xoxp-", word, 20, 0},
	{"slack_token", "xoxa-", word, 20, 0},
	{"slack_token", "xoxr-", word, 20, 0},
	{"slack_token", "xoxe.", dotted, 20, 0},
	{"slack_token", "xapp-", word, 20, 0},
	{"slack_webhook", "hooks.slack.com/services/", base64s, 40, 0},
	{"slack_webhook", "hooks.slack.com/workflows/", base64s, 40, 0},
	{"discord_webhook", "discord.com/api/webhooks/", base64s, 60, 0},
	{"stripe_key", "sk_live_", alnum, 16, 0},
	{"stripe_key", "sk_test_", alnum, 16, 0},
	{"stripe_key", "rk_live_", alnum, 16, 0},
	{"stripe_key", "rk_test_", alnum, 16, 0},
	{"stripe_key", "whsec_", base64s, 24, 0},
	{"square_token", "sq0atp-", word, 22, 0},
	{"square_token", "sq0csp-", word, 43, 0},
	{"shopify_token", "shpat_", alnum, 32, 0},
	{"shopify_token", "shpca_", alnum, 32, 0},
	{"shopify_token", "shppa_", alnum, 32, 0},
	{"shopify_token", "shpss_", alnum, 32, 0},
	{"sendgrid_key", "SG.", dotted, 66, 66},
	{"sendinblue_key", "xkeysib-", word, 64, 0},
	{"mailgun_key", "key-", hexa, 32, 32},
	{"npm_token", "npm_", alnum, 36, 36},
	{"pypi_token", "pypi-AgEIcHlwaS5vcmc", word, 50, 0},
	{"pypi_token", "pypi-AgENdGVzdC5weXBpLm9yZw", word, 50, 0},
	{"rubygems_key", "rubygems_", hexa, 48, 48},
	{"docker_token", "dckr_pat_", word, 27, 0},
	{"docker_token", "dckr_oat_", word, 27, 0},
	{"digitalocean_token", "dop_v1_", hexa, 64, 64},
	{"digitalocean_token", "doo_v1_", hexa, 64, 64},
	{"digitalocean_token", "dor_v1_", hexa, 64, 64},
	{"doppler_token", "dp.pt.", alnum, 40, 0},
	{"doppler_token", "dp.st.", dotted, 40, 0},
	{"vault_token", "hvs.", word, 24, 0},
	{"vault_token", "hvb.", word, 24, 0},
	{"vault_token", "hvr.", word, 24, 0},
	{"terraform_token", "atlasv1.", base64s, 60, 0},
	{"pulumi_token", "pul-", hexa, 40, 40},
	{"planetscale_token", "pscale_", dotted, 32, 0},
	{"linear_key", "lin_api_", alnum, 32, 0},
	{"linear_key", "lin_oauth_", alnum, 32, 0},
	{"notion_token", "ntn_", alnum, 40, 0},
	{"postman_key", "PMAK-", word, 59, 59},
	{"grafana_token", "glsa_", word, 32, 0},
	{"grafana_token", "glc_", base64s, 32, 0},
	{"newrelic_key", "NRAK-", alnum, 27, 27},
	{"newrelic_key", "NRJS-", hexa, 19, 19},
	{"sentry_token", "sntrys_", base64s, 40, 0},
	{"sentry_token", "sntryu_", hexa, 64, 64},
	{"supabase_token", "sbp_", hexa, 40, 40},
	{"supabase_key", "sb_secret_", word, 22, 0},
	{"tailscale_key", "tskey-", word, 20, 0},
	{"fly_token", "fo1_", word, 43, 0},
	{"fly_token", "fm2_", base64s, 100, 0},
	{"heroku_key", "HRKU-", word, 36, 0},
	{"figma_token", "figd_", word, 40, 0},
	{"alibaba_key", "LTAI", alnum, 20, 20},
	{"tencent_key", "AKID", alnum, 32, 32},
	{"easypost_key", "EZAK", alnum, 54, 54},
	{"dynatrace_token", "dt0c01.", dotted, 89, 0},
	{"duffel_key", "duffel_live_", word, 43, 43},
	{"telegram_token", ":AA", word, 33, 33},
	{"age_key", "AGE-SECRET-KEY-1", upper, 58, 58},
	{"jwt", "eyJ", dotted, 40, 0},
}

// words are parts of names that secrets are assigned to, in any case.
var words = [...]string{
	"secret", "token", "passw", "passphrase", "authorization",
	"api_key", "apikey", "api-key", "access_key", "accesskey", "private_key", "privatekey",
	"account_key", "accountkey", "signing_key", "encryption_key", "auth_key", "authkey",
}

// bigrams says of each pair of small letters how often it stands in text: the
// binary logarithm of its number in 100,000 pairs. Counted in 12 MB of
// documentation, Go and Python sources and logs.
var bigrams = [26]string{
	"26772460614879060889553351", // aa to az
	"62337220550620520543600352", // ba to bz
	"72427207506831930647510230", // ca to cz
	"63369221701411620454510040", // da to dz
	"75786752452879465988255750", // ea to ez
	"52235500700411710545500030", // fa to fz
	"40507036600445420554400015", // ga to gz
	"70008000700531610627500010", // ha to hz
	"67766760103879860688160404", // ia to iz
	"30015000100000300060200000", // ja to jz
	"41016020400202200041202000", // ka to kz
	"84268730850712740166651051", // la to lz
	"85148010600662670052400010", // ma to mz
	"71787581614424730188540141", // na to nz
	"45783750425689570967756323", // oa to oz
	"80247124502613760767601160", // pa to pz
	"00000000000100000000600000", // qa to qz
	"73659460805567830677543060", // ra to rz
	"51629337703633682689623050", // sa to sz
	"82559419802552860877705360", // ta to tz
	"56566540500767260777000300", // ua to uz
	"60207000500050300011000000", // va to vz
	"60015005600103500530003000", // wa to wz
	"31414100300030050056000210", // xa to xz
	"20102030200434460555004000", // ya to yz
	"20005000300210000000000000", // za to zz
}
