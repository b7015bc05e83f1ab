package redact

// A row is one form of secrets: a fixed start, and what follows it. To redact
// another form, add a row; the tests then hold it to what they hold all rows to.
type row struct {
	kind  string // as it stands in "[redacted:KIND]"
	start string // at least three bytes; what makes text be taken for a secret
	then  class  // the bytes that may follow
	min   int    // how many must, at least
	max   int    // and at most; 0: any number
	form  form
}

// A form is what a row's start begins.
type form int

const (
	plainKey   form = iota // a key: no letter, digit or _ stands before it
	partKey                // a key from its second part on
	dottedKey              // a plainKey with a dot in what follows
	assignment             // a name, in any case, that secrets are assigned to
	address                // a URL that may hold a password
	pemBlock               // a private key
	givenValue             // a value that the caller gave
)

// rows is every form that is looked for: formats that vendors document for their
// keys, and what surrounds secrets without a format. What counts is that the start
// is fixed, so that text is rarely taken for a key. Of rows that match at the same
// place the first one counts.
var rows = [...]row{
	{kind: "aws_access_key", start: "AKIA", then: upper, min: 16, max: 16},
	{kind: "aws_access_key", start: "ASIA", then: upper, min: 16, max: 16},
	{kind: "aws_access_key", start: "ABIA", then: upper, min: 16, max: 16},
	{kind: "aws_access_key", start: "ACCA", then: upper, min: 16, max: 16},
	{kind: "aws_bedrock_key", start: "ABSKQmVkcm9ja0FQSUtleS", then: base64, min: 80},
	{kind: "aws_bedrock_key", start: "bedrock-api-key-", then: base64, min: 20},
	{kind: "anthropic_key", start: "sk-ant-", then: word, min: 20},
	{kind: "openai_key", start: "sk-proj-", then: word, min: 20},
	{kind: "openai_key", start: "sk-svcacct-", then: word, min: 20},
	{kind: "openai_key", start: "sk-admin-", then: word, min: 20},
	{kind: "openrouter_key", start: "sk-or-", then: word, min: 20},
	{kind: "api_key", start: "sk-", then: alnum, min: 32},
	{kind: "google_key", start: "AIza", then: word, min: 35, max: 35},
	{kind: "google_key", start: "GOCSPX-", then: word, min: 28},
	{kind: "google_token", start: "ya29.", then: dotted, min: 30},
	{kind: "groq_key", start: "gsk_", then: alnum, min: 40},
	{kind: "xai_key", start: "xai-", then: alnum, min: 60},
	{kind: "perplexity_key", start: "pplx-", then: alnum, min: 40},
	{kind: "replicate_key", start: "r8_", then: alnum, min: 37, max: 37},
	{kind: "huggingface_token", start: "hf_", then: alnum, min: 34},
	{kind: "huggingface_token", start: "api_org_", then: alnum, min: 34, max: 34},
	{kind: "github_token", start: "ghp_", then: alnum, min: 36},
	{kind: "github_token", start: "gho_", then: alnum, min: 36},
	{kind: "github_token", start: "ghu_", then: alnum, min: 36},
	{kind: "github_token", start: "ghs_", then: dotted, min: 36},
	{kind: "github_token", start: "ghr_", then: alnum, min: 36},
	{kind: "github_token", start: "github_pat_", then: word, min: 36},
	{kind: "gitlab_token", start: "glpat-", then: dotted, min: 20},
	{kind: "gitlab_token", start: "gldt-", then: word, min: 20},
	{kind: "gitlab_token", start: "glrt-", then: dotted, min: 20},
	{kind: "gitlab_token", start: "glptt-", then: word, min: 40},
	{kind: "gitlab_token", start: "glcbt-", then: word, min: 20},
	{kind: "gitlab_token", start: "glsoat-", then: word, min: 20},
	{kind: "gitlab_token", start: "glagent-", then: word, min: 40},
	{kind: "bitbucket_token", start: "ATBB", then: alnum, min: 32},
	{kind: "atlassian_token", start: "ATATT3", then: base64, min: 100},
	{kind: "slack_token", start: "xoxb-", then: word, min: 20},
	{kind: "slack_token", start: "xoxp-", then: word, min: 20},
	{kind: "slack_token", start: "xoxa-", then: word, min: 20},
	{kind: "slack_token", start: "xoxr-", then: word, min: 20},
	{kind: "slack_token", start: "xoxe.", then: dotted, min: 20},
	{kind: "slack_token", start: "xapp-", then: word, min: 20},
	{kind: "slack_webhook", start: "hooks.slack.com/services/", then: base64, min: 40},
	{kind: "slack_webhook", start: "hooks.slack.com/workflows/", then: base64, min: 40},
	{kind: "discord_webhook", start: "discord.com/api/webhooks/", then: base64, min: 60},
	{kind: "stripe_key", start: "sk_live_", then: alnum, min: 16},
	{kind: "stripe_key", start: "sk_test_", then: alnum, min: 16},
	{kind: "stripe_key", start: "rk_live_", then: alnum, min: 16},
	{kind: "stripe_key", start: "rk_test_", then: alnum, min: 16},
	{kind: "stripe_key", start: "whsec_", then: base64, min: 24},
	{kind: "square_token", start: "sq0atp-", then: word, min: 22},
	{kind: "square_token", start: "sq0csp-", then: word, min: 43},
	{kind: "shopify_token", start: "shpat_", then: alnum, min: 32},
	{kind: "shopify_token", start: "shpca_", then: alnum, min: 32},
	{kind: "shopify_token", start: "shppa_", then: alnum, min: 32},
	{kind: "shopify_token", start: "shpss_", then: alnum, min: 32},
	{kind: "sendgrid_key", start: "SG.", then: dotted, min: 66, max: 66},
	{kind: "sendinblue_key", start: "xkeysib-", then: word, min: 64},
	{kind: "mailgun_key", start: "key-", then: hexadecimal, min: 32, max: 32},
	{kind: "npm_token", start: "npm_", then: alnum, min: 36, max: 36},
	{kind: "pypi_token", start: "pypi-AgEIcHlwaS5vcmc", then: word, min: 50},
	{kind: "pypi_token", start: "pypi-AgENdGVzdC5weXBpLm9yZw", then: word, min: 50},
	{kind: "rubygems_key", start: "rubygems_", then: hexadecimal, min: 48, max: 48},
	{kind: "docker_token", start: "dckr_pat_", then: word, min: 27},
	{kind: "docker_token", start: "dckr_oat_", then: word, min: 27},
	{kind: "digitalocean_token", start: "dop_v1_", then: hexadecimal, min: 64, max: 64},
	{kind: "digitalocean_token", start: "doo_v1_", then: hexadecimal, min: 64, max: 64},
	{kind: "digitalocean_token", start: "dor_v1_", then: hexadecimal, min: 64, max: 64},
	{kind: "doppler_token", start: "dp.pt.", then: alnum, min: 40},
	{kind: "doppler_token", start: "dp.st.", then: dotted, min: 40},
	{kind: "vault_token", start: "hvs.", then: word, min: 24},
	{kind: "vault_token", start: "hvb.", then: word, min: 24},
	{kind: "vault_token", start: "hvr.", then: word, min: 24},
	{kind: "terraform_token", start: "atlasv1.", then: base64, min: 60},
	{kind: "pulumi_token", start: "pul-", then: hexadecimal, min: 40, max: 40},
	{kind: "planetscale_token", start: "pscale_", then: dotted, min: 32},
	{kind: "linear_key", start: "lin_api_", then: alnum, min: 32},
	{kind: "linear_key", start: "lin_oauth_", then: alnum, min: 32},
	{kind: "notion_token", start: "ntn_", then: alnum, min: 40},
	{kind: "postman_key", start: "PMAK-", then: word, min: 59, max: 59},
	{kind: "grafana_token", start: "glsa_", then: word, min: 32},
	{kind: "grafana_token", start: "glc_", then: base64, min: 32},
	{kind: "newrelic_key", start: "NRAK-", then: alnum, min: 27, max: 27},
	{kind: "newrelic_key", start: "NRJS-", then: hexadecimal, min: 19, max: 19},
	{kind: "sentry_token", start: "sntrys_", then: base64, min: 40},
	{kind: "sentry_token", start: "sntryu_", then: hexadecimal, min: 64, max: 64},
	{kind: "supabase_token", start: "sbp_", then: hexadecimal, min: 40, max: 40},
	{kind: "supabase_key", start: "sb_secret_", then: word, min: 22},
	{kind: "tailscale_key", start: "tskey-", then: word, min: 20},
	{kind: "fly_token", start: "fo1_", then: word, min: 43},
	{kind: "fly_token", start: "fm2_", then: base64, min: 100},
	{kind: "heroku_key", start: "HRKU-", then: word, min: 36},
	{kind: "figma_token", start: "figd_", then: word, min: 40},
	{kind: "alibaba_key", start: "LTAI", then: alnum, min: 20, max: 20},
	{kind: "tencent_key", start: "AKID", then: alnum, min: 32, max: 32},
	{kind: "easypost_key", start: "EZAK", then: alnum, min: 54, max: 54},
	{kind: "dynatrace_token", start: "dt0c01.", then: dotted, min: 89},
	{kind: "duffel_key", start: "duffel_live_", then: word, min: 43, max: 43},
	{kind: "google_token", start: "1//0", then: word, min: 40},
	{kind: "gitlab_token", start: "glft-", then: word, min: 20},
	{kind: "gitlab_token", start: "glimt-", then: word, min: 20},
	{kind: "gitlab_token", start: "glffct-", then: word, min: 20},
	{kind: "sourcegraph_token", start: "sgp_", then: word, min: 40},
	{kind: "netlify_token", start: "nfp_", then: alnum, min: 36},
	{kind: "deno_token", start: "ddp_", then: alnum, min: 36},
	{kind: "render_key", start: "rnd_", then: alnum, min: 28},
	{kind: "databricks_token", start: "dapi", then: hexadecimal, min: 32, max: 32},
	{kind: "cargo_token", start: "cio", then: alnum, min: 32, max: 32},
	{kind: "nuget_key", start: "oy2", then: alnum, min: 43, max: 43},
	{kind: "artifactory_key", start: "AKCp", then: alnum, min: 69},
	{kind: "sonar_token", start: "sqp_", then: hexadecimal, min: 40, max: 40},
	{kind: "sonar_token", start: "squ_", then: hexadecimal, min: 40, max: 40},
	{kind: "sonar_token", start: "sqa_", then: hexadecimal, min: 40, max: 40},
	{kind: "circleci_token", start: "CCIPAT_", then: word, min: 40},
	{kind: "buildkite_token", start: "bkua_", then: hexadecimal, min: 40, max: 40},
	{kind: "onepassword_token", start: "ops_eyJ", then: word, min: 100},
	{kind: "hubspot_token", start: "pat-na1-", then: word, min: 36},
	{kind: "mailersend_key", start: "mlsn.", then: hexadecimal, min: 64},
	{kind: "typeform_token", start: "tfp_", then: base64, min: 40},
	{kind: "readme_key", start: "rdme_", then: alnum, min: 60},
	{kind: "nvidia_key", start: "nvapi-", then: word, min: 60},
	{kind: "langsmith_key", start: "lsv2_pt_", then: word, min: 40},
	{kind: "langsmith_key", start: "lsv2_sk_", then: word, min: 40},
	{kind: "langfuse_key", start: "sk-lf-", then: word, min: 36},
	{kind: "cerebras_key", start: "csk-", then: alnum, min: 40},
	{kind: "jina_key", start: "jina_", then: alnum, min: 40},
	{kind: "telegram_token", start: ":AA", then: word, min: 33, max: 33, form: partKey},
	{kind: "age_key", start: "AGE-SECRET-KEY-1", then: upper, min: 58, max: 58},
	{kind: "jwt", start: "eyJ", then: dotted, min: 40, form: dottedKey},

	// Parts of names, small: what is assigned to them is judged by how it looks.
	{kind: "assigned_secret", start: "secret", form: assignment},
	{kind: "assigned_secret", start: "token", form: assignment},
	{kind: "assigned_secret", start: "passw", form: assignment},
	{kind: "assigned_secret", start: "passphrase", form: assignment},
	{kind: "assigned_secret", start: "authorization", form: assignment},
	{kind: "assigned_secret", start: "api_key", form: assignment},
	{kind: "assigned_secret", start: "apikey", form: assignment},
	{kind: "assigned_secret", start: "api-key", form: assignment},
	{kind: "assigned_secret", start: "access_key", form: assignment},
	{kind: "assigned_secret", start: "accesskey", form: assignment},
	{kind: "assigned_secret", start: "private_key", form: assignment},
	{kind: "assigned_secret", start: "privatekey", form: assignment},
	{kind: "assigned_secret", start: "account_key", form: assignment},
	{kind: "assigned_secret", start: "accountkey", form: assignment},
	{kind: "assigned_secret", start: "signing_key", form: assignment},
	{kind: "assigned_secret", start: "encryption_key", form: assignment},
	{kind: "assigned_secret", start: "auth_key", form: assignment},
	{kind: "assigned_secret", start: "authkey", form: assignment},

	{kind: "url_password", start: "://", form: address},
	{kind: "private_key", start: "-----BEGIN ", form: pemBlock},
}

// placeholders are parts of values that stand for a secret and are none.
var placeholders = [...]string{
	"example", "changeme", "your", "xxxx", "placeholder", "redacted", "dummy", "****", "undefined",
	"process.env", "os.environ",
}

// emptyPasswords are passwords of URLs that only show where one goes.
var emptyPasswords = [...]string{
	"pass", "password", "PASSWORD", "secret", "xyz", "xxx", "pw", "pwd",
}
