"""Family `billing`: a ticket about subscriptions, four reports that resolve the same facts differently."""

from families.billing.kinds import KINDS
from families.billing.knobs import LADDER, Knobs
from families.billing.mechanisms import MECHANISMS
from families.billing.reports import billing_summary, customer_statement, finance_ledger, invoice_detail
from families.billing.tables import COMPUTED, TABLES
from trapcli.edits.family import EditsFamily

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
    audit="families.billing.audit:audit",
)
