"""Family `payout`: tickets about what vendors are owed, and two reports that find a vendor differently."""

from families.payout.knobs import LEVELS, Knobs
from families.payout.mistakes import MISTAKES
from families.payout.next_month import next_month
from families.payout.report_scripts import itemised_statement, vendor_statement
from families.payout.tables import COMPUTED, TABLES
from families.payout.traps import TRAP_TYPES
from trapcli.answers.edits import EditsAnswers, EditsFamily

FAMILY = EditsFamily(
    name="payout",
    title="A vendor payout ticket: find every record that must change, and no other",
    version="2",
    answers=EditsAnswers(
        tables=TABLES, reports=(vendor_statement, itemised_statement), next_month=next_month
    ),
    trap_types=TRAP_TYPES,
    mistakes=MISTAKES,
    knobs=Knobs,
    levels=LEVELS,
    cases=4,
    readme="families.payout:case_readme.md",
    solver="families.payout.solver:solve",
    computed=COMPUTED,
    checks="families.payout.checks:find_problems",
)
