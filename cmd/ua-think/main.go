// Ua-think asks a model: it reads a conversation and writes what is new, the
// model's answer, as events (ua-think(1)).
package main

import "ua/internal/common/prog"

func main() { prog.Main("ua-think", start) }
