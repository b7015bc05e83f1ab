package journal

// DefaultBudget is the default for how many tokens of a conversation are kept.
const DefaultBudget = 60000
