package doctor

import "context"

// Examine looks at everything, in the order in which things are needed. bad returns
// what is wrong with a file of settings, and think is the command that the settings put in
// the place of ua-think, or "".
func Examine(ctx context.Context, bad func(path string) error, think string) []Check {
	var list []Check
	files := func(ctx context.Context) []Check { return settings(ctx, bad) }
	for _, part := range []func(context.Context) []Check{programs, files, folders, sandbox} {
		list = append(list, part(ctx)...)
	}
	if Works(list) {
		list = append(list, trial(ctx, think))
	}
	asked := model
	if think != "" {
		asked = func(ctx context.Context) []Check { return []Check{command(ctx, think)} }
	}
	for _, part := range []func(context.Context) []Check{asked, shells, desktop} {
		list = append(list, part(ctx)...)
	}
	return list
}
