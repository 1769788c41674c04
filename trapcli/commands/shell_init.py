"""`trapcli shell-init`: the line that makes `trap build billing` work at the prompt."""

import os
from pathlib import Path

import click

from trapcli.system.package import COMPLETION

SHELLS = ("bash", "zsh", "fish")
SCRIPTS = Path(__file__).parent.parent / "shells"


HELP = """\
Print a shell function `trap`, and completion for `trap` and `trapcli`.

`trap` is a builtin of every shell, and takes precedence over a program of that name. The
function sends our commands, --help and --version to trapcli and leaves every other use of
`trap` to the builtin. Scripts and Makefiles should call `trapcli`.

Without an argument the shell is the one that runs this, else the one in $SHELL, else bash.
"""


@click.command(
    "shell-init",
    help=HELP,
    epilog="""\b
Examples:
  eval "$(trapcli shell-init)"          # bash or zsh: now, or in ~/.bashrc or ~/.zshrc
  trapcli shell-init fish | source      # fish: now, or in ~/.config/fish/config.fish
  trap build billing                    # works from then on
""",
)
@click.argument("shell", required=False, type=click.Choice(SHELLS), metavar="[bash|zsh|fish]")
@click.pass_context
def command(ctx: click.Context, shell: str | None) -> None:
    """Print the script for the shell."""
    root = ctx.find_root()
    assert isinstance(root.command, click.Group)
    click.echo(script(shell or calling_shell(), root.command, root.command.list_commands(root)), nl=False)


def script(shell: str, program: click.Group, commands: list[str]) -> str:
    """Return the text for a shell (one of SHELLS) to evaluate. No process is started for it.

    commands: the words after `trap` that belong to the program; as a builtin, `trap` would take them
        for an action and set a signal handler, without an error.
    """
    from click.shell_completion import get_completion_class

    completion = get_completion_class(shell)
    assert completion is not None
    # Not .source(): for bash that runs bash, to find out its version.
    complete = completion(program, {}, "trapcli", COMPLETION)
    text = (SCRIPTS / f"trap.{shell}").read_text(encoding="utf-8")
    separator = " " if shell == "fish" else " | "
    return text.replace("@COMMANDS@", separator.join(sorted(commands))).replace(
        "@COMPLETION@", complete.source_template % complete.source_vars()
    )


def calling_shell() -> str:
    """Return the shell that started this process if the system shows it (Linux), else $SHELL's, else bash."""
    try:
        parent = Path(f"/proc/{os.getppid()}/comm").read_text(encoding="utf-8").strip()
    except OSError:
        parent = ""
    for name in (parent, os.path.basename(os.environ.get("SHELL", ""))):
        if name in SHELLS:
            return name
    return "bash"
