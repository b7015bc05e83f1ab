# fish completion for ua and its programs. ua complete knows what may stand next; where it
# knows nothing, a file may.
function __ua_complete
    set -l list (ua complete -- (commandline -opc) (commandline -ct) 2>/dev/null)
    if set -q list[1]
        printf '%s\n' $list
    else
        __fish_complete_path (commandline -ct)
    end
end
for p in ua ua-think ua-gate ua-exec ua-sandbox ua-journal ua-journal-index ua-acp ua-doctor ua-mcp ua-race ua-record ua-seal ua-shell ua-try
    complete -c $p -f -a '(__ua_complete)'
end
