package main

import (
	"errors"
	"fmt"
	"time"

	"ua/cmd/ua-try/internal/landing"
	"ua/cmd/ua-try/internal/try"
	"ua/internal/common/prog"
	"ua/internal/common/style"
	"ua/internal/common/tree"
)

// explain prints the conflicts of an error with both sides of each, and returns the error
// for the person. Any other error is returned as it is.
func explain(env *prog.Env, t *try.Try, err error, what, verb string) error {
	var refused landing.Refusals
	if errors.As(err, &refused) {
		for _, r := range refused {
			env.Warnf("%s: refused: %s", tree.Shown(r.Path), r.Why)
		}
		return prog.Errorf(prog.No, "%s: nothing was applied: by %s git would run a program, obey "+
			"other files or show other content", t.ID, style.Plural(int64(len(refused)), "change")).
			Hintf("look at it with ua-try diff %s PATH; then ua-try apply --skip-refused %s applies "+
				"the rest, and --allow-refused all of it", t.ID, t.ID)
	}
	var conflicts landing.Conflicts
	if !errors.As(err, &conflicts) {
		return err
	}
	authors := landing.Authors(t)
	for _, c := range conflicts {
		by := ""
		if id := authors[c.Path]; id != "" {
			by = ", by try " + id
		}
		env.Warnf("%s: changed since%s", tree.Shown(c.Path), by)
		env.Warnf("  in the folder: %s", side(c.Now))
		env.Warnf("  in the try:    %s", side(c.Try))
	}
	e := prog.Errorf(prog.No, "%s: nothing was %s: %s", t.ID, what,
		style.Plural(int64(len(conflicts)), "conflict"))
	if verb == "undo" {
		return e.Hintf("ua-try undo --force %s puts back what was there; what is there now is kept in "+
			"the try", t.ID)
	}
	return e.Hintf("ua-try diff %s PATH compares the two; ua-try apply --force %s PATH takes the "+
		"try's", t.ID, t.ID)
}

// side describes one side of a conflict in words.
func side(f *tree.File) string {
	switch {
	case f == nil:
		return "nothing"
	case f.Type == tree.Symlink:
		return fmt.Sprintf("link to %q", string(f.Target))
	case f.IsFolder() && f.Mtime == 0: // that it was one is all that is known
		return "folder"
	}
	when := time.Unix(0, int64(f.Mtime)).Format("2006-01-02 15:04:05")
	if f.Type != tree.Regular {
		return fmt.Sprintf("%s, mode %04o, of %s", f.Type, uint32(f.Mode), when)
	}
	return fmt.Sprintf("file of %s, mode %04o, of %s", style.Plural(f.Size, "byte"), uint32(f.Mode),
		when)
}
