# ua-shell's part of fish: events, and a mark at the end of the prompt. Marks tell
# ua-shell what the shell is at.
set -g __ua_key
set -g __ua_set

function __ua_mark
    printf '\e]7283;@NONCE@;%s\a' $argv[1] >/dev/tty
end

# __ua_meet waits for ua-shell before each prompt, and tells what it was called with when it
# is given a token (tell): the kernel shows ua-shell that the shell itself reads here, so
# nobody else says it. It goes on with a command that ua-shell will type at the prompt
# (run), or with none (done), and with the key to the next line that is typed. What others
# have put there, or write to it without end, does not hold the prompt up.
function __ua_meet
    set -l token
    set -l others
    __ua_mark Q; or return
    test -p '@FOLDER@/go'; or return
    while read -l answer
        set -l word (string split -m 3 ' ' -- $answer)
        switch $answer
            case "tell *"
                set token $word[2]
                __ua_mark "D;$token;$argv[1]"
            case "$token set *"
                set -l pair (string split -m 1 = -- (string join ' ' -- $word[3..]))
                set -gx $pair[1] $pair[2]
                set -g __ua_set $__ua_set $pair[1]
            case "$token env *"
                /usr/bin/env -0 </dev/null >'@FOLDER@/env'
                __ua_mark "V;$token"
            case "$token cd *"
                set -l plain
                if not set -q CDPATH; and contains -- (functions -D cd) $__fish_data_dir/functions/cd.fish embedded:functions/cd.fish
                    set plain yes
                end
                __ua_mark "V;$token;$plain"
            case "$token run *"
                set -l text (string split ' ' -- $word[4])
                test "$text[2]" = $word[3]; or continue # a part is lost
                set -g __ua_key $word[3]
                set -g __ua_line (string unescape --style=url -- $text[1] | string collect)
                break
            case "$token done *"
                set -g __ua_key $word[3]
                set -g __ua_line
                break
            case "*"
                set others $others x
                test (count $others) -lt 99; or break
        end
    end <'@FOLDER@/go' 2>/dev/null
end

# The key shows that no command says what was typed.
function __ua_preexec --on-event fish_preexec
    __ua_mark "E;$__ua_key;u"(string escape --style=url -- $argv[1])
    set -g __ua_key
    string match -q -- '#*' $argv[1]; or __ua_mark C
end

function __ua_postexec --on-event fish_postexec
    set -l code $status
    for name in $__ua_set
        set -e $name
    end
    set -g __ua_set
    __ua_meet "$code;u"(string escape --style=url -- $PWD)
end

# The prompt's function is wrapped anew whenever the user has another one.
function __ua_wrap
    if test (functions -Dv fish_prompt | tail -n 1) != ua-shell
        functions -e __ua_fish_prompt
        functions -c fish_prompt __ua_fish_prompt
        function fish_prompt -d ua-shell
            __ua_fish_prompt
            printf '\e]7283;@NONCE@;B\a'
        end
    end
end

function __ua_prompt --on-event fish_prompt
    __ua_mark P
    __ua_wrap
end

# A # line of several lines is one instruction: the others would run.
function __ua_enter
    if test (status current-command) = fish
        set -l lines (commandline -b)
        if test (count $lines) -gt 1; and string match -q -- '#*' $lines[1]
            commandline -r -- (string replace -r '^(?!#)' '# ' -- $lines | string collect)
        end
    end
    commandline -f execute
end
# __ua_take takes the command that ua-shell was allowed to run, at a key of its
# own: what is pasted would be trimmed.
function __ua_take
    if test -n "$__ua_line"
        commandline -r -- $__ua_line
        set -g __ua_line
        # A suggestion would stay on the screen behind what was approved.
        commandline -f suppress-autosuggestion execute
    end
end

for __ua_mode in default insert
    bind -M $__ua_mode \e\[7283\~ __ua_take
    for __ua_key in \r \n
        if not bind --user -M $__ua_mode $__ua_key >/dev/null 2>&1
            bind -M $__ua_mode $__ua_key __ua_enter
        end
    end
end
set -e __ua_mode __ua_key
__ua_meet "0;u"(string escape --style=url -- $PWD)
__ua_wrap
