"""`trapcli judge`: one answer, many answers, the stored outputs of a run, or a run of trap-cli."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from trapcli.commands.completion import complete_cases, complete_families
from trapcli.commands.options import WholeNumber, chosen_suite, expected_option, refuse_empty, suite_option
from trapcli.core.errors import DONE, FAILED, UNUSABLE, TrapError

if TYPE_CHECKING:
    from trapcli.core.contract import Family, Verdict
    from trapcli.core.output import Output
    from trapcli.judging.batch_reader import Submission, Unjudged
    from trapcli.suites.reader import Suite
    from trapcli.suites.selection import Target

# Engines are imported where they are used: `--help` and completion need none of them.

MANIFEST = "TRAPTASK_MANIFEST"

HELP = """\
Judge the answer in ANSWER_FILE ('-' is standard input), or many with --answers.

An answer is everything the agent printed; its last 10 MB are read. For families with answers
in files, --outputs names the directory with them (at most 1,000 files and 10 MB); ANSWER_FILE
may then be left out. Without --case, an answer is judged for the case id that its name begins
with, up to the first dot.

A line given to --answers is {"case": "case_01", "output": "..."}. It may also hold
"exit_code" (a number; any but 0 scores 0.0), "timed_out" (true scores 0.0) and "files"
(an object of paths and texts). '-' is standard input. The files of a directory are judged
in the order of their names; several for one case are judged one by one. An answer that cannot be
judged is named and does not stop the others. If that or a case is left out, --json prints a last
line that sums up the batch ("schema": "batch/1") and lists what is missing.

With --run the outputs that a run stored are judged again; the agent is not run.

Exit code 0: passed (of many: every case of the suite has an answer, and all passed; with --run:
no verdict has changed); 1: judged, but not passed (of many: at least one, or a case has no
answer; with --run: a verdict has changed); 2: could not be judged (of many: at least one).
If the variable TRAPTASK_MANIFEST is set and no answer is named, this is the judge and
grader for trap-cli, and 0 means that a verdict was printed.
"""
EPILOG = """\b
Examples:
  trapcli judge --case case_03 edits.json
  trapcli judge case_03.json
  python agent.py | trapcli judge --family billing --case case_03 --json -
  trapcli judge --suite traps/billing --answers answers.jsonl --json > verdicts.jsonl
  trapcli judge --run 3
"""


@dataclass(frozen=True, slots=True)
class Request:
    """What the command line asks for; the names are those of its parameters."""

    answer_file: str | None
    outputs: Path | None
    case: str | None
    family: str | None
    suite: Path | None
    expected: Path | None
    answers: str | None
    run: int | None
    save: bool
    as_json: bool

    def target(self, case: str | None = None) -> "Target":
        """Return the target of the suite to judge with; `case` is the case's id if it is known."""
        from trapcli.suites.selection import Target

        return Target(self.suite, self.family, case, self.expected)


@click.command("judge", help=HELP, epilog=EPILOG)
@click.argument("answer_file", required=False, type=click.Path(allow_dash=True))
@click.option(
    "--outputs",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The directory with the files that the agent left, for families with answers in files.",
)
@click.option(
    "--case",
    metavar="CASE",
    callback=refuse_empty,
    shell_complete=complete_cases,
    help="The case that the answer is for.",
)
@click.option(
    "--family",
    metavar="NAME",
    callback=refuse_empty,
    shell_complete=complete_families,
    help="Use the suite of this family.",
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
    metavar="N",
    type=WholeNumber(1, 2**31),
    help="Judge the stored outputs of a run of calibrate again.",
)
@click.option("--save", is_flag=True, help="With --run: store the verdicts that have changed.")
@click.option("--json", "as_json", is_flag=True, help="Print each verdict as one line of JSON.")
def command(**parameters: object) -> int:
    """Judge what the command line asks for, and return the exit code."""
    request = Request(**parameters)  # type: ignore[arg-type]
    _refuse_contradictions(request)
    if request.run is not None:
        from trapcli.commands.judge_run import judge_run

        return judge_run(request.run, request.save, request.as_json)
    if request.answers is not None:
        return _judge_many(request.answers, request)
    manifest = os.environ.get(MANIFEST)
    named = request.answer_file or request.outputs or request.case
    if manifest and not named:
        return _judge_for_trap_cli(manifest, request)
    return _judge_one(request)


def _refuse_contradictions(request: Request) -> None:
    """Raise UsageError for options that cannot be given together."""
    if request.run is not None:
        if request.answer_file is not None:
            raise click.UsageError("--run knows its suites and answers; leave ANSWER_FILE out.")
        for name in ("answers", "outputs", "case", "family", "suite", "expected"):
            if getattr(request, name) is not None:
                raise click.UsageError(f"--run knows its suites and answers; leave --{name} out.")
    elif request.save:
        raise click.UsageError("--save is only for --run.")
    if request.answers is not None:
        if request.answer_file is not None or request.outputs is not None:
            raise click.UsageError("Give one answer (ANSWER_FILE, --outputs) or --answers, not both.")
        if request.case is not None:
            raise click.UsageError(
                "--case is only for one answer; the lines or files of --answers name their cases."
            )


