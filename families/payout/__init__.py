"""Family `payout`: a ticket about what vendors are owed, two reports that find a vendor differently."""

from families.payout.knobs import LADDER, Knobs
from families.payout.mistakes import MECHANISMS
from families.payout.reports import itemised_statement, vendor_statement
from families.payout.tables import COMPUTED, TABLES
from families.payout.traps import KINDS
from trapcli.answers.edits.family import EditsFamily

FAMILY = EditsFamily(
    name="payout",
    title="A vendor payout ticket: find every record that must change, and no other",
    version="1",
    tables=TABLES,
    reports=(vendor_statement, itemised_statement),
    trap_kinds=KINDS,
    mechanisms=MECHANISMS,
    knobs=Knobs,
    ladder=LADDER,
    cases=4,
    readme="families.payout:README.md",
    solver="families.payout.solver:solve",
    computed=COMPUTED,
    audit="families.payout.checks:audit",
)
