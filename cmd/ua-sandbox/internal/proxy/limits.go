package proxy

// maxConns is how many requests one listener serves at once, and how many connections it
// has that have not sent a whole one, or not the secret; of these the oldest gives way. More
// requests wait, at last in the kernel's queue.
const maxConns = 512

// maxShare is how many of them one command has. As many more of all commands wait as
// maxConns; of these, too, the oldest gives way.
const maxShare = maxConns * 3 / 4

// maxHead is the most bytes that a request's or response's head may have.
const maxHead = 64 << 10

// maxTrailer is the most bytes of chunk extensions and trailers in one body's
// last chunk, and of one chunk's size line.
const maxTrailer = 4 << 10

// maxHello is the most bytes that a client hello may have, over all its records.
const maxHello = 32 << 10

// maxFakes is how many addresses there are: 127.1.0.1 up.
const maxFakes = 1<<16 - 2

// Of the requests to one host each of the first maxSingle is an event. Of those after
// them one event stands for a quarter of all that there were, and the last one for the
// rest: a command can make a million requests, and every event is kept in a journal.
const maxSingle = 128

// maxHosts is how many hosts are told apart. Those beyond are one, called "*".
const maxHosts = 512

// maxRefusals is how many refusals are kept.
const maxRefusals = 64

// maxText is how much is read of a file of settings.
const maxText = 1 << 20
