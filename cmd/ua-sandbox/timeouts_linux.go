package main

import "time"

// noteAfter is how long a command runs before it has a note. Most are over by then,
// and to make and remove a file takes a twentieth of their processor time.
const noteAfter = 50 * time.Millisecond

// toldAfter is how long a command may run before this process has read that it does.
const toldAfter = 200 * time.Millisecond
