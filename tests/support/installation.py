"""A real installation of the checkout, made without the network, for tests and benchmarks."""

import shutil
import site
import subprocess
import sys
from pathlib import Path

from checkout import ROOT

# Lets coverage measure the installed program, too; does nothing when coverage does not run.
MEASURE = 'import os; os.getenv("COVERAGE_PROCESS_CONFIG") and __import__("coverage").process_startup()'


def build_wheel(source: Path, out: Path, root: Path = ROOT) -> Path:
    """Return a wheel in the directory `out`, built from a copy of the checkout `root` in `source`."""
    for name in ("trapcli", "families"):
        shutil.copytree(root / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "setup.cfg", "README.md", "LICENSE"):
        shutil.copy(root / name, source)
    _python("-m", "build", "--wheel", "--no-isolation", "--outdir", out, source)
    return next(out.glob("*.whl"))


def install(wheel: Path, home: Path) -> Path:
    """Install a wheel in a new virtual environment `home`, and return the program `trapcli` in it.

    The dependencies are those of the running interpreter, through a .pth file. The checkout cannot
    be imported from there, even if that interpreter has it installed in editable mode.
    """
    _python("-m", "venv", "--without-pip", home)
    _python(
        "-m", "pip", "--python", home / "bin" / "python", "install", "-q", "--no-deps", "--no-index", wheel
    )
    packages = next(home.glob("lib/python*/site-packages"))
    paths = [*site.getsitepackages(), *([site.getusersitepackages()] if site.ENABLE_USER_SITE else [])]
    (packages / "dependencies.pth").write_text("".join(f"{line}\n" for line in (*paths, MEASURE)))
    return home / "bin" / "trapcli"


def _python(*args: object) -> None:
    done = subprocess.run([sys.executable, *map(str, args)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
