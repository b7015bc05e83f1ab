package journal

// bytesPerToken is how many bytes of a journal count as one token of a budget.
const bytesPerToken = 4

// window is how many bytes before a cut are searched for the newest checkpoint and
// instruction. So reading costs no more for a journal of any size.
const window = 4 << 20

// maxMedia is the largest media file that Embed brings back, in bytes.
const maxMedia = 64 << 20

// DefaultBudget is the default for how many tokens of a conversation are kept.
const DefaultBudget = 60000
