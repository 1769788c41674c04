"""`trapcli build`: suites of one family or of all."""

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trapcli.commands.progress import bar
from trapcli.core.errors import TrapError
from trapcli.suites.selection import HOME, complete_families

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from trapcli.core.contract import Family
    from trapcli.suites.reader import Suite

# Engines and families are imported where they are used: completion needs few of them.

MOST_CASES = 100_000
WORDS = "trapcli.build.words"


@dataclass(frozen=True, slots=True)
class Order:
    """A suite to be built."""

    family: "Family"
    seed: str
    knobs: Any
    count: int
    target: Path
    expected: Path | None


class BuildCommand(click.Command):
    """`build`, whose help lists the knobs of the family that is named beside --help, or of all."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[WORDS] = list(args)
        return super().parse_args(ctx, args)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        installed = _installed()
        for name in [name for name in installed if name in ctx.meta.get(WORDS, ())] or installed:
            family = _loaded(name)
            if family is not None and fields(family.knobs):
                with formatter.section(f"Knobs of {name}, for --set (rungs 1 to {len(family.ladder)})"):
                    formatter.write_dl([(knob.name, _range(knob)) for knob in fields(family.knobs)])
        super().format_epilog(ctx, formatter)


def _range(knob: Any) -> str:
    low, high = knob.metadata["low"], knob.metadata["high"]
    return f"{knob.metadata['help']}; {low} to {high}, default {knob.default}"


def _installed() -> list[str]:
    from trapcli.core import registry

    return registry.names()


def _loaded(name: str) -> "Family | None":
    """The family, or None if its plugin is broken: help and completion do without it."""
    from trapcli.core import registry

    try:
        return registry.family(name)
    except TrapError:
        return None


def complete_knobs(ctx: click.Context, param: click.Parameter, incomplete: str) -> "list[CompletionItem]":
    """Knobs of the family on the line, or of all, that begin with what was typed."""
    from click.shell_completion import CompletionItem

    named = ctx.params.get("family")
    found = {}
    for name in [named] if named else _installed():
        family = _loaded(name)
        for knob in fields(family.knobs) if family is not None else ():
            found[f"{knob.name}="] = _range(knob)
    return [CompletionItem(name, help=found[name]) for name in sorted(found) if name.startswith(incomplete)]


@click.command(
    cls=BuildCommand,
    epilog="""\b
Examples:
  trapcli build billing
  trapcli build billing --seed random --cases 40 --expected ~/private/billing
  trapcli build billing --rung 3 --set noise=20 --force
  trapcli build --all --seed 7 --cases 40 --out traps
