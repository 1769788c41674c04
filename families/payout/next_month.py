"""Next month in payout: what will be sold on the terms of the catalog.

Each listing (a product_id of the catalog) gets one retail sale without a recorded payout, and one b2b sale
at the terms that the catalog has then. Both take sku and vendor from the catalog as it is on their day.
"""

from trapcli.answers.edits.authoring.ticket_text import shift_month
from trapcli.answers.edits.tables import Row, Tables

NEW = "NEXT"  # begins the ids of all that is new
UNITS, GROSS, FEE, COMMISSION, PRICE = "3", "60.00", "2.00", "4.00", "20.00"


def next_month(before: Tables, now: Tables) -> dict[str, list[Row]]:
    """Return the rows of the files that differ; see `trapcli.answers.edits.judging.next_month`."""
    sold = [row["sale_date"] for file in ("transactions.csv", "b2b_details.csv") for row in before[file]]
    day = f"{shift_month(max(sold)[:7], 1)}-01"
    vendors = {row["supplier_id"]: row["supplier_name"] for row in now["suppliers.csv"]}
    listed: dict[str, Row] = {}
    for row in now["catalog.csv"]:
        known = listed.get(row["product_id"])
        if row["effective_from"] <= day and (
            known is None or row["effective_from"] > known["effective_from"]
        ):
            listed[row["product_id"]] = row
    retail, b2b = [], []
    for product in dict.fromkeys(row["product_id"] for row in before["catalog.csv"]):
        terms = listed[product]
        sale = {
            "product_id": product,
            "sku": terms["sku"],
            "supplier_name": vendors[terms["supplier_id"]],
            "sale_date": day,
            "revenue_gross_usd": GROSS,
            "status": "COMPLETE",
        }
        retail.append(
            {
                **sale,
                "transaction_id": f"{NEW}-R-{product}",
                "units": UNITS,
                "transaction_fee_usd": FEE,
                "affiliate_commission_usd": COMMISSION,
                "promo_id": "",
                "bundle_name": "",
                "vendor_payout_usd": "",
            }
        )
        b2b.append(
            {
                **sale,
                "b2b_txn_id": f"{NEW}-B-{product}",
                "unit_count": UNITS,
                "unit_price_usd": PRICE,
                "vendor_share_pct": terms["vendor_share_pct"],
                "vendor_share_fixed_usd": terms["vendor_share_fixed_usd"],
            }
        )
    return {"transactions.csv": retail, "b2b_details.csv": b2b}
