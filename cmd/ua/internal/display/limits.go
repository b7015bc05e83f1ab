package display

import "time"

// quietTime is how long the model may be silent before the person sees that it is.
const quietTime = 2 * time.Second

// thoughtMax is how many bytes of a thought are kept for the display.
const thoughtMax = 1000

// lastTurn is how long the end of a run waits for the answer to another run's question.
const lastTurn = 2 * time.Second

// mostHeld is how many bytes of progress are kept while a question is open.
const mostHeld = 1 << 20
