"""Options that mean the same in several commands."""

from pathlib import Path

import click

DIRECTORY = click.Path(path_type=Path)

suite_option = click.option("--suite", metavar="DIR", type=DIRECTORY, help="Use the suite in this directory.")
expected_option = click.option(
    "--expected",
    metavar="DIR",
    type=DIRECTORY,
    help="The suite's private half, if it was built with --expected.",
)
