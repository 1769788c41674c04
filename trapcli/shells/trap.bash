# trapcli for bash.   eval "$(trapcli shell-init bash)"
#
# `trap build ...` and our other commands, `trap --help` and `trap --version` go to
# trapcli; every other use of `trap` goes to the builtin unchanged. A command's name
# followed only by signals (trap build EXIT) is an action for them, as before.
#
# What the function changes: bash sets the ERR, DEBUG and RETURN traps aside while a
# function runs. Setting them through `trap` works. Listing shows none of them, removing
# one that was set before has no effect, and a RETURN trap runs once more, when it is set.
# `builtin trap ...` does all of that as before. Signals and EXIT are not affected. In
# POSIX mode (set -o posix) the builtin always takes precedence: use `trapcli` there.

case ":${SHELLOPTS-}:" in
*:posix:*)
    echo 'trapcli: in POSIX mode bash does not let a function replace trap; use "trapcli" itself.' >&2
    ;;
*)
    trap() {
        case "${1-}" in
        --help | --version)
            command trapcli "$@"
            return
            ;;
        @COMMANDS@)
            (($# > 1)) && _trapcli_signals "${@:2}" || {
                command trapcli "$@"
                return
            }
            ;;
        esac
        builtin trap "$@"
    }

    _trapcli_signals() { # whether all words are names of signals
        local word
        for word; do
            [[ $word == [A-Z]* ]] && builtin trap -p -- "$word" >/dev/null 2>&1 || return
        done
    }
    ;;
esac

if ((BASH_VERSINFO[0] > 4 || (BASH_VERSINFO[0] == 4 && BASH_VERSINFO[1] >= 4))); then
@COMPLETION@
    _trapcli_complete() {
        local type value completion # the function above sets them
        _trapcli_completion trapcli
    }

    _trap_complete() {
        ((COMP_CWORD > 1)) || {
            _trapcli_complete
            return
        }
        case "${COMP_WORDS[1]}" in
        @COMMANDS@) _trapcli_complete ;;
        *) COMPREPLY=($(compgen -A signal -- "${COMP_WORDS[COMP_CWORD]}")) ;;
        esac
    }

    complete -o nosort -F _trapcli_complete trapcli
    complete -o nosort -o bashdefault -o default -F _trap_complete trap
fi
