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

EXECUTORS = ("threads", "processes")


def processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@lru_cache(maxsize=4)
def _recipe(message: bytes) -> Recipe:
    """Return the recipe of a worker process, unpickled and compiled once for all its chunks."""
    return pickle.loads(message)


def follow(message: bytes, first: int, designs: np.ndarray) -> Chunk:
    """Run a chunk in another process."""
    return run_chunk(_recipe(message), first, designs)


class Workers:
    """An executor, and how chunks are submitted to it."""

    def __init__(self, recipe: Recipe, executor: Any, workers: int, stopped: Callable[[], bool], tell: Callable):
        self.recipe, self.count, self.stopped, self.tell = recipe, workers, stopped, tell
        self.is_own = executor is None or executor in EXECUTORS
        self.of_threads = executor in (None, "threads") or isinstance(executor, ThreadPoolExecutor)
        self.message = b"" if self.of_threads else _pickled(recipe)
        if not self.is_own:
            self.executor: Executor = executor
        elif self.of_threads:
            self.executor = ThreadPoolExecutor(self.count, thread_name_prefix="ensemble")
        else:
            self.executor = ProcessPoolExecutor(self.count, mp_context=get_context("spawn"))

    def submit(self, first: int, designs: np.ndarray) -> Future[Chunk]:
        if self.of_threads:
            return self.executor.submit(run_chunk, self.recipe, first, designs, self.stopped, self.tell)
        return self.executor.submit(follow, self.message, first, designs)

    def replace_executor(self) -> None:
        """Replace an executor that died by a process of this package, one at a time, so that a member that kills its
        process harms nothing else."""
        self.close()
        self.message = self.message or _pickled(self.recipe)
        self.is_own, self.of_threads = True, False
        self.executor = ProcessPoolExecutor(1, mp_context=get_context("spawn"))

    def close(self) -> None:
        if self.is_own:
            self.executor.shutdown(wait=self.of_threads, cancel_futures=True)


def _pickled(recipe: Recipe) -> bytes:
    try:
        return pickle.dumps(recipe)
    except Exception as error:
        what = f"the study cannot be sent to other processes: {error}"
        raise ModelError(
            f"{what}; write its functions in a module, or leave executor= out for threads",
            code="cannot-be-pickled", exception=type(error).__name__, reason=str(error),
        ) from error  # fmt: skip


def checked_executor(executor: Any) -> Any:
    if executor is None or (isinstance(executor, str) and executor in EXECUTORS):
        return executor
    if callable(getattr(executor, "submit", None)):
        return executor
    what = f"executor must be one of concurrent.futures (or dask's client.get_executor()), not {executor!r}"
    raise ModelError(
        f'{what}; "processes" asks for processes of our own, and threads are usual',
        code="wrong-type", argument="executor", value=executor, choices=EXECUTORS,
    )  # fmt: skip


def checked_workers(workers: Any) -> int | None:
    if workers is None:
        return None
    if isinstance(workers, bool) or not isinstance(workers, int | np.integer) or workers < 1:
        raise ModelError(
            f"workers is {workers!r}; give a whole number of at least 1, or leave it out for all processors",
            code="not-an-integer", argument="workers", value=workers, least=1,
        )  # fmt: skip
    return int(workers)
