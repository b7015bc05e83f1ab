package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"golang.org/x/term"

	"ua/cmd/ua-think/internal/keystore"
	"ua/cmd/ua-think/internal/provider"
	"ua/cmd/ua-think/internal/settings"
	"ua/internal/common/prog"
)

// maxKey is the longest key that is taken, in bytes.
const maxKey = 16 << 10

// manageKeys lists which providers have a key and where it is, stores one, or removes it.
// No key is ever printed.
func manageKeys(env *prog.Env, args []string) error {
	cfg, err := settings.Load()
	if err != nil {
		return err
	}
	opts := prog.Flags()
	all, asJSON := opts.Bool("all", false, ""), opts.Bool("json", false, "")
	if err := env.Parse(opts, args, help); err != nil {
		return err
	}
	words := opts.Args()
	if len(words) == 0 {
		return listKeys(env, cfg, *all, *asJSON)
	}
	if len(words) != 2 || words[0] != "set" && words[0] != "rm" {
		return prog.Errorf(prog.Trouble, "keys takes set PROVIDER or rm PROVIDER, or nothing")
	}
	name, known := words[1], append(cfg.Providers(), provider.Names()...)
	if words[0] == "rm" {
		err := keystore.Remove(name)
		if errors.Is(err, fs.ErrNotExist) {
			return prog.Errorf(prog.No, "no key of %s is stored", name).Hintf("ua keys lists them")
		}
		return err
	}
	if !slices.Contains(known, name) {
		e := prog.Errorf(prog.Trouble, "unknown provider %q", name)
		if near := prog.Nearest(name, known); near != "" {
			return e.Hintf("did you mean %s?", near)
		}
		return e.Hintf("those known are %s", strings.Join(provider.Names(), ", "))
	}
	return storeKey(env, cfg, name)
}

// storeKey stores the key that a person types, or that stands on standard input.
func storeKey(env *prog.Env, cfg *settings.Settings, name string) error {
	key, err := readKey(env, name)
	if err != nil {
		return err
	}
	place, err := keystore.Set(name, key)
	if err != nil {
		return err
	}
	where := keystore.Path(name)
	if place == keystore.Keyring {
		where = "the keyring"
	}
	fmt.Fprintf(env.Stderr, "the key of %s is in %s\n", name, where)
	if first := provider.KeyPlace(name, cfg); first != place {
		env.Warnf("%s has another key, which comes first: %s", name, first)
	}
	return nil
}

// readKey reads one line, without echo if it is typed.
func readKey(env *prog.Env, name string) (string, error) {
	var text []byte
	var err error
	if fd := int(env.Stdin.Fd()); term.IsTerminal(fd) {
		fmt.Fprintf(env.Stderr, "Key of %s (it is not shown): ", name)
		text, err = readHidden(fd)
		fmt.Fprintln(env.Stderr)
	} else {
		text, err = io.ReadAll(io.LimitReader(env.Stdin, maxKey+1))
	}
	key := strings.TrimSpace(string(text))
	switch {
	case err != nil:
		return "", err
	case key == "":
		return "", prog.Errorf(prog.Trouble, "no key was given; nothing is changed")
	case len(key) > maxKey:
		return "", prog.Errorf(prog.Trouble, "the key is longer than %d bytes", maxKey)
	case strings.ContainsFunc(key, func(r rune) bool { return r < ' ' || r > '~' }):
		return "", prog.Errorf(prog.Trouble, "the key contains a line break or an invalid character")
	}
	return key, nil
}

// readHidden reads a line without echo. A signal gives the terminal its echo back before it
// ends the program.
func readHidden(fd int) ([]byte, error) {
	before, err := term.GetState(fd)
	if err != nil {
		return nil, err
	}
	ctx, stop := prog.Interruptible()
	defer stop()
	type line struct {
		text []byte
		err  error
	}
	read := make(chan line, 1)
	go func() {
		text, err := term.ReadPassword(fd)
		read <- line{text, err}
	}()
	select {
	case l := <-read:
		return l.text, l.err
	case <-ctx.Done():
		term.Restore(fd, before)
		return nil, context.Cause(ctx)
	}
}

// listKeys prints the providers that have a key, or all, and where each key is from.
func listKeys(env *prog.Env, cfg *settings.Settings, all, asJSON bool) error {
	names := append(provider.Names(), cfg.Providers()...)
	width := 0
	for _, name := range names {
		width = max(width, len(name))
	}
	seen := map[string]bool{}
	for _, name := range names {
		place := provider.KeyPlace(name, cfg)
		if all {
			place = cmp.Or(place, "none")
		}
		if place == "" || seen[name] {
			continue
		}
		seen[name] = true
		if asJSON {
			line, _ := json.Marshal(map[string]string{"provider": name, "from": place})
			fmt.Fprintf(env.Out(), "%s\n", line)
		} else {
			fmt.Fprintf(env.Out(), "%-*s  %s\n", width, name, place)
		}
	}
	if len(seen) == 0 && term.IsTerminal(int(env.Stdout.Fd())) {
		env.Warnf("no provider has a key; to store one: ua keys set PROVIDER; " +
			"ua keys --all lists those known")
	}
	return nil
}
