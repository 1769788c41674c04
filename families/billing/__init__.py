"""Family `billing`: a ticket about subscriptions, four reports that resolve the same facts differently."""

from pathlib import Path

from families.billing.audit import audit
from families.billing.kinds import (
    addon_rebrand,
    discount_correction,
    plan_price_change,
    region_migration,
    subscription_transfer,
    upgrade_with_discount,
)
from families.billing.mechanisms import MECHANISMS
from families.billing.reports import billing_summary, customer_statement, finance_ledger, invoice_detail
from families.billing.sketch import Knobs
from families.billing.solver import solve
from families.billing.tables import COMPUTED, TABLES
from trapcli.edits.family import EditsFamily

LADDER: tuple[dict[str, int], ...] = (
    {"customers": 4, "subscriptions": 1, "distractors": 0, "noise": 2},
    {},
    {"customers": 12, "periods": 6, "affected": 3, "distractors": 4, "noise": 10},
    {"customers": 30, "periods": 8, "affected": 6, "distractors": 8, "noise": 20},
    {"customers": 70, "subscriptions": 3, "periods": 10, "affected": 10, "distractors": 14, "noise": 40},
    {"customers": 150, "subscriptions": 3, "periods": 12, "affected": 15, "distractors": 22, "noise": 80},
    {"customers": 260, "subscriptions": 3, "periods": 13, "affected": 20, "distractors": 32, "noise": 120},
)

FAMILY = EditsFamily(
    name="billing",
    title="A billing ticket: find every record that must change, and no other",
    version="1",
    tables=TABLES,
    reports=(billing_summary, invoice_detail, finance_ledger, customer_statement),
    trap_kinds=(
        region_migration.KIND,
        plan_price_change.KIND,
        addon_rebrand.KIND,
        discount_correction.KIND,
        subscription_transfer.KIND,
        upgrade_with_discount.KIND,
    ),
    mechanisms=MECHANISMS,
    knobs=Knobs,
    ladder=LADDER,
    cases=6,
    readme=Path(__file__).with_name("README.md").read_text(encoding="utf-8"),
    solver=solve,
    computed=COMPUTED,
    audit=audit,
)
