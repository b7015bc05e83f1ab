package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"

	"ua/internal/common/event"
	"ua/internal/common/prog"
)

// question returns the SQL of a question with a name, or the text itself.
func question(text string) string {
	switch text {
	case "spend":
		return `SELECT substr(ts,1,10) AS day, model, count(*) AS calls,
			sum(input+coalesce(cache_read,0)+coalesce(cache_write,0)) AS tokens_in,
			sum(output) AS tokens_out, round(sum(cost_usd),4) AS cost_usd
			FROM responses WHERE replay IS NULL GROUP BY 1,2 ORDER BY 1,2`
	case "denied":
		return `SELECT ts, run, risk, by, rule, command FROM calls
			WHERE status IN ('denied','refused') OR decision='deny' ORDER BY ts DESC`
	case "slow":
		return `SELECT duration_ms, run, status, exit_code, command FROM calls
			WHERE duration_ms IS NOT NULL ORDER BY duration_ms DESC LIMIT 20`
	}
	return text
}

// answer prints the rows of a query: as CSV with the names in the first line (RFC 4180),
// or as one JSON object a row.
func (x *index) answer(w io.Writer, query string, asJSON bool) error {
	rows, err := x.db.Query(query)
	if err != nil {
		return prog.Errorf(prog.Trouble, "%w", err).
			Hintf("ask spend, denied or slow, or SQL over the tables runs, responses and calls")
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return err
	}
	out := csv.NewWriter(w)
	if !asJSON {
		out.Write(names)
	}
	// The number of columns depends on the query, so a row is scanned into a slice.
	values, into := make([]any, len(names)), make([]any, len(names))
	for i := range values {
		into[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		if asJSON {
			err = object(w, names, values)
		} else {
			err = out.Write(text(values))
		}
		if err != nil {
			return err
		}
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return err
	}
	return rows.Err()
}

// text returns the values of a row as CSV has them; NULL is empty.
func text(values []any) (row []string) {
	for _, v := range values {
		if v == nil {
			v = ""
		}
		row = append(row, fmt.Sprint(v))
	}
	return row
}

// object writes a row as a JSON object with its members in the order of the query.
func object(w io.Writer, names []string, values []any) error {
	line := []byte{'{'}
	for i, name := range names {
		if i > 0 {
			line = append(line, ',')
		}
		if f, ok := values[i].(float64); ok && (math.IsInf(f, 0) || math.IsNaN(f)) {
			values[i] = nil // JSON has no such number
		}
		v, err := json.Marshal(values[i])
		if err != nil {
			return err
		}
		line = append(append(event.AppendString(line, name), ':'), v...)
	}
	_, err := w.Write(append(line, '}', '\n'))
	return err
}
