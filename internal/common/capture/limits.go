package capture

// maxMedia is the largest file that is attached to a result: what the servers
// of models take.
const maxMedia = 5 << 20
