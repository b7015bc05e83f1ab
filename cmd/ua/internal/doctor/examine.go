package doctor

import "context"

// Examine runs all checks in the order in which a task needs them. bad returns the error
// in a file of settings; think is the command that the settings put in place of ua-think,
// or "".
func Examine(ctx context.Context, bad func(path string) error, think string) []Check {
	var list []Check
	files := func(ctx context.Context) []Check { return settings(ctx, bad) }
	for _, part := range []func(context.Context) []Check{programs, files, folders, skills, servers,
		sandbox} {
		list = append(list, part(ctx)...)
	}
	// A trial run would only repeat what has failed already.
	if Works(list) {
		list = append(list, trial(ctx, think))
	}
	asked := model
	if think != "" {
		asked = func(ctx context.Context) []Check { return []Check{command(ctx, think)} }
	}
	for _, part := range []func(context.Context) []Check{asked, keys, shells, desktop,
		doors} {
		list = append(list, part(ctx)...)
	}
	return list
}
