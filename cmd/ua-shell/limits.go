package main

import "time"

// silence is how long a shell may take to say something before it is taken for one
// that won't. One that does later is believed.
const silence = 2 * time.Second

// grace is how long a shell may take to end when its terminal is gone.
const grace = 2 * time.Second
