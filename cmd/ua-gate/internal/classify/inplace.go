package classify

// editsInPlace is the rule for a file that a program writes which it reads.
func (a *argv) editsInPlace(file word) {
	a.p.add(writesHere, a.name, a.name+" writes what it reads")
	a.w.write(a.p, file, a.sc)
	a.w.overwrites(a.p, file, a.sc)
	a.w.wroteFile(file.text, a.sc)
}
