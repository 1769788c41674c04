# trapcli for fish.   trapcli shell-init fish | source
#
# `trap build ...` and our other commands, `trap --help` and `trap --version` go to
# trapcli; every other use of `trap` goes to fish's own function unchanged. A command's
# name followed only by signals (trap build EXIT) is an action for them, as before.

functions --query __trapcli_fish_trap; or functions --copy trap __trapcli_fish_trap

function trap --description 'trapcli and the trap of the shell'
    switch "$argv[1]"
        case --help --version
            command trapcli $argv
        case @COMMANDS@
            if __trapcli_signals $argv[2..]
                __trapcli_fish_trap $argv
            else
                command trapcli $argv
            end
        case '*'
            __trapcli_fish_trap $argv
    end
end

function __trapcli_signals --description 'Whether there are words and all are names of signals'
    set --local known EXIT (kill -l | string split ' ')
    for word in $argv
        contains -- (string replace --regex '^SIG' '' -- $word) $known; or return
    end
    test (count $argv) -gt 0
end

@COMPLETION@
function __trapcli_ours --description 'Whether the command line may be one of ours'
    set --local words (commandline --tokenize --current-process --cut-at-cursor)
    test (count $words) -lt 2; or contains -- $words[2] @COMMANDS@
end

complete --do-complete 'trap ' >/dev/null # fish loads its own completion now, or it would add it later
complete --erase --command trap
complete --command trap --condition __trapcli_ours --no-files --arguments '(_trapcli_completion)'
complete --command trap --condition 'not __trapcli_ours' --arguments '(kill -l | string split " ")'
complete --command trap --short-option p --long-option print --description 'Display signal handlers'
complete --command trap --short-option l --long-option list-signals --description 'Display signals'
