package process

// MaxStrays is how many processes commands that have ended may leave running. A
// server with its workers has some ten, a browser some thirty; what has more is
// out of hand, and takes the room that the next command needs.
const MaxStrays = 64

// MaxStarters bounds the threads: each folder that takes the place of another one
// needs a lock, and so a thread, of its own.
const MaxStarters = 16
