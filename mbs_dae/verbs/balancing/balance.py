"""Balancing masses: the shaking force is linear in the first moments m·e of the bodies, so that counterweights follow
by linear least squares.

A counterweight at the place p + e of a body, p being the body's fixed point, adds to the force of inertia on the frame

    -m d²/dt² (A e) = -Ä (m e),        Ä = A (ω̃ ω̃ + α̃),    ω, α in body axes.

(On a body without a fixed point the mass would count besides its first moment; such bodies are refused.) F(t) is the
force without counterweights. The unknown moments minimise F - Σ Ä (m e): over all times, or in chosen harmonics of one
period, whose cosine and sine parts are sums over the times.
"""

from collections.abc import Sequence

import numpy as np

from ...compiled import System
from ...errors import ModelError, check_name
from ...model.bodies.body import Body
from ...model.model import Model
from ...readings.motion import computed
from ...results.quantities import frozen
from ...results.result import Result, State
from ...tolerances import BODY_ROTATION, FIXED_POINT, HARMONIC_ROUNDOFF, PERIOD_END, SUM_ROUNDOFF
from ..inverse_dynamics import inverse_dynamics
from .counterweights import Counterweights


def balance(
    model: Model | System, times: Sequence[float] | np.ndarray, bodies: Sequence[str],
    order: int | Sequence[int] | None = None, start: State | None = None,
) -> Counterweights:  # fmt: skip
    """Return the counterweights on bodies that minimise the shaking force: the inertia force of all bodies on the
    frame.

    `times`, in s, are the instants of the driven motion, which begins at the state `start` or at the placement.
    `bodies` names the bodies that carry counterweights; each of them must turn about a point of the frame. `order` is
    None (minimise the force over all times), or one or several harmonics of one period to minimise; `times` must then
    be evenly spaced from the beginning to the end of the period.

    Moments of inertia do not change, and the shaking moment is not balanced.

    A slider-crank: a counterweight on the crank takes away half of the first harmonic of the slider at best; the other
    half then turns the other way round.

    >>> model = mbs.PlanarModel("slider-crank")
    >>> crank = model.link("crank", (0, 0), (0.1, 0))
    >>> rod = model.link("rod", (0.1, 0), (0.5, 0))
    >>> slider = model.body("slider", mass=2, position=(0.5, 0))
    >>> pins = model.add(
    ...     mbs.Revolute("A", model.ground, crank.tail), mbs.Revolute("B", crank.head, rod.tail),
    ...     mbs.Revolute("C", rod.head, slider), mbs.Translational("guide", model.ground, slider),
    ...     mbs.Driver("motor", mbs.angle(crank), 20 * mbs.t))
    >>> found = mbs.balance(model, np.linspace(0, 2 * np.pi / 20, 65), bodies=["crank"], order=1)
    >>> found.moments["crank"].round(9) + 0.0  # half of 2 kg times 0.1 m, opposite to the pin
    array([-0.1,  0. ])
    >>> round(found.mass("crank", radius=0.05), 6)
    2.0
    """
    if not isinstance(bodies, tuple | list) or not bodies or not all(isinstance(name, str) for name in bodies):
        raise ModelError(
            f"bodies= are the names of those that carry counterweights, ['crank'], not {bodies!r}",
            code="not-a-list", argument="bodies", value=bodies,
        )  # fmt: skip
    orders = None if order is None else tuple(np.ravel(order).tolist())
    if orders is not None:
        if not orders or not all(isinstance(k, int) and not isinstance(k, bool) and k > 0 for k in orders):
            raise ModelError(
                f"order= is a harmonic, 1, 2, ..., or several, not {order!r}",
                code="not-an-integer", argument="order", value=order, least=1,
            )  # fmt: skip
        orders = tuple(int(k) for k in orders)
    result = inverse_dynamics(model, times, start)
    dimension = result.sketch.dimension
    system, motion = computed(result).system, computed(result).motion
    before = result.shaking().only("inertia").total[:, :dimension]
    moving_bodies, columns, pivots = {body.name: body for body in system.bodies if not body.fixed}, [], {}
    for name in dict.fromkeys(bodies):
        check_name("body", name, [*moving_bodies], "the model")
        pivots[name] = _pivot(result, moving_bodies[name])
        # Ä over time, shape (times, dimension, dimension), in 1/s²
        rates = list(system.layout.v[moving_bodies[name]])[dimension:]
        omega, alpha = (_cross_matrices(x[:, rates]) for x in (motion.v, motion.a))
        columns.append(np.asarray(_axes(result, moving_bodies[name]) @ (omega @ omega + alpha)))
    effects = -np.concatenate(columns, axis=2)
    target, by = before, effects
    if orders is not None:
        _check_period(result.t, np.concatenate([before[:, :, None], effects], axis=2))
        target, by = (_harmonics(x, orders) for x in (before, effects))
        if np.abs(by).max(initial=0.0) <= HARMONIC_ROUNDOFF * len(effects) * np.abs(effects).max(initial=0.0):
            numbers = " and ".join(map(str, orders))
            what = f"counterweights on {', '.join(pivots)} make no force of order {numbers}, and so take none away"
            raise ModelError(
                f"{what}; orders are turns within the times, from {result.t[0]:g} to {result.t[-1]:g} s",
                code="no-force-of-order", argument="order", bodies=tuple(pivots), orders=orders,
                start=float(result.t[0]), end=float(result.t[-1]),
            )  # fmt: skip
    scale = np.abs(by).max(initial=0.0) or 1.0
    moments = np.linalg.lstsq(by.reshape(-1, by.shape[2]) / scale, -target.ravel(), rcond=1e-10)[0] / scale
    scale_of_moments = sum(system.evaluator(body.mass) for body in system.bodies if not body.fixed) * system.length
    moments = np.where(np.abs(moments) <= SUM_ROUNDOFF * scale_of_moments, 0.0, moments)
    after = before + effects @ moments
    moments_by_body = {name: frozen(m.copy()) for name, m in zip(pivots, moments.reshape(-1, dimension), strict=True)}
    return Counterweights(moments_by_body, pivots, result.t, frozen(before.copy()), frozen(after), orders)


