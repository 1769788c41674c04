"""Mutation testing: change one thing in a module at a time, and list the changes that no test notices.

    python tests/fuzzing/mutation.py trapcli/core/money.py tests/core/test_money.py
    python tests/fuzzing/mutation.py families/ledger/domain/settlement.py tests/families/ledger/domain \\
        --lines 55-115

Each mutant is tried in a forked process, where an import hook hands out the changed module: no file is
changed. So what tests do in processes of their own meets the module as it is. A surviving mutant is a
missing test, or a change that means the same.
"""

import argparse
import ast
import importlib.abc
import importlib.util
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[2]
LIMIT = 60  # seconds for the tests of one mutant; one that takes longer counts as noticed
OPTIONS = ("-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist")
HEAVY = (
    "pytest",
    "hypothesis",
    "numpy",
    "scipy.stats",
    "statsmodels.stats.api",
)  # loaded once, before the forks

OPERATORS: dict[type[ast.AST], Sequence[type[ast.AST]]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Div,),
    ast.Div: (ast.Mult,),
    ast.FloorDiv: (ast.Div,),
    ast.Mod: (ast.Mult,),
    ast.Pow: (ast.Mult,),
    ast.BitOr: (ast.BitAnd,),
    ast.BitAnd: (ast.BitOr,),
    ast.And: (ast.Or,),
    ast.Or: (ast.And,),
}
NAMES = {"min": "max", "max": "min", "any": "all", "all": "any"}
PARTS = ("annotation", "returns", "decorator_list", "type_params")  # of a node: not what it does

Change = tuple[ast.AST, str, object, object]  # a node, its attribute, the value now, the value of the mutant


def changes(tree: ast.AST) -> Iterator[Change]:
    """Yield every change to try, outside of annotations, docstrings and messages."""
    for name, value in ast.iter_fields(tree):
        if name in PARTS:
            continue
        for place, child in enumerate(value if isinstance(value, list) else [value]):
            if not isinstance(child, ast.AST) or isinstance(child, ast.JoinedStr) or _is_idle(child):
                continue
            for mutant in _mutants(child):
                whole = isinstance(value, list)
                yield tree, name, value, [*value[:place], mutant, *value[place + 1 :]] if whole else mutant
            yield from changes(child)


def _is_idle(node: ast.AST) -> bool:
    """Return whether the node is a docstring, or is only for type checkers."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def _mutants(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what may stand in a node's place."""
    yield from (other() for other in OPERATORS.get(type(node), ()))
    match node:
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(value=int(value) | float(value)):
            yield ast.Constant(value + 1)
        case ast.Constant(value=str(value)):
            yield ast.Constant(f"{value}X")
        case ast.Name(id=name) if name in NAMES:
            yield ast.Name(NAMES[name], ast.Load())
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
            yield operand
        case ast.Return(value=ast.AST() as value) if not _is_none(value):
            yield ast.Return(ast.Constant(None))
        case ast.If() | ast.While() | ast.IfExp():
            negated = {**dict(ast.iter_fields(node)), "test": ast.UnaryOp(ast.Not(), node.test)}
            yield type(node)(**negated)
        case ast.comprehension(ifs=[_, *_]):
            yield ast.comprehension(node.target, node.iter, [], node.is_async)
        case ast.Expr(value=ast.Call()) | ast.AugAssign() | ast.Break() | ast.Continue():
            yield ast.Pass()


def _is_none(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def mutants(source: str, first: int, last: int) -> Iterator[tuple[int, str, str, str]]:
    """Yield (line, text before, text after, whole source after) for each change between two lines."""
    tree = ast.parse(source)
    for node, name, now, then in list(changes(tree)):
        line = next((n.lineno for n in (node, *_nodes(now)) if hasattr(n, "lineno")), 0)
        if not first <= line <= last:
            continue
        before = _shown(node)
        setattr(node, name, then)
        ast.fix_missing_locations(tree)
        yield line, before, _shown(node), ast.unparse(tree)
        setattr(node, name, now)


def _nodes(value: object) -> list[ast.AST]:
    return [one for one in (value if isinstance(value, list) else [value]) if isinstance(one, ast.AST)]


def _shown(node: ast.AST) -> str:
    """Return a node as source, short enough for a line: what differs is what matters."""
    return " ".join(ast.unparse(node).split())


def _difference(before: str, after: str) -> str:
    start = next((i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), 0)
    return f"{before[max(0, start - 40) : start + 40]}  ->  {after[max(0, start - 40) : start + 40]}"


class Changed(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Hands out a module with other source."""

    def __init__(self, name: str, path: Path, source: str) -> None:
        self.name, self.path, self.source = name, path, source

    def find_spec(self, name: str, path: object, target: object = None) -> object:
        found = importlib.util.spec_from_file_location(name, self.path, loader=self)  # type: ignore[arg-type]
        return found if name == self.name else None

    def exec_module(self, module: ModuleType) -> None:
        exec(compile(self.source, self.path, "exec"), module.__dict__)


def is_noticed(path: Path, source: str, options: Sequence[str]) -> bool:
    """Return whether a test fails with this source in the module's place."""

    def work() -> int:
        import pytest

        name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        sys.meta_path.insert(0, Changed(name, path, source))  # type: ignore[arg-type]
        return int(pytest.main([*OPTIONS, *options]))

    return _in_child(work) != 0


def _in_child(work: Callable[[], int]) -> int:
    """Do the work in a forked process that says nothing; return its exit code, or minus its signal."""
    child = os.fork()
    if child == 0:
        code = 3
        try:
            os.setpgid(0, 0)
            signal.alarm(LIMIT)
            nowhere = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(nowhere, stream)
            code = work()
        finally:
            os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)  # what the tests of a mutant left
    return code


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("module", help="the file to change")
    parser.add_argument("tests", nargs="+", help="the tests that should notice")
    parser.add_argument("--lines", default="1-1000000", help="change only these lines, such as 55-115")
    parser.add_argument("--marker", default="fast", help="the tests to run, such as 'fast or slow'")
    given = parser.parse_args()
    options = ["-m", given.marker, *given.tests]
    first, last = map(int, given.lines.split("-"))
    path = Path(given.module).resolve()
    source = path.read_text()
    os.chdir(ROOT)
    for name in HEAVY:
        importlib.import_module(name)
    if is_noticed(path, ast.unparse(ast.parse(source)), options):
        print("the tests fail without any change")
        return 2
    began, tried, survived = time.monotonic(), 0, 0
    for line, before, after, changed in mutants(source, first, last):
        tried += 1
        if not is_noticed(path, changed, options):
            survived += 1
            print(f"{given.module}:{line}: {_difference(before, after)}", flush=True)
    seconds = time.monotonic() - began
    print(f"{given.module}: {tried} mutants, {tried - survived} noticed, {survived} not, {seconds:.0f} s")
    return 1 if survived else 0


if __name__ == "__main__":
    sys.exit(main())
