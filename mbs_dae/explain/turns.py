"""Whether turns were counted rightly along a motion.

In space whole turns come from turning added up (`symbolic.markers.marker`), and the angle itself from the axes. The
two part where markers keep no axis in common, or where steps are so coarse that the attitude lags behind by much of a
turn. Half a turn apart, the count would jump; a good part of that is refused.
"""

from __future__ import annotations

import numpy as np

from ..compiled import System
from ..errors import IntegrationError
from ..model.bodies.body import Marker
from ..readings.quantities import ComputedQuantities
from ..results.result import Result
from ..symbolic.derive import Reading
from ..symbolic.functions import Unwound
from ..symbolic.markers import marker_symbols
from .explanation import Explanation

FAR = 2.0  # how far angle and turning may be apart, in rad
LOOKS = 500  # at most so many of the recorded times are looked at


def check_turns(result: Result) -> None:
    """Refuse a motion along which the turns of a joint, driver or force have lost their meaning."""
    assert isinstance(result.quantities, ComputedQuantities)
    system, (t, q, _, _) = result.quantities.system, result.quantities.motion
    if system.model.dimension == 2 or not len(t):
        return
    some = np.unique(np.linspace(0, len(t) - 1, LOOKS).astype(int))
    seen: dict[tuple[Marker, ...], str] = {}
    for element in system.elements:
        for measure in element.measures().values():
            if measure.kind == "angle" and len(measure.markers) == 2:
                seen.setdefault(measure.markers, element.name)
    lost = [name for markers, name in seen.items() if np.abs(_apart(system, markers, t[some], q[some])).max() > FAR]
    if lost:
        what = f"the turns of {', '.join(lost)} of {system.model.name!r} cannot be counted: their markers keep no axis "
        what += "in common, or the tolerance is too coarse"
        advice = "take the angle of a joint, mbs.angle(joint), give markers with axis=, or lower rtol"
        raise Explanation(IntegrationError, what, advice, float(t[-1]), tuple(lost)).error(result)


def _apart(system: System, markers: tuple[Marker, ...], t: np.ndarray, q: np.ndarray) -> np.ndarray:
    i, j = symbols = marker_symbols(2, 3)
    angle = i.turn_to(j)
    (unwound,) = angle.atoms(Unwound)
    still = np.tile(system.still, (len(t), 1))
    return system.read_values(Reading(symbols, (unwound - unwound.args[1],)), {}, markers, t, q, still)
