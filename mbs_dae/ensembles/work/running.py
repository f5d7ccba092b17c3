"""Run a study chunk by chunk: submit chunks to workers, store finished ones, and run lost ones again.

A chunk whose worker dies is run once more, alone, in a process of this package; if it is lost again, its members are
failures. Hence a member that kills its process costs its own chunk and no other."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Future, wait
from contextlib import suppress
from typing import Any

import numpy as np

from ...errors import ModelError
from ..runs.chunk import FAILED, UNDONE, Chunk, Failure, run_chunk
from ..runs.recipe import Recipe
from .store import Store
from .workers import Workers

SECONDS = 0.1
"""The time between two reports of progress, during which Ctrl-C is noticed [s]."""
LAST = 10.0
"""The time that a dead executor may still spend on the chunks it has begun [s]."""


class Study:
    """The chunks of a study: those that wait, those under way, and those that were lost once."""

    def __init__(self, recipe: Recipe, designs: np.ndarray, store: Store, progress: Callable[[int, int], Any]):
        self.recipe, self.designs, self.store, self.progress = recipe, designs, store, progress
        self.waiting, self.lost = deque(store.missing()), deque[int]()
        self.resubmitted: set[int] = set()
        self.underway: dict[Future[Chunk], int] = {}
        self.stopped, self.messages = False, list[str]()
        self.ahead, self._lock = 0, threading.Lock()

    def stop(self) -> None:
        """Begin no more members. The method takes no lock, because a signal handler calls it."""
        self.stopped = True

    def is_stopped(self) -> bool:
        return self.stopped

    def tell(self, count: int) -> None:
        """Add to the count of members that are done in chunks under way."""
        with self._lock:
            self.ahead += count

    def report(self) -> None:
        """Report progress: the number of members that are done, and that of all."""
        done = int((self.store.state != UNDONE).sum())
        self.progress(min(done + self.ahead, len(self.designs)), len(self.designs))

    def rows(self, first: int) -> np.ndarray:
        """Return the numbers of the chunk that begins with this member, shape (members, names)."""
        return self.designs[first : first + self.store.size]

    def designs_of(self, first: int) -> list[dict[str, float]]:
        return [dict(zip(self.recipe.names, row.tolist(), strict=True)) for row in self.rows(first)]

    # --- here -----------------------------------------------------------------------------------------------

    def run_here(self) -> None:
        """Run all waiting chunks in this thread."""

        def tell(count: int) -> None:
            self.tell(count)
            self.report()

        while self.waiting and not self.stopped:
            first = self.waiting.popleft()
            try:
                chunk = run_chunk(self.recipe, first, self.rows(first), self.is_stopped, tell)
            except KeyboardInterrupt:
                self.stop()
                break
            if not chunk.is_complete:
                self.stop()
            self.save(chunk)

    # --- by workers -----------------------------------------------------------------------------------------

    def run_by(self, workers: Workers) -> None:
        try:
            while (self.waiting or self.lost or self.underway) and not self.stopped:
                self.submit(workers)
                self.collect(workers)
        except KeyboardInterrupt:
            self.stop()
        finally:
            self.finish(workers)

    def submit(self, workers: Workers) -> None:
        """Submit as many chunks as keep the workers busy; a chunk that was lost runs alone."""
        alone = bool(self.lost)
        room = 1 if alone or workers.of_threads is False and workers.count == 1 else 2 * workers.count
        source = self.lost if alone else self.waiting
        while source and len(self.underway) < room and not (alone and self.underway):
            first = source.popleft()
            try:
                self.underway[workers.submit(first, self.rows(first))] = first
            except Exception as error:  # after any error of a user's executor, it takes no more chunks
                source.appendleft(first)
                self.replace_executor(workers, error)
                return

    def collect(self, workers: Workers) -> None:
        """Store the chunks that were finished in the meantime, and put lost ones back."""
        done, _ = wait(self.underway, timeout=SECONDS, return_when=FIRST_COMPLETED)
        broken: BaseException | None = None
        for future in done:
            first = self.underway.pop(future)
            if (error := CancelledError() if future.cancelled() else future.exception()) is None:
                self.save(future.result())
                continue
            self.put_back(first, error)
            broken = error if isinstance(error, BrokenExecutor) else broken
        if broken is not None:
            self.replace_executor(workers, broken)
        self.report()

    def put_back(self, first: int, error: BaseException) -> None:
        """Put a chunk that gave no result back to run once more, or store it as failed if it was lost before."""
        if first not in self.resubmitted:
            self.resubmitted.add(first)
            self.lost.append(first)
            return
        self.save(self.failed_chunk(first, f"its worker was lost twice: {str(error) or type(error).__name__}"))

    def replace_executor(self, workers: Workers, error: BaseException) -> None:
        """Wait for the chunks that a dead executor has begun, store the finished ones, and replace the executor."""
        wait(self.underway, timeout=LAST)
        for future, first in [*self.underway.items()]:
            del self.underway[future]
            with suppress(Exception):  # a chunk that was finished before
                self.save(future.result(timeout=0))
                continue
            self.put_back(first, error)
        if not workers.is_own:
            self.messages.append(f"the executor died ({str(error) or type(error).__name__})")
            self.waiting.clear()
        workers.replace_executor()

    def failed_chunk(self, first: int, message: str) -> Chunk:
        designs = self.designs_of(first)
        failures = [Failure(first + k, design, message, "WorkerLost") for k, design in enumerate(designs)]
        return Chunk(first, np.full(len(designs), FAILED, dtype=np.int8), {}, failures, [None] * len(designs))

    def finish(self, workers: Workers) -> None:
        """End the study: threads stop between two steps, and finished chunks of other workers are stored."""
        for future in self.underway:
            future.cancel()
        if workers.of_threads:
            wait(self.underway)
        for future in self.underway:
            with suppress(BaseException):
                if future.done() and not future.cancelled():
                    self.save(future.result())
        self.underway.clear()
        workers.close()

    def save(self, chunk: Chunk) -> None:
        """Put a chunk into the store; members that do not fit, or a store that cannot be written, are reported."""
        with self._lock:
            self.ahead = max(0, self.ahead - int((chunk.state != UNDONE).sum()))
        try:
            self.store.check(chunk)
        except ModelError as error:
            chunk.refuse(self.designs_of(chunk.first), str(error))
        try:
            self.store.put(chunk)
        except OSError as error:
            self.stop()
            self.messages.append(f"members {chunk.first} and on cannot be kept: {error}")

    def message(self) -> str:
        """Return the message of the study; "" if all members were run without incident."""
        done, total = int((self.store.state != UNDONE).sum()), len(self.designs)
        if done == total and not self.messages:
            return ""
        reasons = "; ".join(dict.fromkeys(self.messages)) or "interrupted"
        return f"{reasons}: {done} of {total} members were run"
