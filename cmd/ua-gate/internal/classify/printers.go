package classify

import "strings"

// printing is a converter that prints what it makes when its output is named "-".
func (a *argv) printing() {
	to, named := a.value("-o", "--output", "-out")
	if !named {
		to = word{}
		if n := len(a.operands); n > 0 {
			to = a.operands[n-1]
		}
	}
	_, _, colon := strings.Cut(to.text, ":-")
	switch {
	case to.text == "-", to.text == "/dev/stdout", strings.HasPrefix(to.text, "pipe:"), colon,
		to.text == "stdout" && a.name == "tesseract":
		a.base = readOnly
	case !named && inList(printers, a.name), !named && len(a.operands) == 1 &&
		inList(printsOne, a.name):
		a.base = readOnly
	}
}

// printsOne are converters that print what they make of a single operand.
const printsOne = " xlsx2csv csv2md html2md docx2txt rst2md "

// printers are converters that print what they make unless -o names a file.
const printers = " pandoc dot neato fdp sfdp circo rsvg-convert markdown multimarkdown tidy " +
	"recode uconv " +
	"xsltproc rst2html rst2man scdoc ronn pod2man pod2text pod2html md2man go-md2man uncrustify " +
	"textql q sqlformat sql-formatter xmlformat mmark help2man "