""",
)
@click.argument("family", required=False, shell_complete=complete_families)
@click.option("--all", "everything", is_flag=True, help="Build a suite of every installed family.")
@click.option(
    "--seed",
    metavar="SEED",
    help="A whole number, or `random`: 128 bits, kept only in the private half. "
    "Without it, or below 64 bits, the suite is for practice: anyone can rebuild its answers.",
)
@click.option(
    "--cases",
    metavar="N",
    type=click.IntRange(1, MOST_CASES),
    help="How many cases; each family has a default.",
)
@click.option("--rung", metavar="N", type=click.IntRange(1), help="The N-th preset of knobs, 1 the easiest.")
@click.option(
    "--set",
    "settings",
    metavar="KNOB=VALUE",
    multiple=True,
    shell_complete=complete_knobs,
    help="Set a knob, over the rung's. With --all it goes to the families that have the knob.",
)
@click.option(
    "--out",
    metavar="DIR",
    type=click.Path(path_type=Path),
    default=HOME,
    show_default=True,
    help="Where suites go: DIR/FAMILY.",
)
@click.option(
    "--expected",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Put the private half there (with --all: in DIR/FAMILY), so that the suite can be handed out whole.",
)
@click.option("-j", "--jobs", metavar="N", type=click.IntRange(1, 256), help="Processes that build cases.")
@click.option("--force", is_flag=True, help="Replace a suite that stands there already.")
@click.option("--json", "as_json", is_flag=True, help="Print what was built as one JSON document.")
def command(
    family: str | None,
    everything: bool,
    seed: str | None,
    cases: int | None,
    rung: int | None,
    settings: Sequence[str],
    out: Path,
    expected: Path | None,
    jobs: int | None,
    force: bool,
    as_json: bool,
) -> None:
    """Build a suite of tasks of FAMILY from a seed.

    The same family version, seed, knobs and number of cases give the same bytes, on any
    machine. All or nothing: interrupted, it leaves what stood there before.
    """
    from trapcli.building.builder import build_suite
    from trapcli.suites.writer import real_halves, refuse_to_replace

    orders = [
        _order(one, everything, seed, cases, rung, _settings(settings), out, expected)
        for one in _families(family, everything, _settings(settings))
    ]
    for order in orders:  # all of them, before the first is built
        refuse_to_replace(real_halves(order.target, order.expected), force)
    shown = []
    for order in orders:
        with bar(f"building {order.family.name}", order.count) as advance:
            suite = build_suite(
                order.family,
                seed=order.seed,
                knobs=order.knobs,
                count=order.count,
                target=order.target,
                expected=order.expected,
                jobs=jobs,
                force=force,
                progress=advance,
            )
        shown.append(_summary(suite, order, drawn=seed is not None and seed.strip().lower() == "random"))
        if not as_json:
            click.echo("\n".join(_told(suite, order, shown[-1])))
    if as_json:
        click.echo(json.dumps({"suites": shown}, indent=2))


def _families(name: str | None, everything: bool, settings: Mapping[str, str]) -> "list[Family]":
    from trapcli.core import registry

    if everything == (name is not None):
        raise click.UsageError(
            f"Name a family, or give --all. Installed: {', '.join(registry.names()) or 'none'}."
            if name is None
            else f"Either {name} or --all, not both."
        )
    if name is not None:
        return [registry.family(name)]
    families = [registry.family(one) for one in registry.names()]
    known = {knob.name for family in families for knob in fields(family.knobs)}
    for knob in settings:
        if knob not in known:
            raise TrapError(f"no family has a knob {knob!r}; there are {', '.join(sorted(known)) or 'none'}.")
    if not families:
        raise TrapError("no family is installed. Install a package that has one.")
    return families


def _settings(given: Sequence[str]) -> dict[str, str]:
    parts = [text.partition("=") for text in given]
    for text, (name, equals, _) in zip(given, parts, strict=True):
        if not (name and equals):
            raise click.UsageError(f"--set {text!r}: write --set KNOB=VALUE.")
    return {name.strip(): value for name, _, value in parts}


def _order(
    family: "Family",
    everything: bool,
    seed: str | None,
    cases: int | None,
    rung: int | None,
    settings: Mapping[str, str],
    out: Path,
    expected: Path | None,
) -> Order:
    from trapcli.building.builder import DEFAULT_SEED, parse_seed
    from trapcli.core.contract import parse_knobs

    if rung is not None and rung > len(family.ladder):
        raise TrapError(f"--rung {rung}: {family.name} has the rungs 1 to {len(family.ladder)}.")
    values: dict[str, Any] = dict(family.ladder[rung - 1]) if rung else {}
    own = {knob.name for knob in fields(family.knobs)}
    values |= {name: value for name, value in settings.items() if name in own or not everything}
    return Order(
        family,
        parse_seed(DEFAULT_SEED if seed is None else seed),  # `random` is drawn anew for each family
        parse_knobs(family, values),
        cases or family.cases,
        out / family.name,
        expected / family.name if expected is not None and everything else expected,
    )


def _summary(suite: "Suite", order: Order, drawn: bool) -> dict[str, Any]:
    from trapcli.suites.reader import digest

    return {
        "suite": str(order.target),
        "expected": str(suite.expected),
        "family": suite.family,
        "version": suite.version,
        "cases": len(suite.cases),
        "seed": None if drawn else suite.seed,
        "knobs": dict(suite.knobs),
        "practice": suite.practice,
        "redraws": suite.redraws,
        "digest": digest(suite.directory, order.expected),
    }


def _told(suite: "Suite", order: Order, summary: Mapping[str, Any]) -> list[str]:
    """What was built, what to know about it, and what to do next."""
    cases = "1 case" if len(suite.cases) == 1 else f"{len(suite.cases)} cases"
    lines = [f"{order.target}: {cases} of {suite.family}, digest {summary['digest']}"]
    if order.expected is not None:
        lines.append(
            f"private half: {order.expected} (judge with --expected {shlex.quote(str(order.expected))})"
        )
    if suite.practice:
        lines.append("for practice: anyone can rebuild its answers; to measure an agent, use --seed random")
    private = "" if order.expected is None else f"--expected {shlex.quote(str(order.expected))} "
    lines.append(f"next: trapcli inspect {_place(order)} {private}{suite.cases[0]}")
    return lines


def _place(order: Order) -> str:
    """How a command says which suite: by family where that is enough."""
    if order.target == Path(HOME) / order.family.name:
        return order.family.name
    return f"--suite {shlex.quote(str(order.target))}"
