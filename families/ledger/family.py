"""What both ledger families are: a module that makes their cases, and answers of one amount."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from families.ledger.domain.names import KIND_LINES, MECHANISM_LINES
from trapcli.answers.amount.line import canonical, equal, read_answer
from trapcli.core.contract import Answer, Case, Files, Problem, Section, Verdict
from trapcli.core.errors import TrapError

if TYPE_CHECKING:
    from families.ledger.case_maker import Craft

TOGETHER = " + "  # between the names of two mistakes made together


@dataclass(frozen=True, eq=False)
class LedgerFamily:
    """A family (see `trapcli.core.contract.Family`) of ledgers and one amount.

    module: the name of its `making.Craft`. mistakes: the names of its mechanisms. readme: the
    case README but for the part on how to answer.
    """

    name: str
    title: str
    version: str
    module: str
    mistakes: tuple[str, ...]
    knobs: type
    ladder: Sequence[Mapping[str, Any]]
    readme: str
    cases: int = 10
    noop: str = ""
    kinds: Mapping[str, str] = field(default_factory=lambda: dict(KIND_LINES))
    mechanisms: Mapping[str, str] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "mechanisms", {name: MECHANISM_LINES[name] for name in self.mistakes})

    @property
    def craft(self) -> "Craft":
        """The module that makes the family's cases, loaded when it is first needed."""
        return cast("Craft", import_module(self.module))

    def generate(self, seed: str, knobs: Any, k: int) -> Case:
        """Case `k` of the seed; TrapError if none can be planned with these knobs."""
        from families.ledger.case_maker import generate

        return generate(self, seed, knobs, k)

    def check(self, case: Case) -> Iterable[Problem]:
        """What is wrong with a case: see `invariants`, and `problems` of the family's craft."""
        from families.ledger.case_maker import check

        return check(self, case)

    def solve(self, files: Files) -> str:
        return self.craft.solve(files, None)

    def slip(self, files: Files, mechanism: str) -> str:
        return self.craft.solve(files, mechanism)

    def extract(self, text: str) -> Answer | Problem:
        """The amount in a cleaned output, or why it cannot be read."""
        return read_answer(text)

    def judge(self, case: Case, answer: Answer) -> Verdict:
        """Whether the amount is the right one; a wrong one is named if one mistake or two lead to it."""
        try:
            right, mistakes = _known(case)
        except (KeyError, TypeError, ArithmeticError) as error:
            name = f"case {case.id or '?'} of {self.name}"
            raise TrapError(f"{name} is broken: {error!r}. Build the suite again.") from error
        result = canonical(answer.value)
        details = {"answer": result, "right": case.gold}
        if equal(answer.value, right):
            return Verdict("passed", "the amount is right", result, 1.0, details=details)
        made, reason = mistakes.get(result, ()), f"{result} is not {case.gold}"
        if made:
            reason += f"; it comes of {' or of '.join(made)}"
        return Verdict("failed", reason, result, details=details, slip=made)

    def explain(self, case: Case, public: bool) -> Sequence[Section]:
        """The question; unless `public` all that leads to the answer, and to wrong ones."""
        from families.ledger.explanation import explain

        return explain(self, case, public)

    def view(self, verdict: Verdict) -> Sequence[Section]:
        """Nothing beyond the reason, which says it all."""
        return ()


@lru_cache(maxsize=64)
def _known(case: Case) -> tuple[Decimal, Mapping[str, tuple[str, ...]]]:
    """The right amount; by each wrong one the mistakes that lead to it, or if none alone does, pairs."""
    found: dict[str, tuple[str, ...]] = {}
    for size in (1, 2):
        alone = set(found)
        for made in case.facts["mistakes"]:
            names, answer = made["mechanisms"], made["answer"]
            if len(names) == size and answer not in alone:
                found[answer] = (*found.get(answer, ()), TOGETHER.join(names))
    return Decimal(case.gold), found
