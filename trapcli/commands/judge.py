"""`trapcli judge`: one answer, many answers, or a run of trap-cli."""

import os
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from trapcli.commands.options import expected_option, suite_option
from trapcli.core.errors import DONE, FAILED, TrapError
from trapcli.suites.selection import complete_cases, complete_families, select_suite

if TYPE_CHECKING:
    from trapcli.core.contract import Verdict
    from trapcli.core.output import Output
    from trapcli.judging.batch import Submission
    from trapcli.suites.reader import Suite

# Engines are imported where they are used: `--help` and completion need none of them.

MANIFEST = "TRAPTASK_MANIFEST"


EPILOG = """\b
Examples:
  trapcli judge --case case_03 edits.json
  trapcli judge case_03.json
  python agent.py | trapcli judge --family billing --case case_03 --json -
  trapcli judge --suite traps/billing --answers answers.jsonl --json > verdicts.jsonl
  trapcli judge --run 3
"""


@click.command("judge", epilog=EPILOG)
@click.argument("answer_file", required=False, type=click.Path(allow_dash=True))
@click.option(
    "--case", metavar="CASE", shell_complete=complete_cases, help="The case that the answer is for."
)
@click.option(
    "--family", metavar="NAME", shell_complete=complete_families, help="Use the suite of this family."
)
@suite_option
@expected_option
@click.option(
    "--answers",
    metavar="FILE|DIR",
    type=click.Path(allow_dash=True),
    help="Judge many answers: JSON Lines, or a directory of case_01.* files.",
)
@click.option(
    "--run",
    "run",
    metavar="N",
    type=click.IntRange(1, 2**31),
    help="Judge the stored outputs of a run of calibrate again.",
)
@click.option("--save", is_flag=True, help="With --run: store the verdicts that are not as stored.")
@click.option("--json", "as_json", is_flag=True, help="Print each verdict as one line of JSON.")
def command(
    answer_file: str | None, answers: str | None, run: int | None, save: bool, as_json: bool, **options: Any
) -> int:
    """Judge the answer in ANSWER_FILE ('-' is standard input), or many with --answers.

    An answer is all that the agent printed; its last 10 MB are read. Without --case, a
    file whose name begins with a case id and a dot is judged for that case.

    A line given to --answers is {"case": "case_01", "output": "..."}. It may also hold
    "exit_code" (a number; any but 0 scores 0.0) and "timed_out" (true scores 0.0). '-' is
    standard input. The files of a directory are judged in the order of their names,
    several for one case one by one.

    With --run the outputs that a run stored are judged again; the agent is not run.

    Exit code 0: passed (of many: all passed; with --run: every verdict is the stored one);
    1: not so; 2: could not be judged.
    With the variable TRAPTASK_MANIFEST set and no answer named, this is judge and grader
    for trap-cli, and 0 means that a verdict was printed.
    """
    if run is not None:
        given = [name for name, value in {"ANSWER_FILE": answer_file, "--answers": answers}.items() if value]
        if given := given + [f"--{name}" for name, value in options.items() if value is not None]:
            raise click.UsageError(f"--run knows its suites and answers; leave {given[0]} out.")
        from trapcli.commands.judge_run import judge_run

        return judge_run(run, save, as_json)
    if save:
        raise click.UsageError("--save goes with --run.")
    manifest = os.environ.get(MANIFEST)
    if answer_file is not None and answers is not None:
        raise click.UsageError("Give an answer's file or --answers, not both.")
    if answers is not None and options["case"] is not None:
        raise click.UsageError(
            "--case goes with one answer; the lines or files of --answers name their cases."
        )
    if manifest and answer_file is None and answers is None and options["case"] is None:
        return _judge_for_tp(manifest, options)
    if answers is not None:
        return _judge_many(answers, options, as_json)
    return _judge_one(answer_file, options, as_json)


def _judge_one(answer_file: str | None, options: dict[str, Any], as_json: bool) -> int:
    from trapcli.core import registry
    from trapcli.judging.judge import dumped, judge_output
    from trapcli.suites.reader import read_case

    if answer_file is None:
        raise click.UsageError(
            "Which answer? Give the file that holds it, '-' for standard input, or --answers."
        )
    case_id = options["case"] or _case_named_by(answer_file)
    suite = _selected(options, case_id)
    if case_id is None:
        raise click.UsageError(
            f"Which case is the answer for? Add --case; the suite {suite.directory} has "
            f"{suite.cases[0]} to {suite.cases[-1]}."
        )
    family, case = registry.family(suite.family), read_case(suite, case_id)
    if options["case"] is None:
        click.echo(f"judged for {case_id}, after the file's name", err=True)
    verdict = judge_output(family, case, _output(answer_file))
    if as_json:
        click.echo(dumped(verdict))
    else:
        from trapcli.views.terminal import show_verdict

        show_verdict(family, verdict)
    return DONE if verdict.status == "passed" else FAILED


