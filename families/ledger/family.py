"""What both ledger families are: a craft that makes their cases, and answers of one amount."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from families.ledger.domain.traps_and_mistakes import TRAPS
from trapcli.answers.amount import AmountAnswers
from trapcli.core.contract import AnswerKind, Case, Files, Problem, Section

if TYPE_CHECKING:
    from families.ledger.case_craft import CaseCraft

TOGETHER = " + "  # between the names of two mistakes made together


def named_wrong_answers(case: Case) -> dict[str, str]:
    """Return amount -> the mistake that leads to it, or the first pair of mistakes if no single one does."""
    named: dict[str, str] = {}
    for record in case.facts["wrong_answers"]:  # single mistakes come first
        named.setdefault(record["answer"], TOGETHER.join(record["mistakes"]))
    return named


@dataclass(frozen=True, eq=False)
class LedgerFamily:
    """A family (see `trapcli.core.contract.Family`) of ledgers whose cases ask for one amount.

    load_craft: imports and returns the module that makes the cases; judging an answer needs none of it.
    readme: the case README, except the part on how to answer.
    """

    name: str
    title: str
    version: str
    load_craft: "Callable[[], CaseCraft]"
    mistakes: Mapping[str, str]
    knobs: type
    levels: Sequence[Mapping[str, Any]]
    readme: str
    cases: int = 10
    traps: Mapping[str, str] = field(default_factory=lambda: dict(TRAPS))
    answers: AnswerKind = field(default_factory=lambda: AmountAnswers(named_wrong_answers))

    @property
    def craft(self) -> "CaseCraft":
        """The module that makes the family's cases, loaded when it is first needed."""
        return self.load_craft()

    def generate(self, seed: str, knobs: Any, k: int) -> Case:
        """Return case `k` of the seed; TrapError if none can be planned with these knobs."""
        from families.ledger.case_maker import generate

        return generate(self, seed, knobs, k)

    def check(self, case: Case) -> Iterable[Problem]:
        """Return what is wrong with a case: see `checks`."""
        from families.ledger.case_maker import check

        return check(self, case)

    def solve(self, files: Files, mistake: str | None = None) -> str:
        """Return what a careful agent prints, or one that makes this mistake."""
        return self.craft.solve(files, mistake)

    def explain(self, case: Case, public: bool) -> Sequence[Section]:
        """Return the question; unless `public`, also what leads to the answer and to wrong ones."""
        from families.ledger.explanation import explain

        return explain(self, case, public)
