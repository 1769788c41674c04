"""Family `billing`: tickets about subscriptions, and four reports that read the same facts differently."""

from families.billing.knobs import LEVELS, Knobs
from families.billing.mistakes import MISTAKES
from families.billing.next_month import next_month
from families.billing.report_scripts import (
    billing_summary,
    customer_statement,
    finance_ledger,
    invoice_detail,
)
from families.billing.tables import COMPUTED, TABLES
from families.billing.traps import TRAP_TYPES
from trapcli.answers.edits import EditsAnswers, EditsFamily

FAMILY = EditsFamily(
    name="billing",
    title="A billing ticket: find every record that must change, and no other",
    version="2",
    answers=EditsAnswers(
        tables=TABLES,
        reports=(billing_summary, invoice_detail, finance_ledger, customer_statement),
        next_month=next_month,
    ),
    trap_types=TRAP_TYPES,
    mistakes=MISTAKES,
    knobs=Knobs,
    levels=LEVELS,
    cases=6,
    readme="families.billing:case_readme.md",
    solver="families.billing.solver:solve",
    computed=COMPUTED,
    checks="families.billing.checks:find_problems",
)
