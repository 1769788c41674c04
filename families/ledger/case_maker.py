"""Make and check the cases of both ledger families. Judging an answer needs none of this."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import partial
from itertools import combinations
from typing import Any, Protocol

from families.ledger.checks.rivals import Search, TooManyRivals
from families.ledger.checks.shortcuts import shortcut_problems
from families.ledger.domain.formats import money, plain
from families.ledger.domain.limits import MIN_EFFECT
from families.ledger.domain.mistakes import AUDIT_MISTAKES, CLOSE_MISTAKES
from families.ledger.files.paths import README
from families.ledger.planning.misses import fixed_orders
from families.ledger.planning.plan_failed import PlanFailed
from families.ledger.planning.reading import Ledger, Miss
from trapcli.answers.amount.answers import EXAMPLE, equal
from trapcli.core.contract import AnswerKind, Case, Files, Problem
from trapcli.core.draw import Draw
from trapcli.core.errors import TrapError
from trapcli.core.knobs import knob_values

MISTAKES = frozenset((*CLOSE_MISTAKES, *AUDIT_MISTAKES))
OUTLINES, PLANS = 50, 12  # how many outlines, and plans for each, are tried for one case


class Planned(Protocol):
    """A case before its files are written.

    misses: what can be missed; first the two mistakes about the practice.
    readme: sections of the case README, behind the family's own.
    """

    @property
    def readme(self) -> Sequence[str]: ...

    @property
    def ledger(self) -> Ledger: ...

    @property
    def misses(self) -> tuple[Miss, ...]: ...

    def beside(self, missed: Collection[Miss] = ()) -> int:
        """Return what comes to the ledger's answer from elsewhere, in cents."""


class Craft(Protocol):
    """How the cases of one family are planned, written and solved: a module with these functions."""

    def require(self, knobs: Any) -> None:
        """Raise TrapError if knobs cannot go together."""

    def draw_outline(self, draw: Draw, knobs: Any) -> Any:
        """Draw what is kept when a plan fails."""

    def plan_case(self, draw: Draw, knobs: Any, trap: str, outline: Any) -> Any:
        """Return a `Planned` case; PlanFailed if the choices drawn cannot be completed."""

    def complete(self, draw: Draw, planned: Any, knobs: Any) -> None:
        """Add what is planned last, once nothing is in doubt; PlanFailed if that cannot be done."""

    def write(self, draw: Draw, planned: Any) -> tuple[dict[str, str], dict[str, Any]]:
        """Return all files of a case except its README, and what `inspect` shows, as JSON data."""

    def solve(self, files: Files, mistake: str | None = None) -> str:
        """Return what an agent prints that makes this mistake, or none."""

    def answer(self, files: Files, missed: Collection[str] = (), copied: bool = True) -> int:
        """Return the solver's answer in cents; ValueError if the files are unclear."""


