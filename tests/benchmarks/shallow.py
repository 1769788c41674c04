"""What little effort is worth: how often a shallow agent and scripts without insight pass, rung by rung.

    python tests/benchmarks/shallow.py [--cases 60] [--seed 1] [--rungs 0,1,2]

The shallow agent knows every rule and can count, but looks no further than it must:
- it reads the first 20 rows of a table; a name that is not among them it searches for, and takes
  the first row whose name begins with it;
- of a customer's subscriptions it takes the first that has a plan or code of the ticket, or else
  the first, and stays with it;
- it searches the invoices for that subscription (or for the plan, if the ticket is about one) and
  reads the first 20 that turn up.
The scripts go by position, count or wording. The guess has luck where a change happens to cover
the last two issued months, and shows how often it does. Exits 1 unless the agent's rate falls
from rung to rung and no script ever passes.
"""

import argparse
import csv
import io
import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from itertools import pairwise
from typing import Any

from families.billing import FAMILY
from families.billing.solver import solve
from families.billing.solver.books import read_books
from families.billing.solver.ticket import Ticket, read_ticket
from trapcli.contract import Answer, Case

ROWS = 20
NAMES = {
    "customers.csv": "customer_name",
    "plans.csv": "plan_name",
    "addons.csv": "addon_name",
    "discount_codes.csv": "code",
    "regions.csv": "region_name",
}
Files = Mapping[str, str]
Row = dict[str, str]
Edit = dict[str, Any]


def main() -> int:
    parser = argparse.ArgumentParser(
        description="Pass rates of a shallow agent and of scripts without insight."
    )
    parser.add_argument("--cases", type=int, default=60, help="a rung")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--rungs", default=",".join(map(str, range(len(FAMILY.ladder)))))
    asked = parser.parse_args()
    rungs = [int(rung) for rung in asked.rungs.split(",")]
    passed = {rung: measure(asked.seed, rung, asked.cases) for rung in rungs}
    show(passed, asked.cases)
    rates = [passed[rung]["shallow agent"] for rung in rungs]
    falls = all(more > less for more, less in pairwise(rates))
    clever = sorted({name for count in passed.values() for name in (*SCRIPTS, REPLAY) if count[name]})
    print("\nthe agent's rate", "falls rung by rung" if falls else "DOES NOT FALL rung by rung", end="; ")
    print(f"PASSED BY {', '.join(clever)}" if clever else "no script ever passes")
    return 0 if falls and not clever else 1


def measure(seed: str, rung: int, cases: int) -> Counter[str]:
    """How many of the rung's cases each agent passes; "shallow agent/KIND" counts by kind."""
    knobs = FAMILY.knobs(**FAMILY.ladder[rung])
    passed, last = Counter[str](), dict[str, Any]()
    for k in range(cases):
        case = FAMILY.generate(f"{seed}{rung}", knobs, k)
        if passes(case, shallow(case.files)):
            passed.update(["shallow agent", f"shallow agent/{case.category}"])
        for name, script in SCRIPTS.items():
            passed[name] += passes(case, json.dumps(script(case.files)))
        passed[GUESS] += passes(case, json.dumps(last_two_issued(case.files)))
        if case.category in last:
            passed[REPLAY] += passes(case, json.dumps(last[case.category]))
        last[case.category] = case.gold
    return passed


def passes(case: Case, text: str) -> bool:
    try:
        edits = json.loads(text)
    except ValueError:
        return False
    return FAMILY.judge(case, Answer(tuple(edits[:30]))).status == "passed"


def show(passed: Mapping[int, Counter[str]], cases: int) -> None:
    print(f"passed of {cases} cases a rung".ljust(34), *(f"rung {rung}".rjust(7) for rung in passed))
    agents = ["shallow agent", *(f"shallow agent/{kind}" for kind in FAMILY.kinds), *SCRIPTS, REPLAY, GUESS]
    for name in agents:
        label = name.replace("shallow agent/", "  of ")
        print(label.ljust(34), *(f"{count[name]:7}" for count in passed.values()))


