package main

import "time"

// noteAfter is how long a command runs before it gets a note. Most have ended by then,
// and creating and removing a file takes a twentieth of their processor time.
const noteAfter = 50 * time.Millisecond

// toldAfter is how long a command may have run before this process has read that it does.
const toldAfter = 200 * time.Millisecond

// spareLook is how often it is looked whether commands start many processes, and
// spareAfter how long until the spare threads are made in any case. To make them takes
// 1.5 ms of processor time, here and in init.
const (
	spareLook  = 50 * time.Millisecond
	spareAfter = time.Second
)
