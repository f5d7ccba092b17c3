"""``import mbs_dae`` is cheap: whoever only asks for ``--help`` does not wait for an engine."""

import subprocess
import sys

from gallery import ROOT

# Prints every module that the import brought in.
PROBE = """
import sys
before = set(sys.modules)
import mbs_dae
print(*sorted(set(sys.modules) - before))
"""


def test_import_loads_little():
    run = subprocess.run([sys.executable, "-c", PROBE], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    loaded = set(run.stdout.split())
    assert {name for name in loaded if name.partition(".")[0] == "mbs_dae"} == {"mbs_dae", "mbs_dae.provided"}
    assert not {name.partition(".")[0] for name in loaded} & {"numba", "numpy", "scipy", "matplotlib", "sympy"}
    assert len(loaded) < 60, "import mbs_dae brings in more than it should; it has to be light"