def rows(files: Files, file: str) -> list[Row]:
    return list(csv.DictReader(io.StringIO(files[file])))


def table(files: Files, file: str, content: Iterable[Mapping[str, str]]) -> str:
    """The rows as a CSV text with the columns of the file."""
    out = io.StringIO()
    writer = csv.DictWriter(out, files[file].splitlines()[0].split(","), lineterminator="\n")
    writer.writeheader()
    writer.writerows(content)
    return out.getvalue()


# --- the shallow agent ------------------------------------------------------------


def shallow(files: Files) -> str:
    """What the solver prints when it is given no more than the shallow agent reads."""
    read = {**files, **{file: table(files, file, seen(files, file)) for file in NAMES}}
    books = read_books(read)
    ticket = read_ticket(files["ticket.md"], books)
    invoices: list[Row] = []
    subscriptions = rows(files, "subscriptions.csv")
    if ticket.has("customer"):
        subscriptions = one_path(subscriptions, ticket)
        ids = {row["subscription_id"] for row in subscriptions}
        invoices = [row for row in rows(files, "invoices.csv") if row["subscription_id"] in ids][:ROWS]
    elif ticket.has("plan"):
        name = books.plans[ticket.one("plan")]["plan_name"]
        invoices = [row for row in rows(files, "invoices.csv") if row["baked_plan_name"].startswith(name)][
            :ROWS
        ]
        read["customers.csv"] = files["customers.csv"]  # it follows the ids on these invoices
    read["subscriptions.csv"] = table(files, "subscriptions.csv", subscriptions)
    read["invoices.csv"] = table(files, "invoices.csv", invoices)
    try:
        return solve(read, None)
    except KeyError as error:
        return f"I did not see {error}."


def seen(files: Files, file: str) -> list[Row]:
    """The first rows, and for each name in the ticket that is not there the first row that begins like it."""
    column, content, text = NAMES[file], rows(files, file), files["ticket.md"]
    read = content[:ROWS]
    for name in sorted((row[column] for row in content), key=len, reverse=True):
        if name in text and name not in {row[column] for row in read}:
            hit = next(row for row in content if row[column].startswith(name))
            read = [*(row for row in read if row is not hit), {**hit, column: name}]
        text = text.replace(name, "")
    return read


def one_path(subscriptions: Sequence[Row], ticket: Ticket) -> list[Row]:
    """The subscription that the agent stays with."""
    theirs = [row for row in subscriptions if row["customer_id"] == ticket.one("customer")]
    named = {*ticket.all("plan"), *ticket.all("code")}
    fitting = [row for row in theirs if row["plan_id"] in named or row["discount_code"] in named]
    return (fitting or theirs)[:1]


# --- scripts without insight ------------------------------------------------------


def update(file: str, row: Row, **cells: str) -> Edit:
    """An edit of the row, which is told by the first column."""
    key = next(iter(row))
    return {"file": file, "op": "update", "match": {key: row[key]}, "set": cells}


def named(files: Files, file: str) -> list[Row]:
    """Rows whose name stands in the ticket, in the order in which the names first do."""
    column, text = NAMES[file], files["ticket.md"]
    return sorted(
        (row for row in rows(files, file) if row[column] in text), key=lambda row: text.index(row[column])
    )


def number(files: Files, pattern: str) -> str:
    """The last number in the ticket with such signs around it; "" if there is none."""
    found = re.findall(pattern, files["ticket.md"])
    return found[-1] if found else ""


def retaxed(files: Files, invoices: Iterable[Row]) -> list[Edit]:
    """Tax and total of the invoices at the rate of the region that the ticket names last."""
    region = (named(files, "regions.csv") or rows(files, "regions.csv"))[-1]
    edits = []
    for row in invoices:
        base, extra, less = (
            Decimal(row[f"baked_{part}_usd"]) for part in ("base_price", "addon_total", "discount_applied")
        )
        tax = ((base + extra - less) * Decimal(region["tax_rate_pct"]) / 100).quantize(Decimal("0.01"))
        total = f"{base + extra - less + tax}"
        edits.append(update("invoices.csv", row, baked_tax_usd=f"{tax}", baked_total_usd=total))
    return edits


