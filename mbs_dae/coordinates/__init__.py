"""How bodies become q and v. A coordinate set speaks of markers, never of joints."""

from ..errors import unknown_name
from .planar import PlanarCartesian

SETS = {"cartesian": PlanarCartesian()}


def coordinate_set(name: str) -> PlanarCartesian:
    if name not in SETS:
        raise unknown_name("coordinate set", name, SETS, "this version")
    return SETS[name]
