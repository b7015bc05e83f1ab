package display

import "time"

// quietTime is how long the model may be silent before the person sees that it is.
const quietTime = 2 * time.Second

// thoughtMax is how many bytes of a thought are kept for the display.
const thoughtMax = 1000
