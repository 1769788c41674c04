"""Family `billing`: a ticket about subscriptions, four reports that resolve the same facts differently."""

from families.billing.knobs import LADDER, Knobs
from families.billing.mistakes import MECHANISMS
from families.billing.reports import billing_summary, customer_statement, finance_ledger, invoice_detail
from families.billing.tables import COMPUTED, TABLES
from families.billing.traps import KINDS
from trapcli.answers.edits.family import EditsFamily

FAMILY = EditsFamily(
    name="billing",
    title="A billing ticket: find every record that must change, and no other",
    version="1",
    tables=TABLES,
    reports=(billing_summary, invoice_detail, finance_ledger, customer_statement),
    trap_kinds=KINDS,
    mechanisms=MECHANISMS,
    knobs=Knobs,
    ladder=LADDER,
    cases=6,
    readme="families.billing:README.md",
    solver="families.billing.solver:solve",
    computed=COMPUTED,
    audit="families.billing.checks:audit",
)
