package classify

import (
	"slices"
	"strings"

	"ua/cmd/ua-gate/internal/judgement"
)

// unreadSays is the rule for commands of which some part is code that no rule reads. A sandbox
// holds that to the workspace, but not what it may lose, read or arrange there. Its text stands in
// the command, so what does that mostly says so.
func (w *walker) unreadSays(r *Report, command string) {
	unread := func(e judgement.Effect) bool { return e.Act == runsUnread }
	looked := false
	var says Part
	for part := range r.All() {
		if !slices.ContainsFunc(part.Effects, unread) {
			continue
		}
		if !looked {
			looked = true
			w.says(&says, command)
		}
		for _, e := range says.Effects {
			part.add(e.Act, part.Row, part.Reason+", and the command says "+e.What)
		}
	}
}

// says adds what the words of a text say by themselves.
func (w *walker) says(p *Part, text string) {
	if word := lossWord(text); word != "" {
		p.Effects = append(p.Effects, judgement.Effect{Act: losesFiles, What: word})
	}
	sc := &scope{cwd: w.o.Cwd}
	for name := range strings.FieldsFuncSeq(text, partsTexts) {
		if !strings.ContainsAny(name, "./") || !pathLike(name) {
			continue
		}
		switch k := w.at(name, sc).kind; {
		case k&pathHere == 0 || k&pathPublic != 0:
		case k&pathHidden != 0:
			p.Effects = append(p.Effects, judgement.Effect{Act: readsSecrets, What: show(name)})
		case k&pathGuarded != 0:
			p.Effects = append(p.Effects, judgement.Effect{Act: writesGuarded, What: show(name)})
		}
	}
}

// lossWord returns the first word of a text that says that something is deleted or emptied, in
// small letters, or "". A name is its words: deleteTree and delete_tree both say delete.
func lossWord(text string) string {
	for _, mode := range []string{`"w"`, "'w'", `"wb"`, "'wb'", `"w+"`, "'w+'"} {
		if strings.Contains(text, mode) {
			return "that it opens files with " + mode
		}
	}
	git := strings.Contains(strings.ToLower(text), "git")
	for name := range strings.FieldsFuncSeq(text, func(c rune) bool { return !isLetter(c) }) {
		from := 0
		for i := 1; i <= len(name); i++ {
			if i < len(name) && (isSmall(name[i]) || !isSmall(name[i-1]) &&
				(i+1 == len(name) || !isSmall(name[i+1]))) {
				continue
			}
			word := strings.ToLower(name[from:i])
			if inList(lossWords, word) || git && inList(gitLossWords, word) {
				return word
			}
			from = i
		}
		if low := strings.ToLower(name); inList(lossWords, low) {
			return low
		}
	}
	return ""
}

func isLetter(c rune) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func isSmall(c byte) bool { return c >= 'a' && c <= 'z' }

const (
	lossWords = ` rm rmdir rmtree remove removes delete deletes deltree del unlink erase truncate ` +
		`wipe destroy purge prune shred trash clobber overwrite discard recycle mv move rename ` +
		`drop clean reset `
	gitLossWords = ` checkout restore stash branch push gc reflog rebase worktree `
)
