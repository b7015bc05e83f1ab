package budget

// maxDenials is how many answers in a row, with nothing but denied commands, end the run: a
// model that tries one forbidden thing after the other, or the same one, is not going to get
// it. The commands of one answer count once, as it hears of none before it has sent them all.
const maxDenials = 3
