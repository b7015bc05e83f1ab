package main

import (
	"os"
	"slices"
	"strings"
	"syscall"

	"ua/cmd/ua/internal/ring"
	"ua/internal/common/prog"
)

// thinkVerb returns a verb of ua that is one of ua-think: only that program holds keys. It
// takes the place of this one.
func thinkVerb(verb string) func(*prog.Env, []string) error {
	return func(env *prog.Env, args []string) error {
		if slices.Contains(args, "--help") {
			env.Printf("%s\n", helpOf(verb))
			return nil
		}
		if verb == "keys" && len(args) > 0 && args[0] != "set" && args[0] != "rm" &&
			!strings.HasPrefix(args[0], "-") {
			return ring.AsTask(verb, args, prog.Errorf(prog.Trouble,
				"%q: keys takes set PROVIDER or rm PROVIDER, or nothing", args[0]))
		}
		path, err := prog.FindSibling("ua-think")
		if err != nil {
			return err
		}
		return prog.Errorf(prog.NotFound, "%s: %v", path, syscall.Exec(path,
			append([]string{"ua-think", verb}, args...), os.Environ()))
	}
}
