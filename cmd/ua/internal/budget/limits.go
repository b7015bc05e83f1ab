package budget

// maxDenials is how many answers in a row with nothing but denied commands end the run. A
// model that tries one forbidden thing after the other, or the same one again, is not
// going to get it. The commands of one answer count once, since the model learns of no
// denial before it has sent them all.
const maxDenials = 3
