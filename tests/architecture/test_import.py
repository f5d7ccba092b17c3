"""``import mbs_dae`` is cheap: whoever only asks for ``--help`` does not wait for an engine."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# Prints the seconds, then every top-level module that the import brought in.
PROBE = """
import sys, time
before = set(sys.modules)
start = time.perf_counter()
import mbs_dae
seconds = time.perf_counter() - start
print(seconds, *sorted({name.partition(".")[0] for name in set(sys.modules) - before}))
"""


@pytest.fixture(scope="module")
def probes() -> list[tuple[float, set[str]]]:
    """Three imports, each in a fresh process."""

    def probe() -> tuple[float, set[str]]:
        run = subprocess.run([sys.executable, "-c", PROBE], cwd=ROOT, capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
        seconds, *loaded = run.stdout.split()
        return float(seconds), set(loaded)

    return [probe() for _ in range(3)]


def test_import_is_fast(probes):
    best = min(seconds for seconds, _ in probes)  # the others only tell how busy the machine is
    assert best < 0.6, f"import mbs_dae took {best:.2f} s"


def test_import_loads_no_heavy_package(probes):
    for _, loaded in probes:
        assert "mbs_dae" in loaded
        assert not loaded & {"numba", "scipy", "matplotlib", "sympy"}
