package policy

// later looks at the repositories in the folders that were too many to be searched when the
// command began. Nothing keeps these as they are, so that what has changed in them since is
// taken for planted, whoever made them: an earlier command could have made so many folders.
// They are looked for in the first hunt, and in the last.
func (h *hunt) later(last bool) {
	if p := h.p; len(p.rest) > 0 && (p.late == nil || last) {
		p.late = []contents{}
		var l lister
		queue := p.rest
		for listed := 0; len(queue) > 0 && listed < maxLast &&
			!h.enough(queue[0]); queue = queue[1:] {
			c := l.look(queue[0])
			listed++
			queue = append(queue, c.below...)
			if c.git || c.bare || len(c.crowded) > 0 || len(c.trees) > 0 {
				c.below = nil
				p.late = append(p.late, c)
			}
		}
	}
	for _, c := range h.p.late {
		h.contents(c, true)
	}
}
