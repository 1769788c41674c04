"""The files that an agent left, stored as one ZIP archive beside the raw outputs of its trial.

One archive is one write to sync, and the paths in it, which the agent chose, are never used as paths
on the disk. A person can look into it with any ZIP program.
"""

import os
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from trapcli.calibration.stored_output import Stream
from trapcli.core.errors import TrapError
from trapcli.system.files import digest_of

SUFFIX = ".files.zip"


def store_files(path: Path, files: Mapping[str, bytes]) -> Stream:
    """Write files to a new archive, and return what is stored; without files no archive is written.

    files: relative POSIX path -> bytes.

    On return the content is on the disk. Raises TrapError if it cannot be written.
    """
    if not files:
        return Stream()
    data = _archive(files)
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
    return Stream(path.name, len(data), len(data), data[:2], digest_of(data))


def read_stored_files(path: Path, stored: Stream) -> dict[str, bytes]:
    """Return the files in a trial's archive; TrapError if it is missing or was changed.

    stored: what `store_files` returned.
    """
    try:
        data = path.read_bytes() if path.is_file() else b""
    except OSError as error:
        raise TrapError(f"the stored files {path} cannot be read: {error.strerror}.") from error
    if digest_of(data) != stored.digest:
        raise TrapError(
            f"the stored files {path} are not what the solution left: the archive is missing or was changed."
        )
    with ZipFile(BytesIO(data)) as archive:
        return {info.filename: archive.read(info) for info in archive.infolist()}


def _archive(files: Mapping[str, bytes]) -> bytes:
    buffer = BytesIO()
    with ZipFile(buffer, "w", ZIP_DEFLATED) as archive:
        for name in sorted(files):
            info = ZipInfo(name)  # without the time, so that equal files are equal archives
            info.external_attr = 0o644 << 16
            archive.writestr(info, files[name], ZIP_DEFLATED)
    return buffer.getvalue()
