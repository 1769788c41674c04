# trapcli for zsh.   eval "$(trapcli shell-init zsh)"      (after compinit, for completion)
#
# `trap build ...` and our other commands, `trap --help` and `trap --version` go to
# trapcli; every other use of `trap` goes to the builtin unchanged. A command's name
# followed only by signals (trap build EXIT) is an action for them, as before.

trap() {
    setopt localoptions noksharrays noshglob
    case ${1-} in
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

    [[ ${1-} == -- ]] && shift
    local -a named_signals=("$@")
    (($# > 1)) && shift named_signals
    # zsh keeps an EXIT trap (and, with localtraps, any trap) for the function that sets it, so
    # the builtin has to run in our caller: as our own EXIT trap, which zsh runs there when this
    # function returns. Not where that would never run (posixtraps, or inside a trap), and not
    # for words that the builtin refuses: its exit status would be lost.
    if [[ -o posixtraps ]] || ((${zsh_eval_context[(Ie)trap]})) ||
        ! _trapcli_signals "${(@)named_signals:#(-|<0-31>)}"; then
        setopt posixtraps
        builtin trap "$@"
    else
        builtin trap "builtin trap -- ${(j: :)${(qq)@}}" EXIT
    fi
}

_trapcli_signals() { # whether all words are names of signals
    local word
    for word; do
        ((${signals[(Ie)${word#SIG}]})) || [[ $word == ERR ]] || return
    done
}

if (($+functions[compdef])); then
@COMPLETION@
    _trapcli_complete() {
        local type key descr # the function above sets them
        _trapcli_completion
    }

    _trap_complete() {
        local before=$compstate[nmatches] first=${words[2]}
        ((CURRENT > 2)) || first=build # the word is still to be typed: it may be one of ours
        case $first in
            @COMMANDS@) _trapcli_complete ;;
        esac
        ((compstate[nmatches] > before)) || _trap
    }

    compdef _trapcli_complete trapcli
    compdef _trap_complete trap
fi
