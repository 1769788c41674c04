"""The seven tables of a payout case, with the types of their columns."""

from trapcli.answers.edits import Table

TABLES = (
    Table(
        "catalog.csv",
        {
            "product_id": "id",
            "sku": "id",
            "product_name": "text",
            "supplier_id": "id",
            "vendor_share_pct": "number",
            "vendor_share_fixed_usd": "money",
            "effective_from": "date",
        },
        ("product_id", "effective_from"),
    ),
    Table(
        "suppliers.csv",
        {"supplier_id": "id", "supplier_name": "text", "supplier_currency": "id"},
        "supplier_id",
    ),
    Table(
        "transactions.csv",
        {
            "transaction_id": "id",
            "product_id": "id",
            "sku": "id",
            "supplier_name": "text",
            "sale_date": "date",
            "units": "integer",
            "revenue_gross_usd": "money",
            "transaction_fee_usd": "money",
            "affiliate_commission_usd": "money",
            "status": "id",
            "promo_id": "id",
            "bundle_name": "text",
            "vendor_payout_usd": "money",
        },
        "transaction_id",
    ),
    Table(
        "b2b_details.csv",
        {
            "b2b_txn_id": "id",
            "product_id": "id",
            "sku": "id",
            "supplier_name": "text",
            "sale_date": "date",
            "unit_count": "integer",
            "unit_price_usd": "money",
            "revenue_gross_usd": "money",
            "vendor_share_pct": "number",
            "vendor_share_fixed_usd": "money",
            "status": "id",
        },
        "b2b_txn_id",
    ),
    Table(
        "promotions.csv",
        {"promo_id": "id", "promo_name": "text", "starts_on": "date", "ends_on": "date"},
        "promo_id",
    ),
    Table(
        "product_discounts.csv",
        {
            "discount_id": "id",
            "product_id": "id",
            "discount_pct": "number",
            "starts_on": "date",
            "ends_on": "date",
        },
        "discount_id",
    ),
    Table(
        "currency_rates.csv",
        {"rate_date": "date", "currency": "id", "usd_per_unit": "number"},
        ("rate_date", "currency"),
    ),
)

# The figures that an agent must work out.
COMPUTED = frozenset(
    {
        ("transactions.csv", "revenue_gross_usd"),
        ("transactions.csv", "vendor_payout_usd"),
        ("b2b_details.csv", "unit_price_usd"),
        ("b2b_details.csv", "revenue_gross_usd"),
    }
)
