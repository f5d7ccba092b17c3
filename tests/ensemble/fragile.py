"""Functions of results that kill the process that calls them. They stand in a module, so that others find them."""

import os
from pathlib import Path

import mbs_dae as mbs


def deadly(run: mbs.Result) -> float:
    """No process survives a rod of 7 rad/s."""
    if run["rod.omega"][0] == 7.0:
        os._exit(1)
    return float(run["rod.angle"][-1])


def deadly_once(run: mbs.Result) -> float:
    """The first time, alone."""
    if run["rod.omega"][0] == 7.0 and not Path(os.environ["FRAGILE"]).exists():
        Path(os.environ["FRAGILE"]).touch()
        os._exit(1)
    return float(run["rod.angle"][-1])
