"""The two halves of a suite: what agents may see, and what only the judge may see."""

import os
from dataclasses import dataclass
from pathlib import Path

from trapcli.system.files import digest_of, listing, read_file

EXPECTED = "expected"  # the private half's directory, inside the public one unless it is kept elsewhere


@dataclass(frozen=True, slots=True)
class Halves:
    """Where a suite's halves are.

    public: the suite's directory.
    private: the directory with the answers, `public/expected` unless it is kept elsewhere.
    """

    public: Path
    private: Path

    @classmethod
    def of(cls, directory: Path, expected: Path | None = None) -> "Halves":
        """Return the halves of the suite in `directory`; `expected` is its private half if not inside it."""
        return cls(directory, directory / EXPECTED if expected is None else expected)

    @property
    def nested(self) -> bool:
        """Whether the private half is in its place inside the public one."""
        return os.path.realpath(self.private) == os.path.realpath(self.public / EXPECTED)

    def resolved(self) -> "Halves":
        """Return the halves as absolute paths without symbolic links."""
        public = Path(os.path.realpath(self.public))
        return Halves(public, public / EXPECTED if self.nested else Path(os.path.realpath(self.private)))

    def digest(self) -> str:
        """Return one digest of all paths and contents, the same wherever the private half is.

        Raises TrapError if a file cannot be read.
        """
        digests = _digests(self.private, f"{EXPECTED}/")
        for path, value in _digests(self.public, "").items():
            if not path.startswith(f"{EXPECTED}/"):
                digests[path] = value
        return digest_of(listing(digests).encode("utf-8", "surrogateescape"))


def _digests(root: Path, prefix: str) -> dict[str, str]:
    digests = {}
    for folder, _, names in os.walk(root):
        for name in names:
            path = Path(folder, name)
            digests[prefix + path.relative_to(root).as_posix()] = digest_of(read_file(path))
    return digests
