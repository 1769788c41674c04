"""`trapcli shell-init`: the line that makes `trap build billing` work at the prompt."""

import os
from pathlib import Path

import click

from trapcli.cli import COMMANDS, COMPLETE, cli

SHELLS = ("bash", "zsh", "fish")
SCRIPTS = Path(__file__).parent.parent / "shells"

ROUTED = sorted(COMMANDS)  # of these words the builtin would set a signal handler without a word


@click.command(
    "shell-init",
    epilog="""\b
Examples:
  eval "$(trapcli shell-init)"          # bash or zsh: now, or in ~/.bashrc or ~/.zshrc
  trapcli shell-init fish | source      # fish: now, or in ~/.config/fish/config.fish
  trap build billing                    # works from then on
""",
)
@click.argument("shell", required=False, type=click.Choice(SHELLS), metavar="[bash|zsh|fish]")
def command(shell: str | None) -> None:
    """Print a shell function `trap`, and completion for `trap` and `trapcli`.

    `trap` is a builtin of every shell, and wins over a program of that name. The
    function sends our commands, --help and --version to trapcli and leaves every
    other use of `trap` to the builtin. Scripts and Makefiles say `trapcli`.

    Without an argument the shell is the one that asks, else the one in $SHELL, else bash.
    """
    click.echo(script(shell or asking_shell()), nl=False)


def script(shell: str) -> str:
    """The text for `shell`, one of SHELLS, to evaluate there; no process is started for it."""
    from click.shell_completion import get_completion_class

    completion = get_completion_class(shell)
    assert completion is not None
    # Not .source(): for bash that runs bash, to find out its version.
    complete = completion(cli, {}, "trapcli", COMPLETE)
    text = (SCRIPTS / f"trap.{shell}").read_text(encoding="utf-8")
    separator = " " if shell == "fish" else " | "
    return text.replace("@COMMANDS@", separator.join(ROUTED)).replace(
        "@COMPLETION@", complete.source_template % complete.source_vars()
    )


def asking_shell() -> str:
    """The shell that started us where the system tells (Linux), else $SHELL's, else bash."""
    try:
        parent = Path(f"/proc/{os.getppid()}/comm").read_text(encoding="utf-8").strip()
    except OSError:
        parent = ""
    for name in (parent, os.path.basename(os.environ.get("SHELL", ""))):
        if name in SHELLS:
            return name
    return "bash"
