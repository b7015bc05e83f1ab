package proxy

// maxConns is how many requests a listener serves at once. It is also how many
// connections it has that have not sent a whole request, or not the secret; the oldest of
// those gives way. More requests wait, in the end in the kernel's queue.
const maxConns = 512

// maxShare is how many of these requests one command may have. Another maxConns requests
// of all commands can wait, and the oldest of those gives way, too.
const maxShare = maxConns * 3 / 4

// maxHead is the most bytes that the head of a request or response may have.
const maxHead = 64 << 10

// maxHello is the most bytes that a client hello may have, in all its records.
const maxHello = 32 << 10

// maxSingle is how many requests to one host get an event each. After those, one event
// stands for a quarter of all so far, and the last one for the rest. A command can make a
// million requests, and every event is kept in a journal.
const maxSingle = 128

// maxHosts is how many hosts are counted separately. All others are one, called "*".
const maxHosts = 512

// maxRefusals is how many refusals are kept.
const maxRefusals = 64

// maxLive is how many bytes are read of what a caller lists besides, while the sandbox stands.
const maxLive = 4 << 10

// maxText is how many bytes of a settings file are read.
const maxText = 1 << 20
