"""Families by name, found through the entry-point group `trapcli.families`."""

from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points

from trapcli.contract import Family
from trapcli.errors import TrapError

GROUP = "trapcli.families"


@lru_cache(maxsize=1)
def _declared() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=GROUP)}


def names() -> list[str]:
    """The names of all installed families, sorted; none of them is imported."""
    return sorted(_declared())


def family(name: str) -> Family:
    """The family called `name`; TrapError if none is, or if its plugin does not load."""
    point = _declared().get(name)
    if point is None:
        raise TrapError(f"there is no family {name!r}; installed: {', '.join(names()) or 'none'}.")
    try:
        found: Family = point.load()
    except Exception as error:
        raise TrapError(
            f"family {name!r} ({point.value}) does not load: {type(error).__name__}: {error}. "
            "Reinstall or remove the package that declares it."
        ) from error
    if getattr(found, "name", None) != name:
        other = getattr(found, "name", None)
        raise TrapError(f"the plugin {point.value} calls itself {other!r}, not {name!r}.")
    return found
