"""The text of a thread: what each message says, in sentences of the phrase books."""

from collections.abc import Callable, Mapping, Sequence

from families.billing.threads.phrases import patterns
from families.billing.threads.references import References
from families.billing.threads.requests import (
    ADDON,
    CODE,
    FIXED,
    MOVE,
    PRICE,
    REBRAND,
    SHARE,
    START,
    TRANSFER,
    UPGRADE,
    Request,
)
from families.billing.threads.schedule import STAFF, Message
from families.billing.threads.scripts import (
    CORRECT,
    REINSTATE,
    STATE,
    SUPPLIED,
    SUPPLY,
    WITHDRAW,
    Script,
    Step,
)
from trapcli.core.draw import Draw
from trapcli.wording.grammar import expand

CHATTY = 0.5  # of the messages say something that asks for nothing
REASONED = 0.3  # of the requests come with a reason


class Speaker:
    """What turns the messages of a case into text."""

    def __init__(self, draw: Draw, references: References, scripts: Sequence[Script]) -> None:
        self.draw, self.references, self.scripts = draw, references, scripts
        self._chat = draw.stream("chat").shuffled(patterns("chat"))

    def text(self, messages: Sequence[Message]) -> str:
        """Return all threads as one Markdown text."""
        draw = self.draw
        given, family = draw.shuffled(patterns("given")), draw.shuffled(patterns("family"))
        people = [f"{one} {other}" for one, other in zip(given, family, strict=True)][: STAFF + 1]
        roles = ["controller", *draw.sample(patterns("role"), STAFF)]
        told = "; ".join(f"{name} ({role})" for name, role in zip(people, roles, strict=True))
        count = messages[-1].thread + 1
        titles, out, thread = draw.shuffled(patterns("title")), [], -1
        if count > 1:
            out += [f"# {count} threads", f"Taking part: {told}."]
        for number, message in enumerate(messages, 1):
            if message.thread != thread:
                thread = message.thread
                title = titles[thread % len(titles)]
                out.append(f"## Thread {thread + 1}: {title}" if count > 1 else f"# {title}")
                if count == 1:
                    out.append(f"Taking part: {told}.")
            out.append(f"### {number}. {people[message.writer]}, {self.references.day(message.day)}")
            out.append(self._body(message))
        return "\n\n".join(out) + "\n"

    def _body(self, message: Message) -> str:
        parts = []
        for statement in message.statements:
            script = self.scripts[statement.script]
            parts.append(self._statement(script, script.steps[statement.step]))
        if self.draw.chance(CHATTY):
            parts.insert(self.draw.between(0, len(parts)), self._idle())
        greeting = [self.draw.choice(patterns("greeting"))] if self.draw.chance(0.3) else []
        farewell = [self.draw.choice(patterns("farewell"))] if self.draw.chance(0.3) else []
        return "\n\n".join([*greeting, " ".join(parts), *farewell])

    def _idle(self) -> str:
        world = self.references.world
        self._chat = [*self._chat[1:], self._chat[0]]
        slots: Mapping[str, Callable[[], str]] = {
            "customer": lambda: world.customers[self.draw.choice(sorted(world.customers))].name,
            "plan": lambda: self.references.plan(self.draw.choice(sorted(world.plans))),
            "addon": lambda: self.references.addon(self.draw.choice(sorted(world.addons))),
            "code": lambda: self.draw.choice(sorted(world.codes)),
        }
        return _sentence(expand(self.draw, self._chat[-1], slots))

    def _statement(self, script: Script, step: Step) -> str:
        if step.form == STATE:
            told = self._say(_section(script.stated), script.stated, script.shape == SUPPLIED)
            if script.condition:
                told += " " + self._condition(script)
            elif self.draw.chance(REASONED):
                told += " " + _sentence(expand(self.draw, self.draw.choice(patterns("why")), {}))
            return told
        topic = self._topic(script.stated)
        if step.form in (WITHDRAW, REINSTATE):
            return self._say(step.form, topic=topic)
        kind = script.stated.kind
        day_or_month = "day" if kind in (MOVE, TRANSFER) else "month"
        section = f"field {step.field} {day_or_month}" if step.field == START else f"field {step.field}"
        slots = {"topic": topic, "field": self.draw.choice(patterns(section))}
        slots["new"] = self._value(step.field, step.new)
        if step.form == SUPPLY:
            return self._say(SUPPLY, None, False, **slots)
        assert step.form == CORRECT
        return self._say(CORRECT, None, False, old=self._value(step.field, step.old), **slots)

    def _condition(self, script: Script) -> str:
        assert script.condition
        period, key = script.condition.period, script.condition.subscription
        return self._say(
            "condition", month=self.references.month(period), sub=self.references.subscription(key)
        )

    def _topic(self, request: Request) -> str:
        """Return what a later message calls a request."""
        pattern = self.draw.choice(patterns(f"topic {request.kind}"))
        return expand(self.draw, pattern, self._slots(request))

    def _say(self, section: str, request: Request | None = None, is_open: bool = False, **slots: str) -> str:
        """Return a sentence of a section.

        is_open: whether the start of the request is left open.
        """
        pattern = self.draw.choice(patterns(section))
        own = self._slots(request, is_open) if request else {}
        return _sentence(expand(self.draw, pattern, {**own, **slots}))

    def _value(self, name: str, value: object) -> str:
        """Return the value of a field of a request."""
        say = self.references
        if name == START:
            return say.month(str(value)) if len(str(value)) == 7 else say.day(str(value))
        if name == "region":
            return say.region(str(value))
        assert isinstance(value, int)
        return say.percent(value) if name == "percent" else say.dollars(value)

    def _slots(self, request: Request, is_open: bool = False) -> dict[str, Callable[[], str]]:
        """Return what fills the slots of a statement about a request."""
        say, values, kind, record = self.references, request.values, request.kind, request.record
        slots: dict[str, Callable[[], str]] = {}
        if START in values:
            start = values[START]
            name = "month" if len(start) == 7 else "day"
            spelled = self.draw.choice(patterns(f"open {name}")) if is_open else self._value(START, start)
            slots[name] = lambda: spelled
            slots[f"from {name}"] = lambda: expand(
                self.draw, self.draw.choice(patterns(f"from {name}")), {name: spelled}
            )
        if kind == MOVE:
            slots |= {
                "customer": lambda: say.customer(record),
                "region": lambda: say.region(values["region"]),
            }
        elif kind == PRICE:
            slots |= {"plan": lambda: say.plan(record), "price": lambda: say.dollars(values["price"])}
        elif kind == REBRAND:
            slots |= {
                "addon": lambda: say.addon(record),
                "name": lambda: values["name"],
                "price": lambda: say.dollars(values["price"]),
            }
        elif kind == SHARE:
            slots |= {"code": lambda: say.code(record), "share": lambda: say.percent(values["percent"])}
        elif kind == FIXED:
            slots |= {"code": lambda: say.code(record), "amount": lambda: say.dollars(values["amount"])}
        else:
            slots |= self._subscription_slots(request)
        return slots

    def _subscription_slots(self, request: Request) -> dict[str, Callable[[], str]]:
        say, values = self.references, request.values
        slots: dict[str, Callable[[], str]] = {"sub": lambda: say.subscription(request.record)}
        if "newcomer" in values:
            slots |= {"newcomer": lambda: values["newcomer"], "region": lambda: say.region(values["region"])}
        elif request.kind == TRANSFER:
            slots["other"] = lambda: say.customer(values["customer"])
        elif request.kind == UPGRADE:
            slots |= {"plan": lambda: say.plan(values["plan"]), "code": lambda: say.code(values["code"])}
        elif request.kind == ADDON:
            slots["addon"] = lambda: say.addon(values["addon"])
        elif request.kind == CODE and values["code"]:
            slots["code"] = lambda: say.code(values["code"])
        return slots


def _section(request: Request) -> str:
    """Return the section whose patterns state a request."""
    if request.kind == TRANSFER:
        return "transfer new" if "newcomer" in request.values else "transfer known"
    if request.kind == ADDON:
        return "addon on" if request.values["added"] else "addon off"
    if request.kind == CODE:
        return "code on" if request.values["code"] else "code off"
    return request.kind


def _sentence(text: str) -> str:
    """Return sentences that begin with a capital."""
    return text[:1].upper() + text[1:]
