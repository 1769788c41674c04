"""The ten tables of a billing case, with the types of their columns."""

from trapcli.answers.edits import Table

TABLES = (
    Table(
        "customers.csv",
        {"customer_id": "id", "customer_name": "text", "region_id": "id", "signup_date": "date"},
        "customer_id",
    ),
    Table(
        "subscriptions.csv",
        {
            "subscription_id": "id",
            "customer_id": "id",
            "plan_id": "id",
            "addon_ids": "id",
            "discount_code": "id",
            "status": "id",
            "start_date": "date",
        },
        "subscription_id",
    ),
    Table(
        "plans.csv",
        {"plan_id": "id", "plan_name": "text", "tier_id": "id", "base_price_usd": "money"},
        "plan_id",
    ),
    Table("tiers.csv", {"tier_id": "id", "tier_name": "text", "seat_limit": "integer"}, "tier_id"),
    Table("addons.csv", {"addon_id": "id", "addon_name": "text", "addon_price_usd": "money"}, "addon_id"),
    Table(
        "discount_codes.csv",
        {"code": "id", "discount_pct": "number", "discount_fixed_usd": "money", "expires_on": "date"},
        "code",
    ),
    Table("regions.csv", {"region_id": "id", "region_name": "text", "tax_rate_pct": "number"}, "region_id"),
    Table(
        "invoices.csv",
        {
            "invoice_id": "id",
            "subscription_id": "id",
            "period": "date",
            "baked_customer_name": "text",
            "baked_plan_name": "text",
            "baked_addon_names": "text",
            "baked_base_price_usd": "money",
            "baked_addon_total_usd": "money",
            "baked_discount_applied_usd": "money",
            "baked_tax_usd": "money",
            "baked_total_usd": "money",
            "status": "id",
        },
        "invoice_id",
    ),
    Table(
        "support_tickets.csv",
        {
            "support_ticket_id": "id",
            "customer_id": "id",
            "opened_on": "date",
            "subject": "text",
            "state": "id",
        },
        "support_ticket_id",
    ),
    Table(
        "marketing_campaigns.csv",
        {
            "campaign_id": "id",
            "campaign_name": "text",
            "code": "id",
            "starts_on": "date",
            "budget_usd": "money",
        },
        "campaign_id",
    ),
)

# The figures that an agent must work out.
COMPUTED = frozenset(
    ("invoices.csv", column) for column in ("baked_discount_applied_usd", "baked_tax_usd", "baked_total_usd")
)
