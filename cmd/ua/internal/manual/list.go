package manual

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// begin opens a list (mdoc(7), Bl).
func (p *page) begin(args []token) {
	p.flush()
	kind, options := "", join(args)
	if len(args) > 0 {
		kind = strings.TrimPrefix(args[0].text, "-")
	}
	l := list{kind: kind, compact: strings.Contains(options, "-compact"), at: p.at, outside: p.at}
	if strings.Contains(options, "-offset indent") {
		l.at += deeper
	}
	p.lists = append(p.lists, l)
	p.at = l.inner()
}

// end closes the innermost list (El) and prints it if it is a table.
func (p *page) end() {
	p.flush()
	if len(p.lists) == 0 {
		return
	}
	l := p.lists[len(p.lists)-1]
	p.lists = p.lists[:len(p.lists)-1]
	p.at = l.at
	p.table(l.rows)
	p.at = l.outside
}

// inner returns the indentation of the text of an item.
func (l *list) inner() int {
	switch l.kind {
	case "tag":
		return l.at + deeper + 2
	case "bullet", "enum":
		return l.at + deeper/2
	}
	return l.at
}

// item begins an item of the innermost list (It).
func (p *page) item(args []token) {
	p.flush()
	if len(p.lists) == 0 {
		return
	}
	l := &p.lists[len(p.lists)-1]
	p.at = l.inner()
	if !l.compact && l.kind != "column" {
		p.gap()
	}
	l.n++
	// The head can hold macros of its own; a tag keeps its hard spaces as plain ones.
	head := &text{}
	head.macro(args, p.name)
	switch l.kind {
	case "tag":
		p.tag = strings.ReplaceAll(head.String(), "\u00a0", " ")
	case "bullet":
		p.tag = "*"
	case "enum":
		p.tag = fmt.Sprintf("%d.", l.n)
	case "column":
		var row []string
		for cell := range strings.SplitSeq(head.String(), "\t") {
			row = append(row, strings.TrimSpace(cell))
		}
		l.rows = append(l.rows, row)
	}
}

// table prints rows in columns, each as wide as its widest cell.
func (p *page) table(rows [][]string) {
	var widest []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widest) {
				widest = append(widest, 0)
			}
			widest[i] = max(widest[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			line += cell
			if i < len(row)-1 {
				line += strings.Repeat(" ", widest[i]-utf8.RuneCountInString(cell)+2)
			}
		}
		p.print(line)
	}
}
