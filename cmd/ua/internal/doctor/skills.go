package doctor

import (
	"context"

	"ua/cmd/ua/internal/agents"
	"ua/internal/common/style"
)

// skills counts the skills for work in this folder, and says what is wrong with the first.
func skills(context.Context) []Check {
	c := Check{"skills", OK, "", ""}
	list := agents.Skills(".", func(said string) {
		if c.State == OK {
			c.State, c.Detail, c.Mend = Warned, said, "ua skills says all that is wrong"
		}
	})
	if c.State == OK {
		c.Detail = style.Plural(int64(len(list)), "skill")
	}
	return []Check{c}
}
