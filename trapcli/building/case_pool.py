"""Build the cases of a suite and write them, in this process or in several."""

import multiprocessing
import os
import threading
from collections import deque
from collections.abc import Generator
from dataclasses import replace

from trapcli.building.case_builder import build_case
from trapcli.core import registry
from trapcli.core.case_ids import case_ids
from trapcli.core.contract import Family
from trapcli.core.errors import TrapError
from trapcli.core.knobs import knob_values, parse_knobs
from trapcli.core.recipe import Recipe
from trapcli.suites.halves import Halves
from trapcli.suites.writer import WrittenCase, write_case
from trapcli.system.signals import children_ignore_interrupt

AHEAD = 4  # cases that wait for each worker: enough to keep it busy, few enough to hold in memory


def build_cases(
    family: Family, recipe: Recipe, stage: Halves, jobs: int
) -> Generator[tuple[str, WrittenCase]]:
    """Build and write the cases of a recipe; yield each one's id and digests, in order.

    stage: the suite's halves while it is built.
    jobs: how many processes; 1: this one.
    """
    ids = case_ids(recipe.count)
    if jobs == 1 or recipe.count == 1:
        for k, case_id in enumerate(ids):
            yield case_id, _build_one(family, recipe, k, case_id, stage)
        return
    from concurrent.futures import Future, ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    others = set(multiprocessing.active_children())
    # Spawned, not forked: the same on every system, and safe beside threads.
    spawn = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(min(jobs, recipe.count), mp_context=spawn, initializer=_end_with_parent)
    waiting: deque[tuple[str, Future[WrittenCase]]] = deque()
    try:
        for k, case_id in enumerate(ids):
            with children_ignore_interrupt():
                waiting.append((case_id, pool.submit(_build_by_name, recipe, k, case_id, stage)))
            if len(waiting) > AHEAD * jobs:
                case_id, future = waiting.popleft()
                yield case_id, future.result()
        for case_id, future in waiting:
            yield case_id, future.result()
    except BrokenProcessPool as error:
        raise TrapError(
            "a process that built cases was killed, perhaps because memory ran out. "
            "Build with fewer --jobs, or smaller cases."
        ) from error
    except BaseException:
        for child in set(multiprocessing.active_children()) - others:
            child.kill()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _build_by_name(recipe: Recipe, k: int, case_id: str, stage: Halves) -> WrittenCase:
    return _build_one(registry.family(recipe.family), recipe, k, case_id, stage)


def _build_one(family: Family, recipe: Recipe, k: int, case_id: str, stage: Halves) -> WrittenCase:
    built = build_case(family, recipe.seed, parse_knobs(family, recipe.knobs), k)
    case = replace(built.case, id=case_id)
    return write_case(
        stage, recipe, case, index=built.index, attempts=built.attempts, knobs=knob_values(built.knobs)
    )


def _end_with_parent() -> None:
    """End this worker when the build ends, even if that is killed."""
    threading.Thread(target=_await_parent, daemon=True).start()


def _await_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
