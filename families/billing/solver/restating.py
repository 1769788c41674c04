"""The figures of an invoice, and what they become when its terms change."""

from collections.abc import Callable
from fractions import Fraction

from families.billing.solver.books import Books
from trapcli.answers.edits.solving.edits import counting_from
from trapcli.answers.edits.solving.tables import Row, Unclear
from trapcli.answers.edits.solving.values import cents, dollars, half_up, shifted

BASE, ADDONS, DISCOUNT = "baked_base_price_usd", "baked_addon_total_usd", "baked_discount_applied_usd"
TAX, TOTAL = "baked_tax_usd", "baked_total_usd"


SLIPS = {"earlier_touched": "all", "boundary_missed": "late", "one_too_early": "early"}


def first_month(day_or_month: str) -> str:
    """The first month invoiced on its first day at or after this day ("YYYY-MM-DD", or a month)."""
    if len(day_or_month) == 7 or day_or_month.endswith("-01"):
        return day_or_month[:7]
    return shifted(day_or_month[:7], 1)


def covers(day_or_month: str, mistake: str | None) -> Callable[[Row], bool]:
    """Whether an invoice falls under a change from this day or month on."""
    first = first_month(day_or_month)
    return counting_from("period", first, SLIPS.get(mistake or ""), before=shifted(first, -1))


def subtotal_of(invoice: Row) -> int:
    """Base price plus add-ons, in cents."""
    return cents(invoice[BASE]) + cents(invoice[ADDONS])


def discount_by(code: Row, subtotal: int) -> int:
    """What a code takes off: its share if it has one, else its fixed amount; in cents."""
    if code["discount_pct"]:
        return half_up(subtotal * Fraction(code["discount_pct"]))
    return cents(code["discount_fixed_usd"])


def discount_on(books: Books, invoice: Row, subtotal: int, mistake: str | None) -> int:
    """The invoice's own discount on another subtotal: a share follows it, a fixed amount stays.

    The invoice's code is its subscription's, or if that one was changed since whichever gives its discount.
    """
    old, given = subtotal_of(invoice), cents(invoice[DISCOUNT])
    if not given:
        return 0
    current = books.codes.get(books.subscriptions[invoice["subscription_id"]]["discount_code"])
    fitting = [code for code in books.codes.values() if discount_by(code, old) == given]
    if current is not None and current in fitting:
        fitting = [current]
    results = set()
    for code in fitting:
        if code["discount_pct"]:
            results.add(given if mistake == "discount_stale" else discount_by(code, subtotal))
        else:
            results.add(half_up(Fraction(given * subtotal, old)) if mistake == "fixed_rescaled" else given)
    if not results or (len(results) > 1 and mistake is None):  # who errs does not weigh readings
        raise Unclear(f"the discount of {invoice['invoice_id']} can be of several codes, or of none")
    return max(results)


def rate_on(books: Books, invoice: Row) -> Fraction:
    """The rate (percent) that the invoice was taxed at, or will be: its customer may have moved since."""
    customer = books.customers[books.subscriptions[invoice["subscription_id"]]["customer_id"]]
    current = rate_of(books, customer["region_id"])
    if not invoice[TAX]:
        return current
    taxed, tax = subtotal_of(invoice) - cents(invoice[DISCOUNT]), cents(invoice[TAX])
    rates = {Fraction(region["tax_rate_pct"]) for region in books.regions.values()}
    fitting = [rate for rate in rates if half_up(taxed * rate / 100) == tax]
    if current in fitting:
        return current
    if len(fitting) != 1:
        raise Unclear(f"the tax of {invoice['invoice_id']} fits {len(fitting)} rates")
    return fitting[0]


def rate_of(books: Books, region: str) -> Fraction:
    """A region's rate in percent."""
    return Fraction(books.regions[region]["tax_rate_pct"])


def restated(
    invoice: Row,
    rate: Fraction,
    mistake: str | None,
    *,
    base: int | None = None,
    addons: int | None = None,
    discount: int | None = None,
) -> dict[str, str]:
    """The money cells of the invoice with these amounts (cents; its own if not given) and this rate."""
    base = cents(invoice[BASE]) if base is None else base
    addons = cents(invoice[ADDONS]) if addons is None else addons
    discount = cents(invoice[DISCOUNT]) if discount is None else discount
    cells = {BASE: dollars(base), ADDONS: dollars(addons), DISCOUNT: dollars(discount)}
    if invoice["status"] == "draft" and mistake != "draft_filled":
        return cells
    taxed = base + addons - (0 if mistake == "tax_before_discount" else discount)
    tax = half_up(taxed * rate / 100)
    if mistake == "tax_stale" and invoice[TAX]:
        tax = cents(invoice[TAX])
    cells[TAX] = dollars(tax)
    if mistake != "total_stale":
        cells[TOTAL] = dollars(base + addons - discount + tax)
    return cells
