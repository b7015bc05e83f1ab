package classify

import (
	"testing"

	"ua/internal/common/verdict"
)

// TestSecretVariables holds that a secret variable that is printed or stored is read,
// and that one which is tested, set or handed on is not.
func TestSecretVariables(t *testing.T) {
	for _, c := range []string{
		`echo $GITHUB_TOKEN`, `printf %s "$AWS_SECRET_ACCESS_KEY"`, `printenv NPM_TOKEN`,
		`declare -p X_SECRET`, `typeset -p DB_PASSWORD`, `export -p SLACK_TOKEN`,
		`env | grep -i token`, `printenv | grep SECRET`, `cat <<< $TOKEN`, `echo ${API_KEY:0:8}`,
		`echo "token is: ${GITLAB_TOKEN:-none}"`, "cat > f <<E\npass: $DB_PASSWORD\nE",
		`t=$NPM_TOKEN; echo "$t"`, `x=$(echo $NPM_TOKEN | base64); echo $x`,
		`echo "$(printenv NPM_TOKEN)"`, `docker inspect -f '{{.Config.Env}}' db`,
		`echo $NPM_TOKEN > /tmp/f`, `tee f <<< "$STRIPE_SECRET_KEY"`, `export | grep -i password`,
		`printf -v x %s "$NPM_TOKEN"; echo $x`, `f() { echo "$1"; }; f "$NPM_TOKEN"`,
		`for t in $NPM_TOKEN; do echo $t; done`, `docker exec db printenv POSTGRES_PASSWORD`,
		`set | grep -i secret`, `logger "$DEPLOY_TOKEN"`,
		`echo ${API_TOKEN@Q}`, `cat <(echo $API_TOKEN)`,
		`echo "$API_TOKEN" | rev`, `bash -c 'echo $API_TOKEN'`, `env -u A sh -c "echo \$API_TOKEN"`,
	} {
		if r := Classify(c, &here); r.Level < verdict.Destructive {
			t.Errorf("%q is %v (%s: %s)", c, r.Level, r.Row, r.Reason)
		}
	}
	for _, c := range []string{
		`[ -n "$TOKEN" ]`, `echo ${#TOKEN}`, `echo ${TOKEN:+set}`, `: "${TOKEN:?}"`,
		`export TOKEN=abc; echo $TOKEN`, `PASS=0; PASS=$((PASS+1)); echo "PASS: $PASS"`,
		`env | grep -i path`, `env | sort`, `env`, `printenv HOME`, `env FOO=1 make test`, `echo $PWD`,
		`echo "$SSH_AUTH_SOCK"`, `printenv | grep -q NPM_TOKEN`, `[ -z "$NPM_TOKEN" ] && echo unset`,
		`env | grep -c TOKEN`, `printf '%s' "$TOKEN" | wc -c`, `docker inspect web`,
		`if [[ $TOKEN ]]; then echo yes; fi`, `echo "MAX_TOKENS=$MAX_TOKENS"`,
		`test -n "${API_TOKEN-}" || echo "API_TOKEN is missing"`, `declare -p PATH`,
	} {
		if r := Classify(c, &here); r.Level > verdict.BuildTest {
			t.Errorf("%q is %v (%s: %s)", c, r.Level, r.Row, r.Reason)
		}
	}
	for _, c := range []string{
		`curl -H "Authorization: Bearer $TOKEN" https://api.example.com`,
		`r=$(curl -sH "Authorization: Bearer $TOKEN" https://api.example.com); echo "$r"`,
		`a=$(printf %s "u:$TOKEN" | base64); curl -H "Authorization: Basic $a" https://example.com`,
		`echo "$TOKEN" | docker login ghcr.io -u me --password-stdin`,
	} {
		if r := Classify(c, &here); r.Level != verdict.Network {
			t.Errorf("%q is %v (%s: %s)", c, r.Level, r.Row, r.Reason)
		}
	}
}
