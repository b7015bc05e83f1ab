package classify

import "strings"

// tmux runs each of the commands that a word ";" parts as tmux runs it alone, and in a new
// window or pane the words behind the flags: one is a shell's line, several are a command.
func (a *argv) tmux() {
	from := 0
	for i, wd := range a.words {
		if wd.text == ";" || strings.HasSuffix(wd.text, ";") {
			piece := append([]word{lit("tmux")}, a.words[from:i]...)
			if rest := strings.TrimSuffix(wd.text, ";"); rest != "" {
				piece = append(piece, wd.with(rest))
			}
			from = i + 1
			a.w.run(piece, stream{}, a.sc, &a.p.Parts)
		}
	}
	if from > 0 {
		if from < len(a.words) {
			a.w.run(append([]word{lit("tmux")}, a.words[from:]...), stream{}, a.sc, &a.p.Parts)
		}
		a.base = readOnly
		return
	}
	row := *a.row
	row.reader, a.row = "", &row
	a.do()
	if !strings.HasPrefix(a.name, "tmux ") || a.row.reader != "pane" {
		return
	}
	switch operands := a.operands; {
	case len(operands) == 1:
		a.script(a.name, operands[0], stream{})
	case len(operands) > 1:
		a.out |= a.w.run(operands, stream{}, a.sc.sub(), &a.p.Parts).bits
	}
}
