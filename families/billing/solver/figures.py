"""The figures of an invoice, and what they become when its terms change."""

from collections.abc import Callable
from fractions import Fraction

from families.billing.solver.books import Books
from trapcli.answers.edits.solving.edits import coverage
from trapcli.answers.edits.solving.tables import Row, Unclear
from trapcli.answers.edits.solving.values import cents, dollars, round_half_up, shift_month

BASE, ADDONS, DISCOUNT = "baked_base_price_usd", "baked_addon_total_usd", "baked_discount_applied_usd"
TAX, TOTAL = "baked_tax_usd", "baked_total_usd"

# Mistakes about the months that a change covers -> how `coverage` makes them.
SHIFTS = {"earlier_touched": "all", "boundary_missed": "late", "one_too_early": "early"}


def first_month(day_or_month: str) -> str:
    """Return the first month with invoices that a change covers.

    day_or_month: when the change takes effect ("YYYY-MM-DD" or "YYYY-MM"). An invoice is made out on
        the first day of its month.
    """
    if len(day_or_month) == 7 or day_or_month.endswith("-01"):
        return day_or_month[:7]
    return shift_month(day_or_month[:7], 1)


def invoice_coverage(day_or_month: str, mistake: str | None) -> Callable[[Row], bool]:
    """Return a function that says whether an invoice is covered by a change from this day or month on."""
    first = first_month(day_or_month)
    return coverage("period", first, SHIFTS.get(mistake or ""), before=shift_month(first, -1))


def subtotal_of(invoice: Row) -> int:
    """Return base price plus add-ons, in cents."""
    return cents(invoice[BASE]) + cents(invoice[ADDONS])


def discount_by(code: Row, subtotal: int) -> int:
    """Return what a code takes off, in cents: its percentage if it has one, else its fixed amount."""
    if code["discount_pct"]:
        return round_half_up(subtotal * Fraction(code["discount_pct"]))
    return cents(code["discount_fixed_usd"])


def discount_on(books: Books, invoice: Row, subtotal: int, mistake: str | None) -> int:
    """Return the invoice's discount on another subtotal: a percentage follows it, a fixed amount stays.

    The invoice's code is that of its subscription, if this code gives its discount, or else any code
    that does. Raises Unclear if such codes disagree.
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
            results.add(
                round_half_up(Fraction(given * subtotal, old)) if mistake == "fixed_rescaled" else given
            )
    if not results or (len(results) > 1 and mistake is None):  # an agent that errs is not so careful
        raise Unclear(f"the discount of {invoice['invoice_id']} fits several codes, or none")
    return max(results)


def rate_on(books: Books, invoice: Row) -> Fraction:
    """Return the rate (percent) of an invoice: the customer's current one, unless its tax shows another."""
    customer = books.customers[books.subscriptions[invoice["subscription_id"]]["customer_id"]]
    current = rate_of(books, customer["region_id"])
    if not invoice[TAX]:
        return current
    taxed, tax = subtotal_of(invoice) - cents(invoice[DISCOUNT]), cents(invoice[TAX])
    rates = {Fraction(region["tax_rate_pct"]) for region in books.regions.values()}
    fitting = [rate for rate in rates if round_half_up(taxed * rate / 100) == tax]
    if current in fitting:
        return current
    if len(fitting) != 1:
        raise Unclear(f"the tax of {invoice['invoice_id']} fits {len(fitting)} rates")
    return fitting[0]


def rate_of(books: Books, region: str) -> Fraction:
    """Return a region's rate in percent."""
    return Fraction(books.regions[region]["tax_rate_pct"])


def restate(
    invoice: Row,
    rate: Fraction,
    mistake: str | None,
    *,
    base: int | None = None,
    addons: int | None = None,
    discount: int | None = None,
) -> dict[str, str]:
    """Return the money cells of an invoice at this rate, with these amounts.

    base, addons, discount: in cents; the invoice's own if None.
    """
    base = cents(invoice[BASE]) if base is None else base
    addons = cents(invoice[ADDONS]) if addons is None else addons
    discount = cents(invoice[DISCOUNT]) if discount is None else discount
    cells = {BASE: dollars(base), ADDONS: dollars(addons), DISCOUNT: dollars(discount)}
    if invoice["status"] == "draft" and mistake != "draft_filled":
        return cells
    taxed = base + addons - (0 if mistake == "tax_before_discount" else discount)
    tax = round_half_up(taxed * rate / 100)
    if mistake == "tax_stale" and invoice[TAX]:
        tax = cents(invoice[TAX])
    cells[TAX] = dollars(tax)
    if mistake != "total_stale":
        cells[TOTAL] = dollars(base + addons - discount + tax)
    return cells