def _axes(result: Result, body: Body) -> np.ndarray:
    """Return the rotation matrices A of a body over time, shape (times, dimension, dimension)."""
    system, motion = computed(result).system, computed(result).motion
    return np.asarray(system.layout.rotation(motion.q, body))


def _cross_matrices(turning: np.ndarray) -> np.ndarray:
    """Return the matrices of the cross product with angular velocities (times, 1 or 3): shape (times, n, n), n = 2 or
    3."""
    nothing = np.zeros(len(turning))
    if turning.shape[1] == 1:
        rows = [[nothing, -turning[:, 0]], [turning[:, 0], nothing]]
    else:
        x, y, z = turning.T
        rows = [[nothing, -z, y], [z, nothing, -x], [-y, x, nothing]]
    return np.moveaxis(np.array(rows), 2, 0)


def _pivot(result: Result, body: Body) -> np.ndarray:
    """Return the fixed point p of a body, r + A p = constant, in body axes, in m; on a fixed axis the point nearest the
    origin."""
    system, motion, size = computed(result).system, computed(result).motion, result.sketch.dimension
    axes, place = _axes(result, body), motion.q[:, list(system.layout.q[body])[:size]]
    turned = (axes - axes.mean(axis=0)).reshape(-1, size)
    if np.linalg.norm(turned, 2) <= BODY_ROTATION * np.sqrt(len(axes)):
        what = f"body {body.name!r} does not turn in these times: a counterweight balances nothing but by its mass"
        raise ModelError(f"{what}; name a body that turns", code="body-does-not-turn", body=body.name)
    moved = (place - place.mean(axis=0)).ravel()
    point = np.linalg.lstsq(turned, -moved, rcond=BODY_ROTATION)[0]
    if np.abs(turned @ point + moved).max() > FIXED_POINT * system.length:
        what = f"no point of body {body.name!r} stays where it is, so that the mass of a counterweight on it counts too"
        raise ModelError(
            f"{what}, and not its first moment alone; name bodies that turn about a point of the frame",
            code="no-fixed-point", body=body.name,
        )  # fmt: skip
    return frozen(np.where(np.abs(point) <= FIXED_POINT * system.length, 0.0, point))


def _check_period(t: np.ndarray, values: np.ndarray) -> None:
    steps = np.diff(t)
    if t.size < 4 or np.ptp(steps) > PERIOD_END * abs(steps).max():
        raise ModelError(
            "harmonics are of one period, in evenly spaced times: np.linspace(0, period, 361)",
            code="times-not-even", argument="times", count=int(t.size), least=4,
        )  # fmt: skip
    if np.abs(values[-1] - values[0]).max() > PERIOD_END * np.abs(values).max():
        what = f"from t = {t[0]:.6g} to {t[-1]:.6g} s is not a period: forces at its ends differ"
        raise ModelError(
            f"{what}; give times from the beginning of one period to its end, both included",
            code="not-periodic", argument="times", start=float(t[0]), end=float(t[-1]),
        )  # fmt: skip


def _harmonics(values: np.ndarray, orders: tuple[int, ...]) -> np.ndarray:
    """Return the cosine and sine parts of values in each order: sums over one period, exact up to half of its times."""
    count = len(values) - 1
    if 2 * max(orders) >= count:
        raise ModelError(
            f"{count + 1} times tell no harmonic of order {max(orders)}; give {2 * max(orders) + 2} or more",
            code="too-few-times", argument="times", count=count + 1, order=max(orders), least=2 * max(orders) + 2,
        )  # fmt: skip
    angles = 2 * np.pi / count * np.outer(orders, np.arange(count))
    waves = np.concatenate([np.cos(angles), np.sin(angles)])
    return np.asarray(np.tensordot(waves, values[:-1], axes=1))
