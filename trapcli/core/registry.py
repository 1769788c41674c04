"""Families by name. A family is imported, and its contract checked, when it is first asked for."""

import sys
from contextlib import redirect_stdout
from functools import lru_cache, reduce
from importlib import import_module
from typing import Any

from trapcli.core.contract import Family, Problem
from trapcli.core.errors import FamilyFault, TrapError, message_of
from trapcli.core.plugins.attributes import attribute_problems
from trapcli.core.plugins.declarations import GROUP as GROUP
from trapcli.core.plugins.declarations import Declaration, declarations, name_problem
from trapcli.core.shorten import listed, one_line, quoted

OURS = "trapsuite"  # the distribution whose families no other package can replace
SHOWN = 3  # problems of one family in an error

_sound: dict[str, Any] = {}  # name -> the object whose contract was checked


@lru_cache(maxsize=1)
def _scanned(path: tuple[str, ...]) -> tuple[Declaration, ...]:
    return tuple(declarations(path))


def _declarers(name: str) -> list[Declaration]:
    """Return who declares a family of this name; only we do if we do."""
    found = [one for one in _scanned(tuple(sys.path)) if one.name == name]
    return [one for one in found if one.package == OURS] or found


def _declared() -> dict[str, str]:
    """Return name -> "module:attribute" of every family whose name is allowed."""
    names = dict.fromkeys(one.name for one in _scanned(tuple(sys.path)) if not name_problem(one.name))
    return {name: _declarers(name)[0].value for name in names}


def names() -> list[str]:
    """Return the names of all installed families, sorted; none of them is imported."""
    return sorted(_declared())


def refused() -> list[Problem]:
    """Return the declarations that are not used: their names are not allowed, or belong to our families."""
    problems = []
    for one in _scanned(tuple(sys.path)):
        if why := name_problem(one.name):
            what = f"the package {one} declares a family {quoted(one.name)}, which cannot be used: {why}."
            problems.append(Problem(one_line(what), one_line(one.name, 40)))
        elif one not in (used := _declarers(one.name)) and used[0].package == OURS:
            what = (
                f"the packages {used[0]} and {one} both declare a family {one.name!r}; that of {OURS} is "
                f"used and cannot be replaced. Uninstall {one.package}, or ask its author for another name."
            )
            problems.append(Problem(what, f"{one.name} of {one.package}"))
    return problems


def usable() -> tuple[list[Family], list[Problem]]:
    """Return the installed families that load, and a problem for each other declaration."""
    families, problems = [], refused()
    for name in names():
        try:
            families.append(family(name))
        except TrapError as error:
            problems.append(Problem(str(error), name))
    return families, problems


def family(name: str) -> Family:
    """Return the family called `name`.

    Raises TrapError if there is none, and FamilyFault if two packages declare it, if it does not
    load, or if it breaks the contract.
    """
    value = _declared().get(name)
    if value is None:
        for problem in refused():
            if problem.where == name:
                raise FamilyFault(problem.message)
        raise TrapError(f"there is no family {quoted(name)}; installed: {', '.join(names()) or 'none'}.")
    declarers = _declarers(name)
    if len(declarers) > 1:
        packages = " and ".join(map(str, declarers))
        raise FamilyFault(
            f"the packages {packages} both declare a family {name!r}, and nothing says which one is meant. "
            "Uninstall one of them, or ask its author for another name."
        )
    package = f"package {declarers[0]}, " if declarers and declarers[0].value == value else ""
    found = _load(name, value, package)
    if name not in _sound or _sound[name] is not found:
        require_contract(found, f"{package}{value}", name)
        _sound[name] = found
    return found


def _load(name: str, value: str, package: str) -> Family:
    """Import a family. What its module prints goes to stderr, so that it does not get into a result."""
    module, _, attributes = value.partition(":")
    try:
        if module not in sys.modules:
            with redirect_stdout(sys.stderr):
                import_module(module)
        found: Family = reduce(getattr, attributes.split("."), import_module(module))
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # SystemExit too
        raise FamilyFault(
            f"family {name!r} ({package}{value}) does not load: {message_of(error)}. "
            "Reinstall or remove the package that declares it."
        ) from error
    return found


def require_contract(found: Any, where: str, name: str = "") -> None:
    """Raise FamilyFault, with the first problems, if an object is not a family.

    where: where it comes from.
    name: under which it was declared, if it was.
    """
    try:
        problems = list(attribute_problems(found))
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        problems = [f"to read an attribute raised {message_of(error)}"]
    if problems:
        shown = listed(problems, len(problems), SHOWN, "; ")
        raise FamilyFault(
            f"family {name or type(found).__name__!r} ({where}) breaks the contract: {shown}. "
            "`trapcli.testing.check_family` lists everything; until it is repaired, remove the package."
        )
    if name and found.name != name:
        raise FamilyFault(f"the plugin {where} calls itself {found.name!r}, not {name!r}.")
