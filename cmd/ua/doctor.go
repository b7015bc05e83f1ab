package main

import (
	"context"
	"fmt"
	"io"

	"ua/cmd/ua/internal/doctor"
	"ua/cmd/ua/internal/settings"
	"ua/internal/common/config"
	"ua/internal/common/prog"
	"ua/internal/common/style"
)

// doctorVerb reports whether a task would work here and how to mend what would not. Its
// status is 1 when a check failed; a warning leaves it 0.
func doctorVerb(env *prog.Env, args []string) error {
	fs := prog.Flags()
	asJSON := fs.Bool("json", false, "")
	if err := parse(env, "doctor", fs, args, 0); err != nil {
		return err
	}
	// Settings that do not load are found by a check below, which says why.
	think := ""
	if s, err := settings.Load(); err == nil {
		think = s.UA.Think
	}
	ctx, stop := prog.Interruptible()
	defer stop()
	list := doctor.Examine(ctx, checkSettings, think)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var err error
	if *asJSON {
		_, err = fmt.Fprintf(env.Out(), "%s\n", doctor.JSON(list))
	} else {
		_, err = io.WriteString(style.Folding(env.Stdout), doctor.Text(style.For(env.Stdout), list))
	}
	if err == nil && !doctor.Works(list) {
		err = prog.Exit(prog.No)
	}
	return err
}

// checkSettings returns what is wrong with a file of settings, the user's or a project's.
func checkSettings(path string) error {
	if path == config.Path() {
		_, err := settings.Load()
		return err
	}
	return settings.CheckProject(path)
}
