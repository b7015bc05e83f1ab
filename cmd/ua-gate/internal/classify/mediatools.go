package classify

import "strings"

// exiftool writes tags, of which one is the file's name.
func (a *argv) exiftool() {
	if cond, ok := a.value("-if"); ok && strings.Trim(strings.TrimLeft(cond.text, "$not "),
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:_") != "" {
		a.p.add(runsHidden, "exiftool -if", "exiftool runs the Perl in "+show(cond.text))
	}
	for _, o := range a.operands {
		if a.flagged("-overwrite_original", "-r") {
			a.w.overwrites(a.p, o, a.sc)
		}
	}
	for _, wd := range a.words {
		if strings.HasPrefix(strings.ToLower(wd.text), "-tagsfromfile") {
			a.p.add(writesHere, "exiftool -tagsFromFile", "exiftool writes tags")
		}
		tag, val, set := strings.Cut(wd.text, "=")
		if !set || !strings.HasPrefix(tag, "-") {
			tag, val, set = strings.Cut(wd.text, "<")
		}
		if !set || !strings.HasPrefix(tag, "-") {
			continue
		}
		a.p.add(writesHere, "exiftool -TAG=", "exiftool writes tags")
		for _, o := range a.operands {
			a.w.overwrites(a.p, o, a.sc)
		}
		low := strings.ToLower(tag)
		if strings.Contains(low, "filename") || strings.Contains(low, "directory") {
			a.w.write(a.p, lit(val), a.sc)
		}
	}
}

// magick sees the file names by which ImageMagick runs programs and scripts.
func (a *argv) magick() {
	for _, o := range a.operands {
		kind, _, _ := strings.Cut(strings.ToLower(o.text), ":")
		if kind == "msl" || kind == "ephemeral" || kind == "mvg" || kind == "text" ||
			inList(" label caption pango ", kind) &&
				strings.Contains(o.text, "@") || strings.HasPrefix(o.text, "|") || kind == "url" ||
			kind == "x" {
			a.p.add(runsHidden, a.name+" "+kind,
				"the name "+show(o.text)+" runs a script or a program")
		}
		if kind == "http" || kind == "https" || kind == "ftp" {
			a.p.add(talks, a.name+" URL", a.name+" fetches "+show(o.text))
		}
	}
}

// gs is Ghostscript, whose files may be pipes.
func (a *argv) gs() {
	for _, wd := range a.words {
		if strings.Contains(wd.text, "%pipe%") || strings.Contains(wd.text, "|") {
			a.p.add(runsHidden, "gs %pipe%", "gs runs "+show(wd.text))
		}
	}
}

// soxEffects are the words behind the files of sox(1): what is done to the sound.
const soxEffects = " allpass band bandpass bandreject bass bend biquad chorus channels compand " +
	"contrast dcshift deemph delay dither downsample earwax echo echos equalizer fade " +
	"fir flanger gain highpass hilbert loudness lowpass mcompand noiseprof noisered " +
	"norm oops overdrive pad phaser pitch rate remix repeat reverb reverse riaa silence " +
	"sinc spectrogram speed splice stat stats stretch swap synth tempo treble tremolo " +
	"trim upsample vad vol "

// sox reads files and writes the last one before the effects; -n is no file. Two effects write
// a file of their own.
func (a *argv) sox() {
	end, files := len(a.words), []word{}
	for i, wd := range a.words {
		if inList(soxEffects, wd.text) {
			end = i
			break
		}
	}
	for i, wd := range a.words[:end] {
		if inList(" -n -p -d - ", wd.text) || !strings.HasPrefix(wd.text, "-") &&
			(i == 0 || !inList(" -r -b -c -e -t -v -C -L --combine -m ", a.words[i-1].text)) {
			files = append(files, wd)
		}
	}
	for i, f := range files {
		switch {
		case strings.HasPrefix(f.text, "-"):
			if i == len(files)-1 && len(files) > 1 {
				a.base = readOnly
			}
		case i == len(files)-1 && !a.fixed:
			a.effect(isWrite, f, "")
			a.w.overwrites(a.p, f, a.sc)
		default:
			a.effect(isRead, f, "")
		}
	}
	for i, wd := range a.words[end:] {
		if before := a.words[max(end+i-1, 0)].text; before == "noiseprof" || before == "-o" {
			a.effect(isWrite, wd, "")
			a.w.overwrites(a.p, wd, a.sc)
		}
	}
}

// ffmpeg has files and addresses in its filters, and several outputs in a word of tee.
func (a *argv) ffmpeg() {
	a.printing()
	for _, u := range a.used {
		if u.value != isAny {
			continue
		}
		if strings.Contains(u.val.text, "://") {
			a.p.add(talks, a.name+" "+u.name, a.name+" "+u.name+" talks to other machines")
		}
		a.readsInside(u.val)
		for _, key := range []string{":file=", ":filename=", ":result=", "destination="} {
			if _, to, ok := strings.Cut(u.val.text, key); ok {
				a.p.add(writesHere, a.name+" "+u.name, a.name+" "+u.name+" writes a file")
				a.stray(u.val.with(to), false)
			}
		}
	}
	for _, o := range a.operands {
		for to := range strings.SplitSeq(o.text, "|") {
			if strings.Contains(o.text, "|") {
				to = to[strings.LastIndexByte(to, ']')+1:]
				a.effect(isWrite, o.with(to), "tee")
			}
		}
	}
}
