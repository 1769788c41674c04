"""The environment variables of a solution's process."""

import json
import os
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from trapcli.core.errors import TrapError

MANIFEST = "TRAP_MANIFEST"
VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)

# Never for a solution: our own variables, and those that say where and by what we were started.
OURS = ("TRAPTASK_MANIFEST", "_TRAPCLI_COMPLETE", "OLDPWD", "_")
OUR_PREFIX = "TRAPCLI_"
CERTIFICATES = (
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "NODE_EXTRA_CA_CERTS",
)
HARMLESS = ("PATH", "LANG", "LANGUAGE", "TERM", "COLORTERM", "NO_COLOR", "TZ", *CERTIFICATES)
SET_BY_US = ("HOME", "TMPDIR", "PWD")
PRIVATE_TMP = "/tmp"  # an isolated trial has its own


@dataclass(frozen=True, slots=True)
class TrialDirectories:
    """The directories that belong to one trial.

    inputs: a copy of the case's public files.
    outputs: an empty directory for whatever the solution writes.
    home: an empty directory to use as HOME, or None to use the user's.
    """

    inputs: Path
    outputs: Path
    home: Path | None = None

    def manifest(self) -> str:
        """Return the JSON text from which a solution learns where its directories are."""
        return json.dumps({"inputs_dir": str(self.inputs), "outputs_dir": str(self.outputs)})


def trial_environment(
    directories: TrialDirectories,
    *,
    cwd: Path,
    manifest_envvar: str = MANIFEST,
    isolate: bool = False,
    allowed: Iterable[str] = (),
    environ: Mapping[str, str] = os.environ,
) -> dict[str, str]:
    """Return all variables of a trial's process.

    directories: the trial's; with a HOME of its own, no XDG_* variable leads back to the user's.
    cwd: where the process runs.
    manifest_envvar: the variable that gets the manifest.
    isolate: whether to drop every variable that is neither harmless nor in `allowed`.
    environ: our own variables.
    """
    names = {*allowed}
    env = passed_on(environ, isolate, names)
    if isolate:
        env["TMPDIR"] = PRIVATE_TMP
    if directories.home is not None:
        env = {name: value for name, value in env.items() if not name.startswith("XDG_") or name in names}
        env["HOME"] = str(directories.home)
    env.pop(MANIFEST, None)
    env["PWD"] = str(cwd)
    env[manifest_envvar] = directories.manifest()
    return env


def passed_on(environ: Mapping[str, str], isolate: bool, allowed: Iterable[str]) -> dict[str, str]:
    """Return the variables of ours that a solution gets, before those of its trial are set.

    isolate: whether to drop every variable that is neither harmless nor in `allowed`.
    """
    names, env = {*allowed}, without_ours(environ)
    if not isolate:
        return env
    return {name: value for name, value in env.items() if _is_harmless(name) or name in names}


def without_ours(environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the variables without our own, and without the manifest of a trial that we may run in."""
    return {
        name: value
        for name, value in environ.items()
        if name not in OURS and not name.startswith(OUR_PREFIX) and not _is_manifest(value)
    }


def refuse_unset(names: Iterable[str], environ: Mapping[str, str] = os.environ) -> None:
    """Raise TrapError if a name given with --env is not a variable that a solution can get."""
    for name in names:
        if not VARIABLE.fullmatch(name):
            raise TrapError(f"--env {name}: give only a variable's name; its value is taken from here.")
        if name in SET_BY_US or name in OURS or name.startswith(OUR_PREFIX):
            raise TrapError(f"--env {name}: trapcli sets or removes this variable in every trial.")
        if name not in environ:
            raise TrapError(f"--env {name}: this variable is not set. Set it, or leave the option out.")


def _is_harmless(name: str) -> bool:
    return name in HARMLESS or name.startswith("LC_")


def _is_manifest(value: str) -> bool:
    """Whether the value is a trial's manifest, whatever its variable is called."""
    if value.startswith("{") and '"inputs_dir"' in value:
        with suppress(ValueError, RecursionError):
            return isinstance(json.loads(value), dict)
    return False
