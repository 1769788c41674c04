"""Plan a case whose ticket is one thread or more: all that is asked for, and all that can be missed."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from families.billing.company.world import World, invoice_row, tables_of, write_tables
from families.billing.company.world_builder import WorldBuilder
from families.billing.knobs import Knobs
from families.billing.tables import COMPUTED, TABLES
from families.billing.threads.drafting import Drafter
from families.billing.threads.references import References
from families.billing.threads.requests import MOVE, PRICE, REBRAND, START, Request, carry_out
from families.billing.threads.schedule import Statement, schedule
from families.billing.threads.scripts import (
    BARRED,
    CORRECTED,
    OVERRULED,
    REINSTATED,
    WITHDRAWN,
    Script,
    draw_shapes,
    write_script,
)
from families.billing.threads.speech import Speaker
from families.billing.threads.stage import set_stage
from trapcli.answers.edits.authoring.plan import Missed, Plan, PlanFailed
from trapcli.answers.edits.authoring.table_diff import diff
from trapcli.answers.edits.judging.applied_edits import apply_edits
from trapcli.answers.edits.limits import MOST_EDITS_READ
from trapcli.answers.edits.tables import Tables, schema
from trapcli.core.draw import Draw

SCHEMA = schema(*TABLES)
REDRAWS = 12  # of the scripts of one world


def plan(draw: Draw, knobs: Knobs, trap: str) -> Plan:
    """Return a case of a trap with `knobs.requests` requests in force; PlanFailed if there is none."""
    builder = WorldBuilder(draw, knobs)
    stage = set_stage(builder, knobs.requests)
    builder.fill()
    world = builder.world()
    why = PlanFailed("no requests fit")
    for attempt in range(REDRAWS):
        stream = draw.stream(f"thread-{attempt}")
        drafter = Drafter(stream, builder, stage)
        try:
            scripts = _scripts(drafter, world, trap, knobs.requests)
            return _planned(stream, world, scripts, builder.periods[-1], knobs)
        except PlanFailed as failure:
            why = failure
    raise why


def _scripts(drafter: Drafter, world: World, trap: str, count: int) -> list[Script]:
    shapes = list(draw_shapes(drafter, count))
    requests = drafter.draft(trap, len(shapes))
    scripts = [
        write_script(drafter, world, request, shape) for request, shape in zip(requests, shapes, strict=True)
    ]
    if scripts[0].final is None:
        raise PlanFailed("the trap's own request is not in force")
    return scripts


def _planned(draw: Draw, world: World, scripts: Sequence[Script], last: str, knobs: Knobs) -> Plan:
    final = [script.final for script in scripts if script.final]
    right = carry_out(world, final)
    before, after = write_tables(world, right)
    messages = schedule(draw.stream("schedule"), scripts, last)
    places = {one: number for number, message in enumerate(messages, 1) for one in message.statements}
    missed = list(_missed(world, scripts, before, after, places))
    if _visible(_apart(world, before, final)) == _visible(after):
        raise PlanFailed("no two requests meet")
    speaker = Speaker(
        draw.stream("speech"), References(draw.stream("names"), world, bool(knobs.pointing)), scripts
    )
    ticket = speaker.text(messages)
    if any(text in ticket for text in _computed(before, after)):
        raise PlanFailed("a figure of the answer is in the ticket")
    facts = _facts(world, right, scripts, places)
    mistakes, guided = _mistakes(scripts), bool(knobs.guidance)
    return Plan(before, after, ticket, facts, mistakes, _readme(), guided, MOST_EDITS_READ, tuple(missed))


def _missed(
    world: World,
    scripts: Sequence[Script],
    before: Tables,
    after: Tables,
    places: Mapping[Statement, int],
) -> Iterator[Missed]:
    """Yield what can be missed, with the edits that are then made; PlanFailed if one changes nothing."""
    finals = [script.final for script in scripts]
    for number, script in enumerate(scripts):
        for one in script.missed:
            left = [*finals[:number], one.left, *finals[number + 1 :]]
            wrong = tables_of(carry_out(world, filter(None, left)))
            if _visible(wrong) == _visible(after):
                raise PlanFailed(f"missing {one.what} changes nothing")
            message = places[Statement(number, one.step)]
            yield Missed(f"{one.what}, message {message}", number + 1, diff(SCHEMA, before, wrong))


def _mistakes(scripts: Sequence[Script]) -> tuple[str, ...]:
    """Return the mistakes that can be made with these scripts."""
    shapes = {script.shape for script in scripts}
    made = [
        name
        for name, of in (
            ("corrections_missed", {CORRECTED}),
            ("withdrawals_missed", {WITHDRAWN}),
            ("reinstatements_missed", {REINSTATED}),
            ("rank_ignored", {OVERRULED, BARRED}),
        )
        if shapes & of
    ]
    if any(script.condition and not script.final for script in scripts):
        made.append("condition_ignored")
    return ("live_only", "baked_only", "requests_apart", "total_stale", "draft_filled", *made)


def _readme() -> str:
    return Path(__file__).with_name("thread_readme.md").read_text(encoding="utf-8")


def _apart(world: World, before: Tables, requests: Sequence[Request]) -> Tables:
    """Return the tables of somebody who carries out each request as if it were the only one."""
    edits: list[dict[str, Any]] = []
    for request in requests:
        edits += diff(SCHEMA, before, tables_of(carry_out(world, [request])))
    return apply_edits(SCHEMA, before, edits).tables


def _visible(tables: Tables) -> list[Any]:
    """Return the rows of the tables, in the order of their keys."""
    return [sorted(tables[table.name], key=table.key_of) for table in TABLES]


def _computed(before: Tables, after: Tables) -> Iterator[str]:
    """Yield the figures that an agent must work out."""
    for file, column in COMPUTED:
        for old, new in zip(before[file], after[file], strict=True):
            if old[column] != new[column] and new[column]:
                yield f"${new[column]}"


def _facts(
    world: World,
    right: World,
    scripts: Sequence[Script],
    places: Mapping[Statement, int],
) -> dict[str, Any]:
    """Return what `inspect` shows, as JSON data."""
    requests = [
        {
            "request": number,
            "kind": script.stated.kind,
            "record": f"{script.stated.record} {_name(world, script.stated)}".strip(),
            "what became of it": script.shape,
            "messages": [places[Statement(number - 1, step)] for step in range(len(script.steps))],
            "holds": script.final is not None,
            "values": dict(script.final.values if script.final else script.stated.values),
            "not paid": list(script.condition) if script.condition else [],
        }
        for number, script in enumerate(scripts, 1)
    ]
    return {"requests": requests, "effects": list(_effects(world, right, scripts))}


def _name(world: World, request: Request) -> str:
    """Return the name of the record that a request is about, or of the customer who has it."""
    if request.kind == MOVE:
        return world.customers[request.record].name
    if request.kind == PRICE:
        return world.plans[request.record].name.latest
    if request.kind == REBRAND:
        return world.addons[request.record].name.latest
    if request.record in world.subscriptions:
        return world.customers[world.subscriptions[request.record].customer.latest].name
    return ""


def _effects(world: World, right: World, scripts: Sequence[Script]) -> Iterator[dict[str, Any]]:
    """Yield each invoice that changes, with the requests that change it, in the order of their starts."""
    final = [script.final for script in scripts if script.final and script.final.kind != REBRAND]
    alone = {request.number: carry_out(world, [request]) for request in final}
    without = {
        request.number: carry_out(world, [other for other in final if other is not request])
        for request in final
    }
    for key in sorted(world.invoices):
        old, new = invoice_row(world, key), invoice_row(right, key)
        if old == new:
            continue
        made = [
            request
            for request in final
            if invoice_row(alone[request.number], key) != old
            or invoice_row(without[request.number], key) != new
        ]
        made.sort(key=lambda request: str(request.values.get(START, "")))
        yield {
            "invoice": key,
            "period": world.invoices[key].period,
            "requests": [request.number for request in made],
        }
