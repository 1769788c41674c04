"""`trapcli build`: suites of one family or of all."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trapcli.commands.completion import complete_families, complete_knobs, knob_helps, loadable_families
from trapcli.commands.options import DIRECTORY, WholeNumber
from trapcli.core.contract import Problem
from trapcli.core.errors import DONE, FAILED, UNUSABLE, FamilyFault, TrapError
from trapcli.core.recipe import MOST_CASES
from trapcli.suites.layout import HOME
from trapcli.views.json_document import json_document
from trapcli.views.progress import bar

if TYPE_CHECKING:
    from trapcli.core.contract import Family
    from trapcli.core.recipe import Recipe
    from trapcli.suites.halves import Halves
    from trapcli.suites.reader import Suite

# Engines and families are imported where they are used: completion needs few of them.

WORDS = "trapcli.build.words"


@dataclass(frozen=True, slots=True)
class Request:
    """What the command line asks for; the names are those of its parameters."""

    family: str | None
    everything: bool
    seed: str | None
    cases: int | None
    level: int | None
    settings: Sequence[str]
    out: Path
    expected: Path | None
    jobs: int | None
    force: bool
    as_json: bool

    @property
    def drawn(self) -> bool:
        """Whether the seed is drawn at random, and so must not be shown."""
        return self.seed is not None and self.seed.strip().lower() == "random"

    def knobs(self) -> dict[str, str]:
        """Return the knobs that --set names, with their values as typed; UsageError if one has no value."""
        parts = [text.partition("=") for text in self.settings]
        for text, (name, equals, _) in zip(self.settings, parts, strict=True):
            if not (name and equals):
                raise click.UsageError(f"--set {text!r}: write --set KNOB=VALUE.")
        return {name.strip(): value for name, _, value in parts}


@dataclass(frozen=True, slots=True)
class Order:
    """A suite to build: its family, its recipe, and where it goes."""

    family: "Family"
    recipe: "Recipe"
    halves: "Halves"


class BuildCommand(click.Command):
    """`build`. Its help lists the knobs of the family named beside --help, or of all families."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[WORDS] = list(args)
        return super().parse_args(ctx, args)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        from trapcli.core import registry

        installed = registry.names()
        named = [name for name in installed if name in ctx.meta.get(WORDS, ())]
        for family in loadable_families(named or installed):
            if helps := knob_helps(family):
                with formatter.section(
                    f"Knobs of {family.name}, for --set (levels 1 to {len(family.levels)})"
                ):
                    formatter.write_dl(list(helps.items()))
        super().format_epilog(ctx, formatter)


HELP = """\
Build a suite of tasks of FAMILY from a seed.

The same family version, seed, knobs and number of cases give the same bytes, on any
machine. All or nothing: if it is interrupted, what was there before stays as it was.
"""


@click.command(
    cls=BuildCommand,
    help=HELP,
    epilog="""\b
Examples:
  trapcli build billing
  trapcli build billing --seed random --cases 40 --expected ~/private/billing
  trapcli build billing --level 3 --set noise=20 --force
  trapcli build --all --seed 7 --cases 40 --out traps
""",
)
@click.argument("family", required=False, shell_complete=complete_families)
@click.option("--all", "everything", is_flag=True, help="Build a suite of every installed family.")
@click.option(
    "--seed",
    metavar="SEED",
    help="A whole number, or `random`: 128 bits, kept only in the private half. "
    "Without a seed, or with one below 64 bits, the suite is for practice: anyone can rebuild its answers.",
)
@click.option(
    "--cases",
    metavar="N",
    type=WholeNumber(1, MOST_CASES),
    help="How many cases; each family has a default.",
)
@click.option("--level", metavar="N", type=WholeNumber(1), help="Set the knobs to a level; 1 is the easiest.")
@click.option(
    "--set",
    "settings",
    metavar="KNOB=VALUE",
    multiple=True,
    shell_complete=complete_knobs,
    help="Set one knob, whatever the level sets; months=6-7 draws each case's value. With --all: in the "
    "families that have the knob.",
)
@click.option(
    "--out",
    metavar="DIR",
    type=DIRECTORY,
    default=HOME,
    show_default=True,
    help="Where suites go: DIR/FAMILY.",
)
@click.option(
    "--expected",
    metavar="DIR",
    type=DIRECTORY,
    help="Put the private half there (with --all: in DIR/FAMILY), so that the suite can be handed out whole.",
)
@click.option("-j", "--jobs", metavar="N", type=WholeNumber(1, 256), help="Processes that build cases.")
@click.option("--force", is_flag=True, help="Replace a suite that is already there.")
@click.option("--json", "as_json", is_flag=True, help="Print what was built as one JSON document.")
def command(**parameters: Any) -> int:
    """Build what the command line asks for; with --all go on after a family that fails."""
    from trapcli.suites.replaceable import replaced_directories, require_replaceable

    request = Request(**parameters)
    families, problems = _families(request)
    orders = [_order(family, request) for family in families]
    for order in orders:  # check all of them before the first is built
        require_replaceable(replaced_directories(order.halves), request.force)
    for problem in problems:
        click.echo(f"Error: {problem.message}", err=True)
    documents = []
    for order in orders:
        try:
            suite = _build(order, request)
        except FamilyFault as error:
            if not request.everything:
                raise
            click.echo(f"Error: {error}", err=True)
            problems.append(Problem(str(error), order.family.name))
            continue
        documents.append(_document(suite, order, request.drawn))
        if not request.as_json:
            click.echo("\n".join(_lines(suite, order, documents[-1]["digest"])))
    if request.as_json:
        wrong = [{"where": problem.where, "what": problem.message} for problem in problems]
        click.echo(json_document("build/1", {"suites": documents, **({"problems": wrong} if wrong else {})}))
    if not problems:
        return DONE
    left_out = ", ".join(dict.fromkeys(problem.where for problem in problems))
    click.echo(f"left out: {left_out}; the errors above say why", err=True)
    return FAILED if documents else UNUSABLE


