# ua-shell's part of fish: events, and a mark at the end of the prompt. Marks tell
# ua-shell what the shell is at.
set -g __ua_turns 0
set -g __ua_asks
set -g __ua_set

function __ua_mark
    printf '\e]7283;@NONCE@;%s\a' $argv[1] >&2
end

# __ua_wait hands over to ua-shell and goes on when it says so: with a command
# that it will type at the prompt (run), or because the turn is over (done).
function __ua_wait
    set -g __ua_turns (math $__ua_turns + 1)
    set -g __ua_asks
    __ua_mark "Q;$__ua_turns"
    while read -l answer
        switch $answer
            case "$__ua_turns set *"
                set -l pair (string split -m 1 = -- (string replace -r '^\S+ set ' '' -- $answer))
                set -gx $pair[1] $pair[2]
                set -g __ua_set $__ua_set $pair[1]
            case "$__ua_turns run *"
                set -g __ua_asks 1
                set -g __ua_line (string unescape --style=url -- (string replace -r '^\S+ run ' '' -- $answer) | string collect)
                break
            case "$__ua_turns done"
                break
        end
    end <'@FOLDER@/go' 2>/dev/null
end

function __ua_preexec --on-event fish_preexec
    set -l text (string escape --style=url -- $argv[1])
    if string match -q -- '#*' $argv[1]
        __ua_mark "E;u$text"
        __ua_wait
    else
        __ua_mark "C;u$text"
    end
end

function __ua_postexec --on-event fish_postexec
    set -l code $status
    __ua_mark "D;$code;u"(string escape --style=url -- $PWD)
    if string match -q -- '#*' $argv[1]
        return # its turn goes on
    end
    for name in $__ua_set
        set -e $name
    end
    set -g __ua_set
    if test -n "$__ua_asks"
        __ua_wait
    end
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
__ua_mark "D;0;u"(string escape --style=url -- $PWD)
__ua_wrap
