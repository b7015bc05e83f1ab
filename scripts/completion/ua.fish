# fish completion for ua and its programs. ua complete knows what may stand next.
function __ua_complete
    ua complete -- (commandline -opc) (commandline -ct) 2>/dev/null
end
for p in ua ua-think ua-gate ua-exec ua-sandbox ua-journal ua-journal-index ua-shell ua-try
    complete -c $p -a '(__ua_complete)'
end
