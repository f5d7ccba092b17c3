"""A mode as poses: how a mechanism looks while it moves in one mode alone.

The pose of the state is moved by Re(c ζ), with ζ the mode's shape and c a number: c = exp(λ t) is the motion itself.
Small motions bend no rod, yet at the amplitudes of a picture they stretch it by their square; so each pose is closed.
A steady motion is left out: who goes along with it sees the small one alone.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..compiled import System
from ..compiled.reading import Trajectory
from ..compiled.status import DONE
from ..errors import ModelError
from ..model.parameters import positive_number
from ..poses import newton
from ..readings.motion import result_of
from ..results.result import Result, State
from .balance import balance_at
from .frames import frame_of

FAR, TURNED = 0.25, 0.4
"""How far bodies go where no amplitude is given: in parts of the mechanism's extent, and in rad."""
LASTS = 3.0
"""How many time constants of a mode are shown that does not oscillate."""
POSES = 101


def motion_in_mode(
    state: State, value: complex, shape: Mapping[str, complex], amplitude: float | None = None
) -> Result:
    """One period, or three time constants of a mode that does not oscillate; the amplitude is that at the beginning or,
    where the mode grows, at the end."""
    if value == 0.0:  # no force asks for it: it goes on as it began
        times = np.linspace(0.0, 1.0, POSES)
        return moved(state, shape, times + 0j, times, np.ones(POSES) + 0j, amplitude)
    times = np.linspace(0.0, 2 * np.pi / value.imag if value.imag else LASTS / abs(value.real), POSES)
    factors = np.exp(value * times - max(value.real * times[-1], 0.0))
    return moved(state, shape, factors, times, value * factors, amplitude)


def moved(
    state: State, shape: Mapping[str, complex], factors: np.ndarray, times: np.ndarray, rates: np.ndarray,
    amplitude: float | None,
) -> Result:  # fmt: skip
    """The pose of the state moved by Re(c ζ), for all c, with the velocities Re(ċ ζ)."""
    system, t, q, way = state.system.cartesian, state.t, state.full_q, np.array([*shape.values()])
    scale = _scale(system, q, way) if amplitude is None else positive_number(amplitude, "amplitude", "number")
    way = scale * frame_of(balance_at(system, t, q), np.zeros(3)).P.T @ way  # turns in the axes of bodies again
    poses, v = np.tile(q, (len(times), 1)), np.zeros((len(times), system.still.size))
    for k, (c, rate) in enumerate(zip(factors, rates, strict=True)):
        poses[k] = system.moved(q, (c * way).real)
        v[k, : system.nv] = (rate * way).real
        if newton.close(system.machine(), t, poses[k], system.still, 30) != DONE:
            raise ModelError(
                f"{system.model.name!r} cannot be assembled so far from its pose as {scale:.3g} times the shape of the "
                "mode; give a smaller amplitude"
            )
    now = np.full(len(times), t)  # when drivers stand where they stood at the state
    return result_of(system, Trajectory(now, poses, v, 0.0 * v), t=times)


def _scale(system: System, q: np.ndarray, shape: np.ndarray) -> float:
    """What makes a mode well seen."""
    flat = system.model.dimension == 2
    places = np.array([q[list(system.layout.q[body][: 2 if flat else 3])] for body in system.bodies])
    extent = max(float(np.ptp(places, axis=0).max()), system.length)
    ways = np.abs(shape).reshape(-1, 3)  # in the plane x, y, angle of each body; in space its place, then its turn
    far, turned = (ways[:, :2], ways[:, 2:]) if flat else (ways[::2], ways[1::2])
    return float(min(FAR * extent / max(far.max(), 1e-12), TURNED / max(turned.max(), 1e-12)))
