package limits

import (
	"time"

	"ua/internal/common/config"
)

// Defaults returns the limits of a run that a person starts. Most subtasks take three
// agents, a minute and a tenth of these tokens. A tree that exceeds them has run away.
func Defaults() Limits {
	return Limits{
		MaxDepth: 3, AtOnce: 10, PerParent: 3, PerHour: 100,
		Time: config.Duration(2 * time.Minute), TimeBG: config.Duration(5 * time.Minute),
		TimeMax: config.Duration(10 * time.Minute),
		Tokens:  50_000, TokensMax: 200_000,
	}
}
