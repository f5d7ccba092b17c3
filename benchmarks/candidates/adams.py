"""Adams methods of variable order and step, predicted, evaluated, corrected, projected and evaluated (PECE).

With modified divided differences φ of y', as in Shampine and Gordon, Computer Solution of Ordinary Differential
Equations (1975), and Hairer, Nørsett and Wanner, Solving Ordinary Differential Equations I, III.5:

    p = y + h Σ gⱼ φ*ⱼ  (j < k),     y₁ = p + h g_k φ_k(p),     error = h (g_k - g_(k-1)) φ_k(p)

A step costs two evaluations, and a projection.
"""

from __future__ import annotations

import numpy as np

from .motion import Motion

HIGHEST = 12


def constants(order: int) -> np.ndarray:
    """|γ*ⱼ|: the errors of formulas with equal steps."""
    found = [1.0]
    for j in range(1, order + 2):
        found.append(-sum(found[i] / (j + 1 - i) for i in range(j)))
    return np.abs(found)


STARS = constants(HIGHEST)


def coefficients(h: float, times: list[float], k: int) -> tuple[np.ndarray, np.ndarray]:
    """The gⱼ for j <= k, and the βⱼ that make φ* of φ, for a step of length h from times[0]."""
    end, beta, g = times[0] + h, np.ones(k + 1), np.zeros(k + 1)
    for j in range(1, min(k + 1, len(times))):
        beta[j] = beta[j - 1] * (end - times[j - 1]) / (times[0] - times[j])
    row = 1.0 / np.arange(1, k + 3)
    g[0] = row[0]
    for j in range(1, min(k, len(times)) + 1):
        row = row[:-1] - row[1:] * (h / (end - times[j - 1]) if j > 1 else 1.0)
        g[j] = row[0]
    return g, beta


def integrate(motion: Motion) -> np.ndarray:
    y, t, k, same, growing = motion.y, 0.0, 1, 0, True
    phi = np.zeros((HIGHEST + 2, y.size))
    phi[0] = motion.rates(t, y)
    times, last = [t], 0.0
    h = 0.25 * np.sqrt(0.5 / max(motion.norm(phi[0], y), 1e-12))
    while t < motion.end * (1 - 1e-14):
        h = motion.end - t if t + 1.01 * h > motion.end else h
        same = same + 1 if h == last else 1
        g, beta = coefficients(h, times, k)
        known = beta[:, None] * phi[: k + 1]
        predicted = y + h * g[:k] @ known[:k]
        new = differences(motion.rates(t + h, predicted), known[:k])
        errors = [motion.norm(h * (g[j] - g[j - 1]) * new[j], y) if j > 0 else np.inf for j in range(k + 1)]
        if errors[k] > 1.0:
            motion.rejected += 1
            h, k, growing, last = 0.5 * h, k - lower(errors, k), False, 0.0
            continue
        t += h
        y = motion.put_right(t, predicted + h * g[k] * new[k])
        phi[: k + 2] = differences(motion.rates(t, y), known)
        times, last = [t, *times[: HIGHEST + 1]], h
        motion.steps += 1
        if lower(errors, k):
            k, growing, error = k - 1, False, errors[k - 1]
        elif growing and k < HIGHEST:
            k, error = k + 1, 0.0
        else:
            growing = False
            higher = motion.norm(h * STARS[k + 1] * phi[k + 1], y) if k < HIGHEST and same > k else np.inf
            k, error = chosen(errors, higher, k)
        h *= factor(error, k)
    return y


def differences(rates: np.ndarray, known: np.ndarray) -> np.ndarray:
    """The φ at the end of a step."""
    return rates - np.vstack([np.zeros_like(rates), np.cumsum(known, axis=0)])


def lower(errors: list[float], k: int) -> bool:
    """Whether the order is too high: formulas of less have smaller errors."""
    if k < 2:
        return False
    return errors[1] <= 0.5 * errors[2] if k == 2 else max(errors[k - 1], errors[k - 2]) <= errors[k]


def chosen(errors: list[float], higher: float, k: int) -> tuple[int, float]:
    """The order of the next step, and its error."""
    if higher == np.inf:
        return k, errors[k]
    if k > 1 and errors[k - 1] <= min(errors[k], higher):
        return k - 1, errors[k - 1]
    return (k + 1, higher) if higher < (errors[k] if k > 1 else 0.5 * errors[k]) else (k, errors[k])


def factor(error: float, k: int) -> float:
    """Twice as long, as long, or a little shorter: equal steps are what formulas of high order need."""
    if error * 2.0 ** (k + 1) <= 0.5:
        return 2.0
    return 1.0 if error <= 0.5 else max(0.5, min(0.9, (0.5 / error) ** (1 / (k + 1))))
