package main

import (
	"math"
	"strconv"

	"github.com/tidwall/gjson"
)

// usage counts the tokens of one request. input holds no cached ones.
type usage struct {
	input, cacheRead, cacheWrite, output, reasoning int64
	cost                                            float64
	priced                                          bool
}

// take sets n to the count that an event brings, if it brings one.
func take(n *int64, v gjson.Result) {
	if v.Type == gjson.Number {
		*n = max(v.Int(), 0)
	}
}

// json is the usage as a response carries it.
func (u usage) json() []byte {
	b := strconv.AppendInt([]byte(`{"input":`), u.input, 10)
	b = strconv.AppendInt(append(b, `,"cache_read":`...), u.cacheRead, 10)
	b = strconv.AppendInt(append(b, `,"cache_write":`...), u.cacheWrite, 10)
	b = strconv.AppendInt(append(b, `,"output":`...), u.output, 10)
	b = strconv.AppendInt(append(b, `,"reasoning":`...), u.reasoning, 10)
	if u.priced {
		b = strconv.AppendFloat(append(b, `,"cost_usd":`...), math.Round(u.cost*1e9)/1e9, 'f', -1, 64)
	}
	return append(b, '}')
}

// tokens is all that the request and its answer took.
func (u usage) tokens() int64 { return u.input + u.cacheRead + u.cacheWrite + u.output }

// readUsage reads what json wrote.
func readUsage(v gjson.Result) usage {
	return usage{
		input: v.Get("input").Int(), cacheRead: v.Get("cache_read").Int(), cacheWrite: v.Get("cache_write").Int(),
		output: v.Get("output").Int(), reasoning: v.Get("reasoning").Int(), cost: v.Get("cost_usd").Float(), priced: v.Get("cost_usd").Exists(),
	}
}

func (u *usage) add(v usage) {
	u.input += v.input
	u.cacheRead += v.cacheRead
	u.cacheWrite += v.cacheWrite
	u.output += v.output
	u.cost += v.cost
}
