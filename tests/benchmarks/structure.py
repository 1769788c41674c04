"""Measure the shape of a tree: folders, import circles, sizes of functions, words, and optionally tests.

    python tests/benchmarks/structure.py [ROOT] [--json]

ROOT is a checkout (default: this one). The figures are read from the source text; nothing is
imported or run, so two commits can be measured with the same script.
"""

import argparse
import ast
import io
import json
import re
import tokenize
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from statistics import mean, median

PACKAGES = ("trapcli", "families")
STRING_PATH = re.compile(r"((?:trapcli|families)(?:\.\w+)+)(?::\w+)?")

# Words and turns of phrase that design notes called dialect: a native technical writer would not
# use them in this sense. Each pattern is searched for in docstrings, comments and other strings.
DIALECT = {
    "is no X": r"\b(?:is|are|was) no (?!longer|more\b|less\b|such)[a-z]",
    "told, tells": r"\b(?:told|tells?)\b",
    "stands": r"\b(?:stands?|stood|standing)\b",
    "meant": r"\b(?:is|are) meant\b",
    "so many": r"\bso (?:many|long|few)\b",
    "anew": r"\banew\b",
    "but for": r"\bbut for\b",
    "mend": r"\bmend(?:s|ed|ing)?\b",
    "bears": r"\bbears?\b",
    "beware": r"\bbeware\b",
    "slip": r"\bslips?\b",
    "rung, ladder": r"\b(?:rungs?|ladders?)\b",
    "mechanism": r"\bmechanisms?\b",
    "keeper, nursery": r"\b(?:keepers?|nursery|beget|bury)\b",
    "instrument": r"\binstruments?\b",
    "caution": r"\bcautions?\b",
    "sketch": r"\bsketch(?:es)?\b",
    "told apart": r"\btold apart\b",
}


def sources(root: Path, packages: Iterable[str] = PACKAGES) -> dict[str, Path]:
    """The modules of the packages below `root`: dotted name -> file, sorted by name."""
    found = {}
    for package in packages:
        for path in sorted((root / package).rglob("*.py")):
            parts = path.relative_to(root).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(modules: Mapping[str, Path]) -> dict[str, set[str]]:
    """Which module imports which, at the top, inside functions, for type checkers or by a string path.

    A string such as "package.module:function" counts, because it is imported when it is used. A
    package that is imported only for a module inside it is not an import of the package itself.
    """
    return {name: set(_imported(name, path, modules)) - {name} for name, path in modules.items()}


def _imported(name: str, path: Path, modules: Mapping[str, Path]) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                if inner in modules:
                    yield inner
                elif node.module in modules:
                    yield node.module
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            match = STRING_PATH.fullmatch(node.value)
            if match and match[1] in modules:
                yield match[1]


def circles(graph: Mapping[str, set[str]]) -> list[list[str]]:
    """The sets of modules that import each other in a loop (Tarjan 1972), largest first."""
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


def folders(modules: Mapping[str, Path], root: Path) -> Counter[str]:
    """How many modules of its own each folder has; `__init__.py` is not counted."""
    paths = [path for path in modules.values() if path.name != "__init__.py"]
    return Counter(path.parent.relative_to(root).as_posix() for path in paths)


def public_names(tree: ast.Module) -> int:
    """The public functions and classes that a module defines at its top."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return sum(isinstance(node, kinds) and not node.name.startswith("_") for node in tree.body)


def statements(tree: ast.Module) -> int:
    """The statements of a module, without docstrings."""
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.stmt)]
    return sum(not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)) for node in nodes)


def functions(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """The length in lines and the name of each function, from `def` to its last line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield (node.end_lineno or node.lineno) - node.lineno + 1, node.name


def prose(path: Path) -> Iterator[str]:
    """The comments and strings of a file, docstrings among them; strings without a blank are left out."""
    for token in tokenize.generate_tokens(io.StringIO(path.read_text(encoding="utf-8")).readline):
        text = tokenize.tok_name[token.type] in ("COMMENT", "FSTRING_MIDDLE")
        if text or (token.type == tokenize.STRING and " " in token.string):
            yield token.string


def dialect(paths: Iterable[Path]) -> dict[str, int]:
    """How often each turn of phrase in `DIALECT` occurs in the prose of these files."""
    text = "\n".join(piece for path in paths for piece in prose(path))
    return {name: len(re.findall(pattern, text, re.IGNORECASE)) for name, pattern in DIALECT.items()}


def measure(root: Path) -> dict[str, object]:
    """All figures of a tree as JSON data."""
    modules = sources(root)
    trees = {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in modules.items()}
    graph, full = imports(modules), folders(modules, root)
    fullest, most = full.most_common(1)[0]
    longest, where = max(
        (length, f"{name}:{f}") for name, tree in trees.items() for length, f in functions(tree)
    )
    lines = [len(path.read_text(encoding="utf-8").splitlines()) for path in modules.values()]
    words = dialect([*modules.values()])
    internal = [len(targets) for targets in graph.values()]
    return {
        "files": len(modules),
        "median_lines": median(lines),
        "longest_file": max(lines),
        "folders": len(full),
        "fullest_folder": [fullest, most],
        "import_circles": circles(graph),
        "internal_imports_mean": round(mean(internal), 2),
        "internal_imports_max": max(internal),
        "public_names_per_file": round(mean(map(public_names, trees.values())), 2),
        "statements": {
            package: sum(statements(tree) for name, tree in trees.items() if name.split(".")[0] == package)
            for package in PACKAGES
        },
        "longest_function": [where, longest],
        "dialect": {"total": sum(words.values()), **{k: v for k, v in words.items() if v}},
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("root", nargs="?", type=Path, default=Path(__file__).resolve().parents[2])
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    figures = measure(options.root)
    if options.json:
        print(json.dumps(figures, indent=2))
    else:
        for name, value in figures.items():
            print(f"{name.replace('_', ' '):<24} {value}")


if __name__ == "__main__":
    main()