class Maker(Protocol):
    """What making a case needs of its family; readme: the case README, except how to answer."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    @property
    def readme(self) -> str: ...

    @property
    def traps(self) -> Mapping[str, str]: ...

    @property
    def answers(self) -> AnswerKind: ...

    @property
    def craft(self) -> Craft: ...


def generate(family: Maker, seed: str, knobs: Any, k: int) -> Case:
    """Return case `k` of the seed; TrapError if none can be planned with these knobs."""
    trap, why = tuple(family.traps)[k % len(family.traps)], Counter[str]()
    family.craft.require(knobs)
    draw = Draw(f"{family.name}/{family.version}/{seed}/{k}")
    for number in range(OUTLINES):
        outline = family.craft.draw_outline(draw.stream(f"outline-{number}"), knobs)
        for attempt in range(PLANS):
            stream = draw.stream(f"plan-{number}-{attempt}")
            try:
                planned: Planned = family.craft.plan_case(stream, knobs, trap, outline)
                _require_no_doubt(planned.ledger)
                family.craft.complete(stream.stream("complete"), planned, knobs)
                _require_wrong(planned)
            except PlanFailed as failure:
                why[str(failure)] += 1
                continue
            case = _case(family, trap, stream, planned, number * PLANS + attempt + 1)
            problem = next(check(family, case), None)
            if problem is None:
                return case
            why[str(problem)] += 1
    ((most, _),) = why.most_common(1)
    tried = ", ".join(f"{name}={value}" for name, value in knob_values(knobs).items())
    raise TrapError(
        f"{family.name}: case {k + 1} ({trap}) cannot be planned with {tried}, mostly because: {most}. "
        "Give it more months or entries, or another number of customers."
    )


def _require_no_doubt(ledger: Ledger) -> None:
    """Raise PlanFailed if the answer is near a figure that is easily had, or the memo fits two answers."""
    if problem := next(shortcut_problems(ledger), None):
        raise PlanFailed(str(problem))
    try:
        rival = next(Search(ledger).rivals(), None)
    except TooManyRivals:
        raise PlanFailed("the memo fits too many practices") from None
    if rival is not None:
        raise PlanFailed(f"the memo also fits: {rival.description}; that gives {money(rival.answer)}")


def _require_wrong(planned: Planned) -> None:
    """Raise PlanFailed if something that is missed leaves the answer as it is."""
    right = answer_of(planned)
    for misses, _, copied in _things_missed(planned):
        if abs(answer_of(planned, misses, copied) - right) < MIN_EFFECT:
            raise PlanFailed(f"{' and '.join(miss.name for miss in misses)} changes nothing")


def answer_of(planned: Planned, missed: Sequence[Miss] = (), copied: bool = True) -> int:
    """Return the answer in cents, right or with something missed."""
    return planned.ledger.answer(missed, copied) + planned.beside(missed)


def _case(family: Maker, trap: str, draw: Draw, planned: Planned, plans: int) -> Case:
    texts, shown = family.craft.write(draw.stream("files"), planned)
    facts = {"wrong_answers": list(wrong_answers(planned)), "plans": plans, **shown}
    readme = "\n\n".join([family.readme.strip(), *planned.readme, family.answers.instructions()])
    files = {README: readme, **texts}
    mistakes = tuple(miss.name for miss in planned.misses)
    return Case(family.name, trap, files, plain(answer_of(planned)), mistakes, facts)


def wrong_answers(planned: Planned) -> Iterator[dict[str, Any]]:
    """Yield what is missed, one thing or two, and the answer that it leads to, as JSON data.

    copied: whether the lines of the memo are copied first, as most agents do.
    """
    for misses, names, copied in _things_missed(planned):
        order = {"order": misses[0].base} if names[0] not in MISTAKES else {}  # type: ignore[attr-defined]
        answer = plain(answer_of(planned, misses, copied))
        yield {"mistakes": names, "answer": answer, "copied": copied, **order}


def _things_missed(planned: Planned) -> Iterator[tuple[Sequence[Miss], list[str], bool]]:
    """Yield what may be missed, its names, and whether the lines of the memo are copied."""
    misses = planned.misses
    for miss in misses:
        yield [miss], [miss.name], True
    for pair in combinations(misses, 2):
        if pair != misses[:2]:  # nobody uses one order for all and another one for all
            yield pair, [miss.name for miss in pair], True
    for miss in misses:
        if not miss.kept_only:
            yield [miss], [miss.name], False
    for order in fixed_orders():
        for copied in (True, False):
            yield [order], [order.name], copied


def check(family: Maker, case: Case) -> Iterator[Problem]:
    """Yield what is wrong with a case: the solver, which shares no code, must come to the same answers."""
    solved = partial(family.craft.answer, case.files)
    try:
        if plain(solved()) != case.gold:
            yield Problem(f"the files give {plain(solved())}, the plan {case.gold}", "agrees")
        for record in case.facts["wrong_answers"]:
            if "order" in record:
                continue  # agents that look at no practice: the solver has no name for them
            answer = plain(solved(tuple(record["mistakes"]), record["copied"]))
            if answer != record["answer"]:
                named = " and ".join(record["mistakes"])
                yield Problem(f"{named} lead to {answer}, not to {record['answer']}", "agrees")
    except (KeyError, IndexError, ValueError) as error:
        yield Problem(f"the files cannot be read: {error}", "agrees")
    yield from leak_problems(case.files, case.gold)


def leak_problems(files: Files, gold: str) -> Iterator[Problem]:
    """Yield the files that show the answer; and if so, that the answer is the example of the README."""
    if equal(Decimal(gold), EXAMPLE):
        yield Problem("the answer is the example of the README", "leak")
    cents = int(gold.replace(".", ""))
    for spelled in dict.fromkeys((plain(cents), money(cents))):
        for path, text in files.items():
            at = text.find(spelled)
            while at >= 0:
                if text[at - 1 : at] not in tuple("0123456789.,"):
                    yield Problem(f"{path} shows the answer {spelled}", "leak")
                    break
                at = text.find(spelled, at + 1)
