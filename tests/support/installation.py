"""A real installation of the checkout, made without the network, for tests and benchmarks."""

import shutil
import site
import subprocess
import sys
from pathlib import Path

from checkout import ROOT


def build_wheel(source: Path, out: Path) -> Path:
    """A wheel of the checkout in `out`, built from a copy of it in `source`."""
    for name in ("trapcli", "families"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "setup.cfg", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    _python("-m", "build", "--wheel", "--no-isolation", "--outdir", out, source)
    return next(out.glob("*.whl"))


def install(wheel: Path, home: Path) -> Path:
    """The program `trapcli` as pip installs it, in a new virtual environment `home`.

    The dependencies are those of the running interpreter, through a .pth file. Nothing
    of the checkout is to be seen from there, even if that interpreter has it installed
    in editable mode.
    """
    _python("-m", "venv", "--without-pip", home)
    _python(
        "-m", "pip", "--python", home / "bin" / "python", "install", "-q", "--no-deps", "--no-index", wheel
    )
    packages = next(home.glob("lib/python*/site-packages"))
    ours = [*site.getsitepackages(), *([site.getusersitepackages()] if site.ENABLE_USER_SITE else [])]
    (packages / "dependencies.pth").write_text("".join(f"{path}\n" for path in ours))
    return home / "bin" / "trapcli"


def _python(*args: object) -> None:
    done = subprocess.run([sys.executable, *map(str, args)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
