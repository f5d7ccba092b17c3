"""What every program about mechanisms begins with: the package imported, and its compiled core loaded.

Scripts of the tests run in copies of a process that has this behind it (see `scripts`). With empty caches it compiles
the core: once, before the workers of the tests begin.
"""

import matplotlib
import numpy as np

import mbs_dae as mbs

matplotlib.use("Agg")


def use_everything() -> None:
    """Each verb once, in each set of coordinates: all that is compiled once for all models."""
    import helpers

    model, times = helpers.four_bar(), np.linspace(0.0, 0.01, 3)
    free = model.without("motor")
    mbs.diagnose(model)
    for coordinates in ("cartesian", "natural", "joint"):
        mbs.kinematics(model.compile(coordinates), times)
        mbs.simulate(free.compile(coordinates), times)
    mbs.inverse_dynamics(model, times)


use_everything()
