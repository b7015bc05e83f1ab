package session

import "time"

// fewTokens is how many tokens a conversation must take before compare looks
// at it: the count of a short one says little.
const fewTokens = 3000

// cacheLife is how long a provider keeps what it was asked in its cache, at
// least: five minutes with Anthropic and OpenAI.
const cacheLife = 5 * time.Minute
