package journal

// bytesPerToken is how many bytes of a journal count as one token of a budget.
const bytesPerToken = 4

// window is how far before a cut the newest checkpoint and instruction are
// looked for, in bytes: a journal of any size costs no more to read.
const window = 4 << 20

// maxMedia is the largest media file that Embed brings back, in bytes.
const maxMedia = 64 << 20
