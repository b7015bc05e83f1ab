package plain

// Usage says which commands run unasked where nothing holds them, a line for each, and with
// which words. ua-gate(1) prints it. Each is a builtin or a plain reader of files: it starts no
// program, reads no settings of a project, writes nothing and speaks to nobody.
//
// [-abc] are letters that may be joined, and [-n N] is one with a value; the words between
// | stand for themselves. TEXT is one literal word, FILE one that may have a glob in it, and LINES
// are those that sed prints.
const Usage = `
basename [-az] [-s TEXT] [--] TEXT...
cat [-AbeEnstTuv] [--] [FILE...]
cd DIR
cksum [--] [FILE...]
cmp [-bls] [-n N] [--] FILE FILE
comm [-123] [--] FILE FILE
command -v NAME
cut [-s] [-b TEXT] [-c TEXT] [-d TEXT] [-f TEXT] [--complement] [--]
    [FILE...]
date [-uR] [+FORMAT]
df [-ahHiklmPT] [--] [FILE...]
diff [-abBcdEeiNpqrstTuwy0123456789] [-U N] [-C N] [--brief] [--] FILE FILE
dirname [-z] [--] TEXT...
du [-abchHkLmsSx0] [-d N] [--max-depth=N|--exclude=TEXT] [--] [FILE...]
echo [-neE] [TEXT...]
false
find [FILE...] [-name TEXT|-iname TEXT|-path TEXT|-ipath TEXT|-regex
    TEXT|-type TEXT|-maxdepth N|-mindepth N|-size TEXT|-mtime N|-mmin
    N|-newer FILE|-user TEXT|-perm
    TEXT|-empty|-print|-print0|-ls|-prune|-not|-a|-and|-o|-or|!|(|)]
grep [-acEFGhHiIlLnoPqrRsvwxz0123456789] [-A N] [-B N] [-C N] [-m N]
    [--include=TEXT|--exclude=TEXT|--exclude-dir=TEXT]
    [--color=TEXT|--color|--count|--ignore-case|--line-number]
    [--files-with-matches] [--] TEXT [FILE...]
grep [-acEFGhHiIlLnoPqrRsvwxz0123456789] [-A N] [-B N] [-C N] [-m N] [-e
    TEXT] [--include=TEXT|--exclude=TEXT|--exclude-dir=TEXT]
    [--color=TEXT|--color|--count|--ignore-case|--line-number]
    [--files-with-matches] [--] [FILE...]
groups
head [-qvz0123456789] [-n N] [-c N] [--lines=N|--bytes=N] [--] [FILE...]
hostname [-f|-s]
id [-gGnru]
ls [-1aAbBcCdFgGhHiklLmnNopqQrRsStTuUvxXZ]
    [--all|--almost-all|--human-readable|--recursive|--reverse]
    [--directory|--group-directories-first|--color=TEXT|--color]
    [--sort=TEXT|--time=TEXT|--time-style=TEXT] [--] [FILE...]
md5sum [-b] [--] [FILE...]
nl [-b TEXT] [-n TEXT] [-s TEXT] [-w N] [--] [FILE...]
nproc [--all]
od [-bcdosvx] [-A TEXT] [-j N] [-N N] [-t TEXT] [--] [FILE...]
pwd [-LP]
readlink [-efmnqsvz] [--] FILE...
realpath [-eLmPqsz] [--] FILE...
sed [-nErs] LINES [FILE...]
seq [-w] [-s TEXT] N [N] [N]
sha1sum [-b] [--] [FILE...]
sha256sum [-b] [--] [FILE...]
sort [-bdfghiMnrsuVz] [-k TEXT] [-t TEXT] [--] [FILE...]
stat [-Lx] [-c TEXT] [-f TEXT] [--format=TEXT|--printf=TEXT] [--] FILE...
strings [-a] [-n N] [-t TEXT] [--] FILE...
tac [--] [FILE...]
tail [-qvz0123456789] [-n N] [-c N] [--lines=N|--bytes=N] [--] [FILE...]
test [-d FILE|-e FILE|-f FILE|-h FILE|-L FILE|-r FILE|-s FILE|-w FILE|-x
    FILE|!]
tr [-cCdst] [--] TEXT [TEXT]
tree [-aACdDfFhipQrsStuvx] [-L N] [-I TEXT] [-P TEXT]
    [--dirsfirst|--noreport|--gitignore] [FILE...]
true
type [-at] NAME...
uname [-amnoprsv]
uniq [-cdiuz] [-f N] [-s N] [-w N] [--] [FILE]
uptime
wc [-clLmw] [--bytes|--chars|--lines|--words] [--] [FILE...]
which [-a] NAME...
whoami
`

// builtins are those of these commands that every shell has in itself. Each other one is a
// program, which has to come from one of the system's own folders.
const builtins = " cd command echo false pwd test true type "

// system are the folders of the system's own programs.
const system = " /bin /sbin /usr/bin /usr/sbin /usr/local/bin /opt/homebrew/bin" +
	" /run/current-system/sw/bin /nix/var/nix/profiles/default/bin "
