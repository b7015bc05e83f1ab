# fish completion for ua and its programs: the options and verbs that --help
# lists, so that it never drifts.
function __ua_words
    set -l tokens (commandline -opc)
    set -l help ($tokens[1] --help 2>/dev/null)
    if string match -q -- '-*' (commandline -ct)
        printf '%s\n' $help | sed -n 's/^ *\(-.*\)/\1/p' | sed 's/  .*//' | grep -oE -- '--?[A-Za-z][A-Za-z0-9-]*'
    else if test (count $tokens) = 1
        printf '%s\n' $help | sed -nE 's/^(usage:)? *ua[a-z-]* ([a-z][a-z-]+)( .*)?$/\2/p'
    end
end
for p in ua ua-think ua-gate ua-exec ua-sandbox ua-journal ua-shell ua-try
    complete -c $p -a '(__ua_words)'
end
