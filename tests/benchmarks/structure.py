"""Measure the shape of a tree: folders, import circles, sizes of functions, words, and optionally tests.

    python tests/benchmarks/structure.py [ROOT] [--json] [--tests]

ROOT is a checkout (default: this one). The figures are read from the source text; nothing is
imported or run, so two commits can be measured with the same script. With --tests the suite of ROOT
is run as well, by the interpreter that runs this, and its wall-clock time and branch coverage are
measured. tests/test_structure.py holds the tree to the limits below.
"""

import argparse
import ast
import io
import json
import re
import subprocess
import sys
import tempfile
import time
import tokenize
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from statistics import mean, median

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from import_graph import PACKAGES, circles, imports, package_of, parse, sources, upward_imports

MOST_MODULES = 12  # in a folder, without its __init__.py
MOST_LINES = 50  # of a function

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

Function = ast.FunctionDef | ast.AsyncFunctionDef
Documented = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module


def folders(modules: Mapping[str, Path], root: Path) -> Counter[str]:
    """Return how many modules of its own each folder has; `__init__.py` does not count."""
    paths = [path for path in modules.values() if path.name != "__init__.py"]
    return Counter(path.parent.relative_to(root).as_posix() for path in paths)


def functions(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the length in lines and the name of each function, from `def` to its last line."""
    for node in ast.walk(tree):
        if isinstance(node, Function):
            yield (node.end_lineno or node.lineno) - node.lineno + 1, node.name


def long_functions(modules: Mapping[str, Path], most: int = MOST_LINES) -> list[tuple[int, str]]:
    """Return length and "module:function" of the functions with more than `most` lines, longest first."""
    found = (
        (length, f"{name}:{f}") for name, path in modules.items() for length, f in functions(parse(path))
    )
    return sorted(((length, name) for length, name in found if length > most), reverse=True)


def public_names(tree: ast.Module) -> int:
    """Return how many public functions and classes a module defines at its top."""
    types = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return sum(isinstance(node, types) and not node.name.startswith("_") for node in tree.body)


def public_parts(tree: ast.Module) -> Iterator[Documented]:
    """Yield what should have a docstring: the module, its public functions and classes, and their methods."""
    yield tree
    waiting: list[ast.stmt] = [*tree.body]
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, Function | ast.ClassDef) and not node.name.startswith("_"):
            yield node
            if isinstance(node, ast.ClassDef):
                waiting.extend(node.body)


def docstrings(trees: Iterable[ast.Module]) -> dict[str, float]:
    """Return the share of public parts with a docstring, and how many words these have on average."""
    texts = [ast.get_docstring(part) for tree in trees for part in public_parts(tree) if not _is_empty(part)]
    words = [len(text.split()) for text in texts if text]
    return {"coverage": round(len(words) / len(texts), 3), "mean_words": round(mean(words), 1)}


def _is_empty(part: Documented) -> bool:
    return isinstance(part, ast.Module) and not part.body


def statements(tree: ast.Module) -> int:
    """Return how many statements a module has, without docstrings."""
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.stmt)]
    return sum(not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)) for node in nodes)


def comment_share(paths: Iterable[Path]) -> float:
    """Return the share of lines that hold nothing but a comment."""
    lines = [line.strip() for path in paths for line in path.read_text(encoding="utf-8").splitlines()]
    return round(sum(line.startswith("#") for line in lines) / len(lines), 4)


def prose(path: Path) -> Iterator[str]:
    """Yield the comments, docstrings and other strings of a file; strings without a blank are left out."""
    for token in tokenize.generate_tokens(io.StringIO(path.read_text(encoding="utf-8")).readline):
        text = tokenize.tok_name[token.type] in ("COMMENT", "FSTRING_MIDDLE")
        if text or (token.type == tokenize.STRING and " " in token.string):
            yield token.string


def dialect(paths: Iterable[Path]) -> dict[str, int]:
    """Return how often each turn of phrase in `DIALECT` occurs in the prose of these files."""
    text = "\n".join(piece for path in paths for piece in prose(path))
    return {name: len(re.findall(pattern, text, re.IGNORECASE)) for name, pattern in DIALECT.items()}


def measure(root: Path) -> dict[str, object]:
    """Return all figures of a tree as JSON data."""
    modules = sources(root)
    trees = {name: parse(path) for name, path in modules.items()}
    graph, full = imports(modules), folders(modules, root)
    lines = [len(path.read_text(encoding="utf-8").splitlines()) for path in modules.values()]
    words = dialect([*modules.values()])
    internal = [len(targets) for targets in graph.values()]
    return {
        "files": len(modules),
        "median_lines": median(lines),
        "longest_file": max(lines),
        "folders": len(full),
        "fullest_folder": full.most_common(1)[0],
        "import_circles": circles(graph),
        "upward_imports": len(upward_imports(graph)),
        "internal_imports_mean": round(mean(internal), 2),
        "internal_imports_max": max(internal),
        "public_names_per_file": round(mean(map(public_names, trees.values())), 2),
        "statements": {
            package: sum(statements(tree) for name, tree in trees.items() if package_of(name) == package)
            for package in PACKAGES
        },
        "longest_function": long_functions(modules, most=0)[0],
        "comment_share": comment_share(modules.values()),
        "docstrings": docstrings(trees.values()),
        "dialect": {"total": sum(words.values()), **{k: v for k, v in words.items() if v}},
    }


def run_tests(root: Path) -> dict[str, object]:
    """Run the suite of a tree on two cores, without and with coverage; return JSON data."""
    began = time.perf_counter()
    closing = _pytest(root)
    seconds = time.perf_counter() - began
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch, "coverage.json")
        began = time.perf_counter()
        _pytest(
            root, *(f"--cov={package}" for package in PACKAGES), "--cov-branch", f"--cov-report=json:{report}"
        )
        totals = json.loads(report.read_text())["totals"]
    return {
        "tests": closing,
        "seconds": round(seconds, 1),
        "seconds_with_coverage": round(time.perf_counter() - began, 1),
        "line_coverage": round(totals["covered_lines"] / totals["num_statements"], 4),
        "branch_coverage": round(totals["covered_branches"] / totals["num_branches"], 4),
    }


def _pytest(root: Path, *words: str) -> str:
    """Run pytest in a tree and return its closing line."""
    command = [sys.executable, "-m", "pytest", "-q", "-n", "2", *words]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True)
    return next((line for line in reversed(done.stdout.splitlines()) if " in " in line), done.stderr)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("root", nargs="?", type=Path, default=Path(__file__).resolve().parents[2])
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--tests", action="store_true", help="also run the suite, twice (minutes)")
    options = parser.parse_args()
    figures = measure(options.root)
    if options.tests:
        figures["tests"] = run_tests(options.root)
    if options.json:
        print(json.dumps(figures, indent=2))
    else:
        for name, value in figures.items():
            print(f"{name.replace('_', ' '):<24} {value}")


if __name__ == "__main__":
    main()
