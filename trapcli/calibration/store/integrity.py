"""Notice if what a run stored is changed while it goes on, which a solution that is not isolated can do.

What was stored is remembered in memory, where a solution cannot change it without changing this
process, and is compared once all processes of solutions have ended.
"""

from collections.abc import Sequence

from trapcli.calibration.execution.capture import is_intact
from trapcli.calibration.records import Run, Trial
from trapcli.calibration.store.encoding import trial_to_row
from trapcli.calibration.store.store import Incident, Store

BY = "after the trial had ended, by a solution or from outside"
CHANGED_OUTPUT = (
    f"its stored output was changed {BY}; the verdict is on what the solution left, if that was short or not "
    "changed yet"
)
CHANGED_ROW = f"its stored verdict, or what is stored with it, was changed {BY}"
REMOVED_ROW = f"it was removed from the database {BY}"
CHANGED_RUN = "the stored plan of the run was changed while it went on, by a solution or from outside"
CHANGES = (CHANGED_OUTPUT, CHANGED_ROW, REMOVED_ROW, CHANGED_RUN)


class StoreWatch:
    """What a run has stored, by trial; remembers hashes, not the rows."""

    def __init__(self, store: Store, run: Run) -> None:
        self._store, self._run = store, run
        self._plan = store.run_hash(run.number)
        self._trials = store.trial_hashes(run.number)

    def add(self, trials: Sequence[Trial]) -> None:
        """Remember trials that were just stored."""
        for trial in trials:
            self._trials[trial.suite, trial.case, trial.number] = hash(trial_to_row(trial))

    def changes(self) -> list[Incident]:
        """Return an incident for each trial that is not stored any more as it was."""
        store, run = self._store, self._run
        stored = store.trial_hashes(run.number)
        found: list[Incident] = []
        if store.run_hash(run.number) != self._plan:
            found.append((0, run.plan.suites[0].cases[0], 1, CHANGED_RUN))
        for key, remembered in self._trials.items():
            if key not in stored:
                found.append((*key, REMOVED_ROW))
            elif stored[key] != remembered:
                found.append((*key, CHANGED_ROW))
        known = {incident[:3] for incident in (*store.run(run.number).incidents, *found)}
        return [*found, *((*key, CHANGED_OUTPUT) for key in self._changed_outputs() if key not in known)]

    def _changed_outputs(self) -> list[tuple[int, str, int]]:
        found = []
        for trial in self._store.trials(self._run.number):
            stored = [one for one in (trial.stdout, trial.stderr, trial.files) if one.file]
            if not all(is_intact(self._store.output_path(self._run.number, one), one) for one in stored):
                found.append((trial.suite, trial.case, trial.number))
        return found