def moved(files: Files, customer: Row, invoices: Iterable[Row]) -> list[Edit]:
    """The customer into the region that the ticket names last, and these invoices taxed there."""
    region = (named(files, "regions.csv") or rows(files, "regions.csv"))[-1]
    return [
        update("customers.csv", customer, region_id=region["region_id"]),
        *retaxed(files, (row for row in invoices if row["baked_customer_name"] == customer["customer_name"])),
    ]


def first_invoice(files: Files) -> list[Edit]:
    return retaxed(files, rows(files, "invoices.csv")[:1])


def last_invoice(files: Files) -> list[Edit]:
    return retaxed(files, rows(files, "invoices.csv")[-1:])


def last_issued_invoice(files: Files) -> list[Edit]:
    return retaxed(files, [row for row in rows(files, "invoices.csv") if row["status"] != "draft"][-1:])


def commonest_customer(files: Files) -> list[Edit]:
    invoices = rows(files, "invoices.csv")
    name = Counter(row["baked_customer_name"] for row in invoices).most_common(1)[0][0]
    customer = next(row for row in rows(files, "customers.csv") if row["customer_name"] == name)
    return moved(files, customer, invoices)


def last_two_months(files: Files) -> list[Edit]:
    invoices = rows(files, "invoices.csv")
    months = sorted({row["period"] for row in invoices})[-2:]
    customer = (named(files, "customers.csv") or rows(files, "customers.csv"))[0]
    return moved(files, customer, (row for row in invoices if row["period"] in months))


def last_two_issued(files: Files) -> list[Edit]:
    invoices = [row for row in rows(files, "invoices.csv") if row["status"] != "draft"]
    months = sorted({row["period"] for row in invoices})[:-1][-2:]
    customer = (named(files, "customers.csv") or rows(files, "customers.csv"))[0]
    return moved(files, customer, (row for row in invoices if row["period"] in months))


def number_into_base_price(files: Files) -> list[Edit]:
    plans = named(files, "plans.csv") or rows(files, "plans.csv")
    return [update("plans.csv", plans[0], base_price_usd=number(files, r"(\d+(?:\.\d+)?)"))]


def numbers_where_they_fit(files: Files) -> list[Edit]:
    money = number(files, r"\$(\d[\d.]*\d)") or number(files, r"(\d[\d.]*\d) (?:USD|dollars)")
    share = number(files, r"(\d+)(?:%| percent)")
    edits = [update("plans.csv", row, base_price_usd=money) for row in named(files, "plans.csv")[:1] if money]
    edits += [
        update("addons.csv", row, addon_price_usd=money) for row in named(files, "addons.csv")[:1] if money
    ]
    codes = named(files, "discount_codes.csv")[:1] if share else []
    return edits + [update("discount_codes.csv", row, discount_pct=f"0.{int(share):02d}") for row in codes]


def all_that_is_named(files: Files) -> list[Edit]:
    names = [row["customer_name"] for row in named(files, "customers.csv")]
    names += [row["plan_name"] for row in named(files, "plans.csv")]
    invoices = rows(files, "invoices.csv")
    return retaxed(
        files,
        (row for row in invoices if row["baked_customer_name"] in names or row["baked_plan_name"] in names),
    )


SCRIPTS: dict[str, Callable[[Files], list[Edit]]] = {
    script.__name__.replace("_", " "): script
    for script in (
        first_invoice, last_invoice, last_issued_invoice, commonest_customer, last_two_months,
        number_into_base_price, numbers_where_they_fit, all_that_is_named,
    )
}  # fmt: skip
REPLAY = "the answer to the last such case"
GUESS = "guess: last two issued"


if __name__ == "__main__":
    sys.exit(main())
