package main

import "time"

// noteAfter is how long a command runs before it gets a note. Most have ended by then,
// and creating and removing a file takes a twentieth of their processor time.
const noteAfter = 50 * time.Millisecond

// toldAfter is how long a command may have run before this process has read that it does.
const toldAfter = 200 * time.Millisecond
