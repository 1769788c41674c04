"""What both ledger families are: a craft that makes their cases, and answers of one amount."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from trapcli.answers.amount import AmountAnswers
from trapcli.core.contract import AnswerKind, Case, Files, Problem, Section

if TYPE_CHECKING:
    from families.ledger.case_maker import Craft

TOGETHER = " + "  # between the names of two mistakes made together


NOT_COPIED = ", replayed from the beginning"  # behind the name of a mistake, if the memo is not copied


def named_wrong_answers(case: Case) -> dict[str, str]:
    """Return amount -> the mistake that leads to it: the smallest set of things missed that does."""
    named: dict[str, str] = {}
    for record in sorted(case.facts["wrong_answers"], key=lambda record: len(record["mistakes"])):
        name = TOGETHER.join(record["mistakes"])
        named.setdefault(record["answer"], name if record["copied"] else name + NOT_COPIED)
    for one in case.facts.get("instructions", ()):
        named.setdefault(one["answer"], f"an instruction in {one['mails'][0]} missed")
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
    traps: Mapping[str, str]
    load_craft: "Callable[[], Craft]"
    mistakes: Mapping[str, str]
    knobs: type
    levels: Sequence[Mapping[str, Any]]
    readme: str
    cases: int = 10
    answers: AnswerKind = field(default_factory=lambda: AmountAnswers(named_wrong_answers))

    @property
    def craft(self) -> "Craft":
        """The module that makes the family's cases, loaded when it is first needed."""
        return self.load_craft()

    def generate(self, seed: str, knobs: Any, k: int) -> Case:
        """Return case `k` of the seed; TrapError if none can be planned with these knobs."""
        from families.ledger.case_maker import generate

        return generate(self, seed, knobs, k)

    def check(self, case: Case) -> Iterable[Problem]:
        """Return what is wrong with a case: see `case_maker.check`."""
        from families.ledger.case_maker import check

        return check(self, case)

    def solve(self, files: Files, mistake: str | None = None) -> str:
        """Return what a careful agent prints, or one that makes this mistake."""
        return self.craft.solve(files, mistake)

    def explain(self, case: Case, public: bool) -> Sequence[Section]:
        """Return the question; unless `public`, also what leads to the answer and to wrong ones."""
        from families.ledger.explanation import explain

        return explain(case, public)
