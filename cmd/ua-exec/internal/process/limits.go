package process

// MaxStrays is how many processes commands that have ended may leave running. A server
// with its workers has about ten, and a browser about thirty. More than this is out of
// hand, and takes the room that the next command needs.
const MaxStrays = 64

// MaxStarters limits the threads that start programs. Each folder that replaces another
// one needs a lock of its own, and so a thread.
const MaxStarters = 16