def _build(order: Order, request: Request) -> "Suite":
    from trapcli.building.builder import build_suite

    with bar(f"building {order.family.name}", order.recipe.count) as advance:
        return build_suite(
            order.family,
            order.recipe,
            order.halves,
            jobs=request.jobs,
            force=request.force,
            progress=advance,
        )


def _families(request: Request) -> "tuple[list[Family], list[Problem]]":
    """Return the family that is named, or with --all every one that loads, and why others are left out.

    Raises TrapError if --set fits none of them.
    """
    from trapcli.core import registry

    name, installed = request.family, registry.names()
    if name is not None:
        if request.everything:
            raise click.UsageError(f"Either {name} or --all, not both.")
        for problem in registry.refused():
            if problem.where.partition(" of ")[0] == name:
                click.echo(f"Warning: {problem.message}", err=True)
        return [registry.family(name)], []
    if not request.everything:
        raise click.UsageError(f"Name a family, or give --all. Installed: {', '.join(installed) or 'none'}.")
    if not installed:
        raise TrapError("no family is installed. Install a package that has one.")
    families, problems = registry.usable()
    known = {knob.name for family in families for knob in fields(family.knobs)}
    for knob in request.knobs():
        if knob not in known:
            raise TrapError(
                f"no family has a knob {knob!r}; the knobs are {', '.join(sorted(known)) or 'none'}."
            )
    return families, problems


def _order(family: "Family", request: Request) -> Order:
    """Return the order for a suite of the family. A seed drawn at random differs between families."""
    from trapcli.building.builder import make_recipe
    from trapcli.suites.halves import Halves

    own = {knob.name for knob in fields(family.knobs)}
    knobs = {name: value for name, value in request.knobs().items() if name in own or not request.everything}
    expected = request.expected
    if expected is not None and request.everything:
        expected = expected / family.name
    recipe = make_recipe(family, seed=request.seed, level=request.level, knobs=knobs, cases=request.cases)
    return Order(family, recipe, Halves.of(request.out / family.name, expected))


def _document(suite: "Suite", order: Order, drawn: bool) -> dict[str, Any]:
    recipe = suite.recipe
    return {
        "suite": str(order.halves.public),
        "expected": str(order.halves.private),
        "family": recipe.family,
        "version": recipe.version,
        "cases": recipe.count,
        "seed": None if drawn else recipe.seed,
        "knobs": dict(recipe.knobs),
        "practice": recipe.practice,
        "redraws": suite.redraws,
        "digest": suite.halves.digest(),
    }


def _lines(suite: "Suite", order: Order, digest: str) -> list[str]:
    """Return what was built, what to know about it, and what to do next."""
    halves, count = order.halves, suite.recipe.count
    cases = "1 case" if count == 1 else f"{count} cases"
    lines = [f"{halves.public}: {cases} of {suite.family}, digest {digest}"]
    option = ""
    if not halves.nested:
        option = f"--expected {shlex.quote(str(halves.private))}"
        lines.append(f"private half: {halves.private} (judge with {option})")
    elif not suite.practice:
        lines.append(
            f"private half: {halves.private}, inside the suite: do not hand the suite out as it is. "
            "To keep the answers elsewhere, build it with --expected DIR"
        )
    if suite.practice:
        lines.append("for practice: anyone can rebuild its answers; to measure an agent, use --seed random")
    words = ["trapcli inspect", _place(order), option, suite.cases[0]]
    lines.append(f"next: {' '.join(word for word in words if word)}")
    return lines


def _place(order: Order) -> str:
    """Return the words that name the suite to a command: its family, if that is enough."""
    if order.halves.public == Path(HOME) / order.family.name:
        return order.family.name
    return f"--suite {shlex.quote(str(order.halves.public))}"
