"""The explicit Runge-Kutta methods, as numbers.

RK4 is the classical one. DP5 is the pair 5(4) of Dormand and Prince (1980) with the interpolant of Shampine (1986).
DP8 is the 8(5,3) of Hairer, Nørsett and Wanner, Solving Ordinary Differential Equations I (1993), with their
interpolant of order 7, which takes three more stages. Scipy has the numbers of both pairs.
"""

import numpy as np
from scipy.integrate import DOP853, RK45

from ...kernels.blocks import block
from .method import Method, Tableau
from .runge_kutta import prepare_nested, read_cubic, read_nested, read_polynomial, step


def _tableau(
    stages: int, orders: tuple[int, int], a: np.ndarray, b: np.ndarray, c: np.ndarray, error: np.ndarray,
    dense: np.ndarray, end_in_error: int = 0,
) -> Tableau:  # fmt: skip
    """With as many columns as there are k, those after the step included; and with what follows from the nodes: the
    widest gap between them, and a stage well inside."""
    width = max(stages + 1, len(c))
    nodes = np.unique([*c, 1.0])
    widest = int(np.argmax(np.diff(nodes)))
    low, high = nodes[widest : widest + 2]
    inner = int(np.argmin(abs(c[:stages] - 0.6)))
    a, error = (np.pad(rows, ((0, 0), (0, width - rows.shape[1]))) for rows in (a, error))
    numbers = (np.array(b, dtype=float), np.array(c, dtype=float), error, np.array(dense, dtype=float))
    return block(Tableau(stages, *orders, end_in_error, a, *numbers, (low + high) / 2, (high - low) / 2, inner))


def _classical() -> Tableau:
    none, c = np.zeros((0, 5)), np.array([0.0, 0.5, 0.5, 1.0])
    return _tableau(4, (4, 0), np.diag(c[1:], -1), np.array([1, 2, 2, 1]) / 6, c, none, none)


def _eight() -> Tableau:
    """After the step come the evaluation at its end, and three for reading."""
    a = np.zeros((16, 16))
    a[:12, :12], a[12, :12], a[13:] = DOP853.A, DOP853.B, DOP853.A_EXTRA
    c = np.array([*DOP853.C, 1.0, *DOP853.C_EXTRA])
    return _tableau(12, (8, 7), a, DOP853.B, c, np.array([DOP853.E5, DOP853.E3]), DOP853.D)


RK4 = Method("RK4", _classical(), step, read_cubic)
_FIVE = _tableau(6, (5, 4), RK45.A, RK45.B, RK45.C, RK45.E[None], RK45.P, end_in_error=1)
DP5 = Method("DP5", _FIVE, step, read_polynomial)
DP8 = Method("DP8", _eight(), step, read_nested, prepare_nested, room=7)
