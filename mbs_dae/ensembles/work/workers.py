"""Run chunks in threads, in processes, or by any executor with the interface of `concurrent.futures`."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from functools import lru_cache
from multiprocessing import get_context
from typing import Any

import numpy as np

from ...errors import ModelError
from ..runs.chunk import Chunk, run_chunk
from ..runs.recipe import Recipe

OWN = ("threads", "processes")


def processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@lru_cache(maxsize=4)
def _recipe(sent: bytes) -> Recipe:
    """Return the recipe of a worker process, unpickled and compiled once for all its chunks."""
    return pickle.loads(sent)


def follow(sent: bytes, first: int, designs: np.ndarray) -> Chunk:
    """Run a chunk in another process."""
    return run_chunk(_recipe(sent), first, designs)


class Workers:
    """An executor, and how chunks are submitted to it."""

    def __init__(self, recipe: Recipe, executor: Any, workers: int, stopped: Callable[[], bool], tell: Callable):
        self.recipe, self.count, self.stopped, self.tell = recipe, workers, stopped, tell
        self.is_own = executor is None or executor in OWN
        self.of_threads = executor in (None, "threads") or isinstance(executor, ThreadPoolExecutor)
        self.sent = b"" if self.of_threads else _sent(recipe)
        self.executor: Executor = self._new() if self.is_own else executor

    def _new(self) -> Executor:
        if self.of_threads:
            return ThreadPoolExecutor(self.count, thread_name_prefix="ensemble")
        return ProcessPoolExecutor(self.count, mp_context=get_context("spawn"))

    @property
    def tells(self) -> bool:
        """Whether the workers report each member that is done."""
        return self.of_threads

    def submit(self, first: int, designs: np.ndarray) -> Future[Chunk]:
        if self.of_threads:
            return self.executor.submit(run_chunk, self.recipe, first, designs, self.stopped, self.tell)
        return self.executor.submit(follow, self.sent, first, designs)

    def renewed(self) -> None:
        """Replace an executor that died by a process of this package, one at a time, so that a member that kills its
        process harms nothing else."""
        self.close()
        self.sent = self.sent or _sent(self.recipe)
        self.is_own, self.of_threads = True, False
        self.executor = ProcessPoolExecutor(1, mp_context=get_context("spawn"))

    def close(self) -> None:
        if self.is_own:
            self.executor.shutdown(wait=self.of_threads, cancel_futures=True)


def _sent(recipe: Recipe) -> bytes:
    try:
        return pickle.dumps(recipe)
    except Exception as wrong:
        what = f"the study cannot be sent to other processes: {wrong}"
        raise ModelError(f"{what}; write its functions in a module, or leave executor= out for threads") from wrong


def checked_executor(given: Any) -> Any:
    if given is None or (isinstance(given, str) and given in OWN) or callable(getattr(given, "submit", None)):
        return given
    what = f"executor must be one of concurrent.futures (or dask's client.get_executor()), not {given!r}"
    raise ModelError(f'{what}; "processes" asks for processes of our own, and threads are usual')


def checked_workers(given: Any) -> int | None:
    if given is None:
        return None
    if isinstance(given, bool) or not isinstance(given, int | np.integer) or given < 1:
        raise ModelError(f"workers is {given!r}; give a whole number of at least 1, or leave it out for all processors")
    return int(given)