def _judge_one(request: Request) -> int:
    from trapcli.core import registry
    from trapcli.judging.judge import judge_output, verdict_json
    from trapcli.suites.reader import read_case

    answer = request.answer_file or request.outputs
    if answer is None:
        raise click.UsageError(
            "Which answer? Give the file that holds it, '-' for standard input, --outputs, or --answers."
        )
    case_id = request.case or _case_named_by(answer)
    suite = chosen_suite(request.target(case_id))
    if case_id is None:
        raise click.UsageError(
            f"Which case is the answer for? Add --case; the suite {suite.directory} has "
            f"{suite.cases[0]} to {suite.cases[-1]}."
        )
    family, case = registry.family(suite.family), read_case(suite, case_id)
    if request.case is None:
        click.echo(
            f"judged as {case_id}, taken from the {'file' if request.answer_file else 'directory'}'s name",
            err=True,
        )
    verdict = judge_output(family, case, _read_output(request, family))
    if request.as_json:
        click.echo(verdict_json(verdict))
    else:
        from trapcli.views.terminal import show_verdict

        show_verdict(family, verdict)
    return DONE if verdict.passed else FAILED


def _judge_many(answers: str, request: Request) -> int:
    import json

    from trapcli.core import registry
    from trapcli.judging.batch import Tally, judge_all
    from trapcli.judging.batch_reader import Unjudged
    from trapcli.judging.judge import verdict_json
    from trapcli.suites.reader import read_case

    suite = chosen_suite(request.target())
    family = registry.family(suite.family)
    tally = Tally()

    def line(submission: "Submission", verdict: "Verdict") -> str:
        if request.as_json:
            return verdict_json(verdict, **submission.source)
        return _verdict_line(submission, verdict, width)

    with _submissions(answers, suite) as (submissions, width):
        for one in judge_all(family, lambda case: read_case(suite, case), submissions, line):
            if isinstance(one, Unjudged):
                tally.add_unjudged(one)
                click.echo(f"Error: {one}", err=True)
            else:
                submission, verdict, text = one
                tally.add(verdict, submission.ignored)
                click.echo(text, color=_colour())
    if not tally.total() and not tally.unjudged:
        raise TrapError(f"there are no answers in {'standard input' if answers == '-' else answers}.")
    if not request.as_json:
        click.echo()
    elif not tally.complete(suite.cases):
        click.echo(json.dumps(tally.to_json(suite.cases)))
    for row in tally.lines(suite.cases):
        click.echo(row, err=request.as_json)
    if tally.unjudged:
        return UNUSABLE
    return DONE if tally.all_passed(suite.cases) else FAILED


def _judge_for_trap_cli(text: str, request: Request) -> int:
    import json

    from trapcli.judging import trap_cli_protocol
    from trapcli.judging.judge import verdict_json

    manifest = trap_cli_protocol.parse_manifest(text)
    if isinstance(manifest, list):
        click.echo(json.dumps(trap_cli_protocol.grade(manifest)))
    else:
        halves = trap_cli_protocol.manifest_halves(manifest)
        private = None if halves.nested else halves.private
        target = replace(
            request.target(), suite=request.suite or halves.public, expected=request.expected or private
        )
        verdict = trap_cli_protocol.judge_manifest(manifest, chosen_suite(target))
        click.echo(trap_cli_protocol.short_verdict(verdict))
        click.echo(verdict_json(verdict), err=True)  # trap-cli keeps it beside the verdict
    return DONE


def _case_named_by(answer: str | Path) -> str | None:
    """Return the case that a file or directory is named after, if any."""
    from trapcli.judging.batch_reader import CASE_NAME

    match = CASE_NAME.fullmatch(Path(answer).name)
    return match[1] if match else None


def _read_output(request: Request, family: "Family") -> "Output":
    """Return what the agent left: what it printed, and its files if the family reads any."""
    from trapcli.core.output import output_of, read_output
    from trapcli.system.input_file import open_input, unreadable

    output = output_of("")
    if request.answer_file is not None:
        with open_input(request.answer_file) as stream:
            try:
                output = read_output(stream)
            except OSError as error:
                raise unreadable(request.answer_file, error) from error
    if request.outputs is None:
        return output
    if not family.answers.reads_files:
        raise TrapError(f"the answers of {family.name} are printed, not files; leave --outputs out.")
    from trapcli.system.output_files import read_files

    return replace(output, files=read_files(request.outputs.resolve()))


@contextmanager
def _submissions(answers: str, suite: "Suite") -> "Iterator[tuple[Iterator[Submission | Unjudged], int]]":
    """Yield the answers in a file or directory, which are read one by one, and how wide file names are."""
    from trapcli.judging.batch_reader import answer_files, read_answer_files, read_lines
    from trapcli.system.input_file import open_input

    if answers != "-" and Path(answers).is_dir():
        files = answer_files(Path(answers), lambda text: click.echo(text, err=True))
        width = max((len(file.name) for file in files), default=0)
        yield read_answer_files(files, suite.cases), width
    else:
        with open_input(answers) as stream:
            yield read_lines(stream, "standard input" if answers == "-" else answers, suite.cases), 0


def _verdict_line(submission: "Submission", verdict: "Verdict", width: int) -> str:
    """Return the line about one answer; `width` is that of the longest name of a file."""
    file = submission.source.get("file")
    where = file.ljust(width) if file else f"{submission.source['line']:>5}  {verdict.id}"
    colour = {"passed": "green", "failed": "red"}.get(verdict.status, "yellow")
    status = click.style(f"{verdict.status.upper():<10}", fg=colour, bold=True)
    return f"{where}  {status}  {verdict.reason}"


def _colour() -> bool | None:
    """Return whether to keep colours: click decides (on a terminal), but never against NO_COLOR."""
    return False if os.environ.get("NO_COLOR") else None
