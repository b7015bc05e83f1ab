package session

import "time"

// fewTokens is how many tokens a conversation must have before compare looks at it. The
// count of a short one says little.
const fewTokens = 3000

// cacheLife is how long a provider at least keeps a request in its cache: five minutes
// with Anthropic and OpenAI.
const cacheLife = 5 * time.Minute
