package broker

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-try/internal/tree"
	"ua/internal/common/chain"
	"ua/internal/common/confine"
	"ua/internal/common/run"
	"ua/internal/common/secret"
)

// EnterVerb is the verb of the stage inside view and sandbox, which becomes the command.
// The command comes in the environment: ua-sandbox must not take the command's variables
// for its own, and everybody can read arguments.
const EnterVerb = "enter"

// envCommand begins the names of the variables that hold the command, in parts as large
// as exec(2) takes.
const envCommand = "UA_TRIES_COMMAND_"

// Pack returns this process's environment with the request's command in it, and the names
// of the variables that hold the command.
func Pack(q *Request) (environ, names []string) {
	text, _ := json.Marshal(Request{Words: q.Words, Dir: q.Dir, Env: q.Env}) // of strings alone
	// This process's own have the way to the server of the run above, for ua-try.
	environ = os.Environ()
	for i := 0; len(text) > 0; i++ {
		n := min(len(text), partMax)
		name := envCommand + strconv.Itoa(i)
		environ, names = append(environ, name+"="+string(text[:n])), append(names, name)
		text = text[n:]
	}
	return environ, names
}

// Enter becomes the command that Pack has put into the environment. It returns only with
// an error, and the name of the folder or program that it is about.
func Enter() (name string, err error) {
	var text strings.Builder
	for i := 0; ; i++ {
		part, ok := os.LookupEnv(envCommand + strconv.Itoa(i))
		if !ok {
			break
		}
		text.WriteString(part)
		os.Unsetenv(envCommand + strconv.Itoa(i))
	}
	q, err := decode([]byte(text.String()))
	if err != nil || len(q.Words) == 0 {
		return "", errors.Join(err, errors.New("no command"))
	}
	if err := os.Chdir(string(q.Dir)); err != nil {
		return string(q.Dir), errors.Unwrap(err)
	}
	os.Unsetenv(run.EnvTries) // the command is in a try, which it shares
	os.Unsetenv(run.EnvTriesToken)
	for _, kv := range q.Env {
		name, value, _ := strings.Cut(string(kv), "=")
		os.Setenv(name, value)
	}
	name = string(q.Words[0])
	path, err := exec.LookPath(name)
	if err != nil {
		return name, err
	}
	var argv []string
	for _, w := range q.Words {
		argv = append(argv, string(w))
	}
	return name, unix.Exec(path, argv, os.Environ())
}

// Carried returns the variables that a command takes along into another sandbox. Those
// that a sandbox sets are left out, since the new one sets its own.
func Carried(environ []string) (list []tree.Name) {
	tmp := os.Getenv("TMPDIR")
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		if name == "" || ofSandbox(name, kv) || tmp != "" && confine.Under(value, tmp) {
			continue
		}
		list = append(list, tree.Name(kv))
	}
	return list
}

// ofSandbox reports whether a sandbox or a try sets the variable.
func ofSandbox(name, kv string) bool {
	switch name {
	case secret.EnvWithheld, run.EnvTry, run.EnvTryTitle, run.EnvTries, run.EnvTriesToken, "TMPDIR",
		"PWD",
		"OLDPWD", "SHLVL", "_":
		return true
	}
	return chain.OfProxy(kv) || strings.HasPrefix(name, run.EnvSandbox) ||
		strings.HasPrefix(name, "UA_JOBS")
}
