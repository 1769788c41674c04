"""Which module of a checkout imports which, read from the source text: circles, and imports that point up."""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from math import nan
from pathlib import Path

PACKAGES = ("trapcli", "families")
STRING_PATH = re.compile(r"((?:trapcli|families)(?:\.\w+)+)(?::\w+)?")

# The parts of trapcli from the bottom up. A part imports from itself and from the parts before it.
# The package itself is at the top: it hands on the public API, and nothing below may import it.
LAYERS = (
    "core", "system", "schemas", "wording", "answers", "suites", "judging", "building", "views",
    "calibration", "api", "testing", "commands", "cli", "__main__", "",
)  # fmt: skip
FOR_FAMILIES = ("trapcli.core", "trapcli.answers", "trapcli.wording")


def sources(root: Path, packages: Iterable[str] = PACKAGES) -> dict[str, Path]:
    """Return the modules of the packages below `root`: dotted name -> file, sorted by name."""
    found = {}
    for package in packages:
        for path in sorted((root / package).rglob("*.py")):
            parts = path.relative_to(root).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def parse(path: Path) -> ast.Module:
    """Return the syntax tree of a file."""
    return ast.parse(path.read_text(encoding="utf-8"))


def imports(modules: Mapping[str, Path]) -> dict[str, set[str]]:
    """Return which module imports which: at the top, inside functions, for type checkers, by a string path.

    A string such as "package.module:function" counts, because it is imported when it is used. A
    package that is imported only for a module inside it does not count as an import of the package.
    """
    return {name: set(_imported(name, path, modules)) - {name} for name, path in modules.items()}


def _imported(name: str, path: Path, modules: Mapping[str, Path]) -> Iterator[str]:
    for node in ast.walk(parse(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)
        elif isinstance(node, ast.ImportFrom):
            package = _absolute(node, name, path)
            for alias in node.names:
                yield from _nearest(f"{package}.{alias.name}", modules)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            match = STRING_PATH.fullmatch(node.value)
            yield from (found for found in _nearest(match[1] if match else "", modules) if "." in found)


def _absolute(node: ast.ImportFrom, name: str, path: Path) -> str:
    """Return the full name of what `from ... import` names; `level` dots count from the module's package."""
    if not node.level:
        return node.module or ""
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    parents = package[: len(package) - node.level + 1]
    return ".".join([*parents, *([node.module] if node.module else [])])


def _nearest(name: str, modules: Mapping[str, Path]) -> Iterator[str]:
    """Yield the module of this name, or the one of which it is an attribute."""
    for candidate in (name, name.rpartition(".")[0]):
        if candidate in modules:
            yield candidate
            return


def circles(graph: Mapping[str, set[str]]) -> list[list[str]]:
    """Return the sets of modules that import each other in a loop (Tarjan 1972), largest first."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in sorted(graph[node]):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            at = stack.index(node)
            component, stack[at:] = stack[at:], []
            if len(component) > 1:
                found.append(sorted(component))

    for node in graph:
        if node not in index:
            visit(node)
    return sorted(found, key=lambda members: (-len(members), members))


def upward_imports(graph: Mapping[str, set[str]]) -> list[tuple[str, str]]:
    """Return the imports that `LAYERS` and `FOR_FAMILIES` forbid, as (importer, imported)."""
    return [(name, other) for name in sorted(graph) for other in sorted(graph[name]) if _is_up(name, other)]


def _is_up(name: str, other: str) -> bool:
    if package_of(other) != "trapcli":
        return package_of(name) == "trapcli"  # the core names no family
    if package_of(name) == "families":
        return not f"{other}.".startswith(tuple(f"{allowed}." for allowed in FOR_FAMILIES))
    return not _height(other) <= _height(name)


def package_of(name: str) -> str:
    """Return the top-level package of a module."""
    return name.partition(".")[0]


def _height(name: str) -> float:
    part = f"{name}.".split(".")[1]
    return LAYERS.index(part) if part in LAYERS else nan  # of a part that is not listed, nothing is known
