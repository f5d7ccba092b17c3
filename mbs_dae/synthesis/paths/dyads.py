"""Find linkages whose coupler point passes nine points, as two dyads.

With the coupler turned by γ_k at the point P_k, its pins are P_k - z e^{iγ_k} and P_k - w e^{iγ_k}, and both stay as
far from their pivots as they are at the first point, where γ is 0:

    |P_k - z e^{iγ_k} - O|² = a²,     |P_k - w e^{iγ_k} - D|² = c²,     k = 1 ... n.

For n = 9 there are as many equations as unknowns (Alt's problem): 1442 linkages and their two cognates each, complex
ones among them (Wampler, Morgan, Sommese 1992). The equations contain no angle of the crank, so nothing has to close
during their solution. Two equal dyads solve the equations, too; they make no linkage and are left out."""

from __future__ import annotations

import numpy as np
from scipy.stats import qmc

from ...tolerances import DYAD_RESIDUAL, SAME_PIVOT
from ..linkages import Circle, Linkage, turn
from ..marquardt import least_squares

POINTS = 9
STARTS = 512
FAR = 1e3


def linkages_through(targets: np.ndarray, seed: int) -> list[tuple[Linkage, np.ndarray, np.ndarray]]:
    """Return linkages, angles of their cranks at the points, and signs there, from random starts, each linkage once.
    Points are about 1 apart, around 0."""
    count = len(targets)
    draws = qmc.Sobol(9 + count, seed=seed).random(STARTS)
    x = 4 * draws - 2  # O, D, z, w as pairs, a, c, then the angles
    x[:, 8:10] = np.abs(x[:, 8:10])
    x[:, 10:] = draws[:, 10:] * 2 - 1

    def residuals(x: np.ndarray, _: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return equations(targets, x)

    ends = least_squares(residuals, x, steps=250, enough=DYAD_RESIDUAL**2 / 1e6)
    linkages: list[tuple[Linkage, np.ndarray, np.ndarray]] = []
    for x_end in ends.x[ends.cost < DYAD_RESIDUAL**2]:
        if (one := _linkage(targets, x_end)) is None:
            continue
        numbers = one[0].numbers()
        if not any(np.allclose(numbers, other.numbers(), rtol=1e-6, atol=1e-6) for other, *_ in linkages):
            linkages.append(one)
    return linkages


def equations(targets: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the residuals of both dyads, and their derivatives."""
    starts, count = len(x), len(targets)
    spin = turn(np.concatenate([np.zeros((starts, 1)), x[:, 10:]], axis=1))
    value = np.zeros((starts, 2 * count))
    slope = np.zeros((starts, 2 * count, 9 + count))
    k = np.arange(1, count)
    for dyad in (0, 1):
        (Gx, Gy), (zx, zy) = x[:, 2 * dyad : 2 * dyad + 2].T, x[:, 4 + 2 * dyad : 6 + 2 * dyad].T
        z, radius = (zx + 1j * zy)[:, None] * spin, x[:, 8 + dyad, None]
        arm = targets - z - (Gx + 1j * Gy)[:, None]
        rows = slice(dyad * count, (dyad + 1) * count)
        value[:, rows] = np.abs(arm) ** 2 - radius**2
        columns = {2 * dyad: -1 + 0 * spin, 2 * dyad + 1: -1j + 0 * spin, 4 + 2 * dyad: -spin, 5 + 2 * dyad: -1j * spin}
        for column, change in columns.items():
            slope[:, rows, column] = 2 * (np.conj(arm) * change).real
        slope[:, rows, 8 + dyad] = -2 * radius
        slope[:, dyad * count + k, 9 + k] = -2 * (np.conj(arm) * 1j * z).real[:, 1:]
    return value, slope


def _linkage(targets: np.ndarray, x: np.ndarray) -> tuple[Linkage, np.ndarray, np.ndarray] | None:
    O, D, z, w = x[:8] @ np.kron(np.eye(4), [[1], [1j]])
    b, d = abs(w - z), abs(D - O)
    if min(b, d, *np.abs(x[8:10])) < SAME_PIVOT or np.abs(x[:10]).max() > FAR:
        return None
    spin = turn(np.concatenate([[0.0], x[10:]]))
    A, B = targets - z * spin, targets - w * spin
    along = (B - A) / b
    linkage = Linkage(
        complex(O), float(abs(x[8])), float(b), Circle(complex(D), float(abs(x[9]))), complex(z * b / (z - w))
    )
    drive = np.real(np.conj(linkage.guide.normal(B)) * 1j * along)
    return linkage, np.angle(A - O), np.where(drive >= 0, 1.0, -1.0)
