package capture

// maxMedia is the largest file in bytes that is attached to a result. It is what models'
// servers accept.
const maxMedia = 5 << 20