def _judge_many(answers: str, options: dict[str, Any], as_json: bool) -> int:
    from trapcli.core import registry
    from trapcli.judging.batch import Tally, judge_all
    from trapcli.judging.judge import dumped
    from trapcli.suites.reader import read_case

    suite = _selected(options, None)
    family = registry.family(suite.family)
    tally = Tally()
    with _submissions(answers, suite) as submissions:
        for submission, verdict in judge_all(family, lambda case: read_case(suite, case), submissions):
            tally.add(verdict)
            if as_json:
                click.echo(dumped(verdict, **submission.source))
            else:
                click.echo(_line(submission, verdict), color=_colour())
    if not tally.total():
        raise TrapError(f"there are no answers in {answers}.")
    if not as_json:
        click.echo()
    for line in tally.lines(suite.cases):
        click.echo(line, err=as_json)
    return DONE if tally.total("passed") == tally.total() else FAILED


def _judge_for_tp(text: str, options: dict[str, Any]) -> int:
    import json

    from trapcli.judging import trap_cli
    from trapcli.judging.judge import dumped

    manifest = trap_cli.parse(text)
    if isinstance(manifest, list):
        click.echo(json.dumps(trap_cli.grade(manifest)))
    else:
        directory, expected = trap_cli.halves(manifest)
        given = {"suite": directory, "expected": expected}
        suite = _selected({**options, **{name: options[name] or given[name] for name in given}}, None)
        verdict = trap_cli.judge_run(manifest, suite)
        click.echo(trap_cli.short(verdict))
        click.echo(dumped(verdict), err=True)  # trap-cli keeps it beside the verdict
    return DONE


def _selected(options: dict[str, Any], case: str | None) -> "Suite":
    return select_suite(
        suite=options["suite"],
        family=options["family"],
        case=case,
        expected=options["expected"],
        cwd=Path.cwd(),
    )


def _case_named_by(answer_file: str) -> str | None:
    from trapcli.judging.batch import CASE_NAME

    match = CASE_NAME.fullmatch(Path(answer_file).name)
    return match[1] if match else None


def _output(file: str) -> "Output":
    """What the answer's file holds, or standard input."""
    from trapcli.core.output import read_output

    with _opened(file) as stream:
        try:
            return read_output(stream)
        except OSError as error:
            raise TrapError(f"{file} cannot be read: {error.strerror or error}.") from error


@contextmanager
def _submissions(answers: str, suite: "Suite") -> "Iterator[Iterator[Submission]]":
    """The answers in the file or directory, read one by one."""
    from trapcli.judging.batch import read_directory, read_lines

    if answers != "-" and Path(answers).is_dir():
        yield read_directory(Path(answers), suite.cases, lambda text: click.echo(text, err=True))
    else:
        with _opened(answers) as stream:
            yield read_lines(stream, "standard input" if answers == "-" else answers, suite.cases)


def _opened(file: str) -> AbstractContextManager[BinaryIO]:
    """The file, or standard input, open for reading bytes; TrapError if that cannot be."""
    if file == "-":
        if sys.stdin is None:
            raise TrapError("standard input is closed. Give the file that holds the answer, or pipe it in.")
        return nullcontext(sys.stdin.buffer)
    try:
        return open(file, "rb")
    except IsADirectoryError:
        raise TrapError(
            f"{file} is a directory; the answers in a directory are judged with --answers."
        ) from None
    except FileNotFoundError:
        raise TrapError(f"there is no file {file}; '-' reads standard input.") from None
    except OSError as error:
        raise TrapError(f"{file} cannot be read: {error.strerror or error}.") from error


def _line(submission: "Submission", verdict: "Verdict") -> str:
    where = submission.source.get("file") or f"{submission.source['line']:>5}  {verdict.id}"
    colour = {"passed": "green", "failed": "red"}.get(verdict.status, "yellow")
    status = click.style(f"{verdict.status.upper():<10}", fg=colour, bold=True)
    return f"{where}  {status}  {verdict.reason}"


def _colour() -> bool | None:
    """Whether to keep colours: by click's choice (on a terminal), but never against NO_COLOR."""
    return False if os.environ.get("NO_COLOR") else None
