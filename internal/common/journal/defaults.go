package journal

// DefaultBudget is within how many tokens a conversation is kept unless the user
// says otherwise.
const DefaultBudget = 60000
