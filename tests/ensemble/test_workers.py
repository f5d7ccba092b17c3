"""Chunks are run by whatever has the interface of concurrent.futures; a worker that dies costs its chunk, no other."""

from __future__ import annotations

from concurrent.futures import BrokenExecutor, Future, ThreadPoolExecutor

import fragile
import numpy as np
import pytest
from refusals import refused

import mbs_dae as mbs

TIMES = [0.0, 0.1, 0.2]
SPEEDS = np.arange(1.0, 21.0)


@pytest.fixture(scope="module")
def model() -> mbs.PlanarModel:
    return mbs.PlanarModel.from_points({"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A", mass=2)


@pytest.fixture(scope="module")
def wanted(model) -> np.ndarray:
    return mbs.ensemble(model, TIMES, over={"rod.omega": SPEEDS}, workers=1).array("rod.angle")


@pytest.fixture
def found_by_others(monkeypatch):
    """Other processes import what stands beside this file."""
    from pathlib import Path

    here = str(Path(__file__).parent)
    monkeypatch.syspath_prepend(here)
    import os

    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([here, os.environ.get("PYTHONPATH", "")]))


def test_a_pool_of_threads(model, wanted):
    with ThreadPoolExecutor(2) as pool:
        found = mbs.ensemble(model, TIMES, over={"rod.omega": SPEEDS}, executor=pool)
        assert pool.submit(lambda: 1).result() == 1  # it is not ours to shut down
    np.testing.assert_array_equal(found.array("rod.angle"), wanted)


@pytest.mark.slow
def test_a_member_that_kills_its_process_costs_its_chunk_only(model, wanted, found_by_others):
    asked = {"over": {"rod.omega": SPEEDS}, "executor": "processes", "workers": 1}
    found = mbs.ensemble(model, TIMES, verb=fragile.deadly, **asked)
    lost = [failure.member for failure in found.failures]
    assert 6 in lost and lost == list(range(lost[0], lost[0] + len(lost))) and len(lost) <= 5
    assert {failure.kind for failure in found.failures} == {"WorkerLost"} and found.done.sum() == 20 - len(lost)
    np.testing.assert_array_equal(found.array("value")[found.done], wanted[found.done, -1])


class Mortal(ThreadPoolExecutor):
    """An executor that dies after some chunks."""

    def __init__(self, chunks: int):
        super().__init__(1)
        self.left = chunks

    def submit(self, *call, **named) -> Future:
        self.left -= 1
        if self.left < 0:
            raise BrokenExecutor("it is dead")
        return super().submit(*call, **named)


def test_an_executor_that_dies_leaves_what_is_done(model, wanted):
    with Mortal(3) as pool:
        found = mbs.ensemble(model, TIMES, over={"rod.omega": SPEEDS}, executor=pool, workers=2)
    assert 0 < found.done.sum() < 20 and not found.failures
    assert "the executor died (it is dead)" in found.message
    assert f"{found.done.sum()} of 20 members were run" in found.message
    np.testing.assert_array_equal(found.array("rod.angle")[found.done], wanted[found.done])


class Forgetful(ThreadPoolExecutor):
    """An executor that loses every chunk once."""

    def __init__(self):
        super().__init__(1)
        self.seen = set()

    def submit(self, function, *given) -> Future:
        first = given[1]
        if first in self.seen:
            return super().submit(function, *given)
        self.seen.add(first)
        return super().submit(self._lose)

    def _lose(self) -> None:
        raise RuntimeError("lost on the way")


def test_what_is_lost_is_run_again(model, wanted):
    with Forgetful() as pool:
        found = mbs.ensemble(model, TIMES, over={"rod.omega": SPEEDS}, executor=pool)
    assert found.done.all() and not found.message
    np.testing.assert_array_equal(found.array("rod.angle"), wanted)


def test_what_cannot_be_sent_is_refused(model):
    with refused("cannot-be-pickled"):
        mbs.ensemble(model, TIMES, over={"rod.omega": SPEEDS}, verb=lambda run: 1.0, executor="processes")


@pytest.mark.slow
def test_a_local_cluster_with_a_worker_that_is_killed(model, wanted, found_by_others, tmp_path, monkeypatch):
    """Dask: two worker processes; the scheduler starts another one and gives it what was lost."""
    distributed = pytest.importorskip("distributed")
    monkeypatch.setenv("FRAGILE", str(tmp_path / "killed"))
    asked = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None, "silence_logs": 50}
    with distributed.LocalCluster(**asked) as cluster, distributed.Client(cluster) as client:
        executor = client.get_executor()
        found = mbs.ensemble(model, TIMES, over={"rod.omega": SPEEDS}, verb=fragile.deadly_once, executor=executor)
    assert (tmp_path / "killed").exists()
    assert found.done.all() and not found.message
    np.testing.assert_array_equal(found.array("value"), wanted[:, -1])


@pytest.mark.parametrize("ends", ["refuses", "cancels"])
def test_what_is_done_is_kept_when_an_executor_ends(model, wanted, ends):
    """A cluster whose connection is lost raises what it likes, or calls off what it has."""

    class Ending:
        left = 3

        def submit(self, task, *given):
            self.left -= 1
            future: Future = Future()
            if self.left >= 0:
                future.set_result(task(*given))
            elif ends == "refuses":
                raise OSError("connection lost")
            else:
                future.cancel()
                future.set_running_or_notify_cancel()
            return future

    found = mbs.ensemble(model, TIMES, over={"rod.omega": SPEEDS}, workers=2, executor=Ending())
    assert found.done.sum() == 9
    np.testing.assert_array_equal(found.array("rod.angle")[found.done], wanted[found.done])
    assert "connection lost" in found.message if ends == "refuses" else len(found.failures) == 11
