package code

import "strings"

// emacsFamilies are what the names of functions of Emacs begin with that compute, read or print.
// Its library is too large for a closed list of the others.
const emacsFamilies = " string- seq- cl- org-element- org-entry-get org-get- " +
	"org-map- org-heading- " +
	"org-table- org-link- org-list- org-time- org-export-string json- xml- dom- " +
	"date- time- format- buffer- point- line- char- number- list- hash- map- let- " +
	"regexp- replace-regexp re- search- match- mark- region- forward- backward- " +
	"beginning- end- goto- move- skip- looking- sort- assoc- plist- alist- " +
	"file-name- file-attribute file-exists file-readable file-directory file-size " +
	"file-relative- directory-file directory-name parse- decode- encode- calendar- " +
	"rx- sexp- syntax- treesit-node- ert-deftest should fill- indent- count- what- " +
	"pp- cl-defun and- vector- proper- nreverse mapcan version- emacs- " +
	"package-archive with-current- display-warning org-mode text-mode " +
	"emacs-lisp-mode markdown-mode js-json-mode fundamental-mode prog-mode insert " +
	"expand-file locate-user error- condition- ignore- kill-line kill-word " +
	"kill-region delete-char delete-region delete-line upcase- downcase- capitalize- " +
	"transpose- sentence- paragraph- column- current- bolp eolp bobp eobp prin1 " +
	"terpri float- logand logior ash isnan abs read-number default-value secure-hash " +
	"md5 sha1 base64- buffer-substring locate-library load-history features " +
	"lax-plist- ring- gethash puthash remhash narrow- widen system-name user-login " +
	"user-full user-emacs user-uid tab-width "

// emacsFamily reports whether a name of Emacs Lisp that no list has is of such a family,
// and has no word by which it may do more.
func (r *reader) emacsFamily(i int, full string) bool {
	if r.grave(full) {
		return false
	}
	own := r.lang.emacs && i > 1 && r.at[i-1].is("'") && !r.at[i-2].is("#") && r.isDatum(i)
	for family := range strings.FieldsSeq(emacsFamilies) {
		own = own || strings.HasPrefix(full, family)
	}
	if !own {
		return false
	}
	for w := range strings.SplitSeq(full, "-") {
		if has(graveWords, w) || has(emacsWords, w) {
			return false
		}
	}
	return true
}

// isDatum reports whether the quoted symbol at i is no function that the list around it calls.
func (r *reader) isDatum(i int) bool {
	open := r.around(i)
	if open < 0 || open+1 >= len(r.at) {
		return false
	}
	head := r.at[open+1].text
	return !strings.Contains(head, "call") && !strings.Contains(head, "apply") &&
		!strings.HasPrefix(head, "map") && !strings.HasPrefix(head, "seq-") &&
		!strings.HasPrefix(head, "cl-") &&
		!has(" defalias fset advice-add sort add-hook run-hooks "+
			"make-thread setq-local setf ", head)
}

// emacsWords are words of names by which Emacs runs, writes or fetches something, whatever the
// family.
const emacsWords = " process command run load compile write save open make create install fetch " +
	"request connect send mail browse publish tangle export import intern symbol " +
	"module dynamic hook advice program file- call async start server babel execute " +
	"src link-open follow capture attach archive refile clock url download " +
	"insert-file crypt encrypt decrypt open-at push pull vc git "
