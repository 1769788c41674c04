"""What `trapcli calibrate` shows on stderr while it works: notes, and one progress bar at a time."""

from collections.abc import Callable
from contextlib import ExitStack

from trapcli.views.progress import TrialCounts, bar, note, trials_bar


class RunDisplay:
    """Shows what a session reports. A bar appears at the first report, as only one can be shown."""

    def __init__(self) -> None:
        self._bars = ExitStack()
        self._show_check: Callable[[int, int], None] | None = None
        self._show_trials: Callable[[TrialCounts], None] | None = None

    def __enter__(self) -> "RunDisplay":
        return self

    def __exit__(self, *exc: object) -> None:
        self._close_bars()

    def note(self, text: str) -> None:
        """Print a line."""
        self._close_bars()
        note(text)

    def self_check(self, done: int, total: int) -> None:
        """Show how many cases the self-check has judged."""
        if self._show_check is None:
            self._show_check = self._bars.enter_context(bar("self-check", total))
        self._show_check(done, total)

    def trials(self, counts: TrialCounts) -> None:
        """Show how many trials are done."""
        if self._show_trials is None:
            self._close_bars()
            self._show_trials = self._bars.enter_context(trials_bar())
        self._show_trials(counts)

    def _close_bars(self) -> None:
        self._bars.close()
        self._show_check = self._show_trials = None
