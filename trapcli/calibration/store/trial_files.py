"""The files that a solution left, stored as one ZIP archive beside the raw outputs of its trial.

One archive is one write to sync, and the paths in it, which the solution chose, are never used as
paths on the disk. A person can look into it with any ZIP program. Its comment says, as JSON, what
was left out.
"""

import json
import os
from dataclasses import asdict
from io import BytesIO
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from trapcli.calibration.stored_output import KeptFiles
from trapcli.core.errors import TrapError
from trapcli.system.files import digest_of
from trapcli.system.ordinary_files import open_ordinary
from trapcli.system.output_files import LeftOut, OutputFiles

SUFFIX = ".files.zip"
LONGEST_COMMENT = 60_000  # bytes; the format allows 65,535


def store_files(path: Path, left: OutputFiles, *, judged: bool) -> KeptFiles:
    """Write files to a new archive, and return what is stored; if nothing was left, no archive is written.

    judged: whether the answer is read from them.

    On return the content is on the disk. Raises TrapError if it cannot be written.
    """
    if not left.files and not left.left_out:
        return KeptFiles()
    data = _archive(left)
    try:
        with open(path, "xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise TrapError(
            f"the files that the solution left cannot be stored: {path}: {error.strerror}. Make room on the "
            "disk, then continue with `trapcli calibrate --resume`."
        ) from error
    size, digest = len(data), digest_of(data)
    return KeptFiles(path.name, size, size, data[:2], digest, left.over_limit, judged)


def read_stored_files(path: Path, stored: KeptFiles) -> OutputFiles:
    """Return what is in a trial's archive; TrapError if it is missing or was changed.

    stored: what `store_files` returned.
    """
    try:
        with open_ordinary(path) as file:
            data = file.read(stored.kept + 1)
    except OSError:
        data = b""
    if digest_of(data) != stored.digest:
        raise TrapError(
            f"the stored files {path} are not what the solution left: the archive is missing or was changed."
        )
    with ZipFile(BytesIO(data)) as archive:
        files = {info.filename: archive.read(info) for info in archive.infolist()}
        left_out = tuple(LeftOut(**one) for one in json.loads(archive.comment or b"[]"))
    return OutputFiles(files, left_out, stored.over_limit)


def _archive(left: OutputFiles) -> bytes:
    buffer = BytesIO()
    with ZipFile(buffer, "w", ZIP_DEFLATED) as archive:
        for name in sorted(left.files):
            info = ZipInfo(name)  # without the time, so that equal files are equal archives
            info.external_attr = 0o644 << 16
            archive.writestr(info, left.files[name], ZIP_DEFLATED)
        archive.comment = _comment(left.left_out)
    return buffer.getvalue()


def _comment(left_out: tuple[LeftOut, ...]) -> bytes:
    """Return what was left out as JSON, as many as there is room for; none is an empty comment."""
    while left_out:
        text = json.dumps([asdict(one) for one in left_out]).encode()
        if len(text) <= LONGEST_COMMENT:
            return text
        left_out = left_out[: len(left_out) // 2]
    return b""
