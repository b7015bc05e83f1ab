package style

import (
	"fmt"
	"strconv"
	"time"
)

// Dollars returns an amount in US dollars with four decimals, such as "$0.0123". It is ""
// for 0: a model without a known price costs an unknown amount, not nothing.
func Dollars(usd float64) string {
	if usd == 0 {
		return ""
	}
	return "$" + strconv.FormatFloat(usd, 'f', 4, 64)
}

// Count returns n in few characters: 950, 2.4k, 13k, 1.2M, 78.1G.
func Count(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprint(n)
	case n < 9950:
		return fmt.Sprintf("%.1fk", float64(n)/1000)
	case n < 999500:
		return fmt.Sprintf("%.0fk", float64(n)/1000)
	}
	if n < 999_500_000 {
		return fmt.Sprintf("%.1fM", float64(n)/1e6)
	}
	return fmt.Sprintf("%.1fG", float64(n)/1e9)
}

// Plural returns a number and its noun, with an s unless the number is 1.
func Plural(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Seconds returns a duration in the form that runs show: 4.6s, and 12m51s from 100 seconds on.
func Seconds(d time.Duration) string {
	if d >= 100*time.Second {
		return d.Round(time.Second).String()
	}
	return fmt.Sprintf("%.1fs", d.Seconds())
}
