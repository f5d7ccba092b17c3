"""The midpoint rule, extrapolated (Gragg, Bulirsch, Stoer), of variable order: with 2, 4, 6, ... steps, as in ODEX of
Hairer, Nørsett and Wanner, Solving Ordinary Differential Equations I, II.9. The last column that is needed is the one
of least work for its step."""

from __future__ import annotations

import numpy as np

from .motion import Motion

COLUMNS = 10
PARTS = [2 * (j + 1) for j in range(COLUMNS + 1)]
WORK = np.cumsum(PARTS) + 1


def integrate(motion: Motion) -> np.ndarray:
    y, t = motion.y, 0.0
    k0, rejected = motion.rates(t, y), False
    column = max(1, min(COLUMNS - 2, int(-0.6 * np.log10(motion.rtol) + 0.5)))
    h = motion.first_step(k0, 2 * column)
    while t < motion.end * (1 - 1e-14):
        h = motion.end - t if t + 1.01 * h >= motion.end else h
        table: list[list[np.ndarray]] = []
        error, best = np.inf, np.full(COLUMNS + 1, np.inf)
        for j in range(column + 2):
            try:
                table.append(row(motion, t, y, k0, h, table))
            except ArithmeticError:  # far off
                error, best[j] = np.inf, 0.25 * h
                break
            if j > 0:
                error = motion.norm(table[j][j] - table[j][j - 1], y)
                best[j] = h * factor(error, j)
            if j >= column and error <= 1.0:
                break
            if j == column and error > (PARTS[j + 1] / 2) ** 2:  # one column more would not do
                break
        work = WORK / best
        if error > 1.0:
            motion.rejected += 1
            column = max(1, column - 1) if j > 1 and work[j - 1] < 0.8 * work[j] else column
            h, rejected = min(best[j], 0.8 * h), True
            continue
        t += h
        y = motion.put_right(t, table[-1][-1])
        k0 = motion.rates(t, y)
        motion.steps += 1
        column, longer = next_column(work, best, j, column)
        h, rejected = min(longer, h) if rejected else longer, False
    return y


def row(motion: Motion, t: float, y: np.ndarray, k0: np.ndarray, h: float, table: list) -> list[np.ndarray]:
    """The next row of the table: the midpoint rule, and its extrapolations."""
    j = len(table)
    part = h / PARTS[j]
    before, now = y, y + part * k0
    for i in range(1, PARTS[j]):
        before, now = now, before + 2 * part * motion.rates(t + i * part, now)
    found = [now]
    for c in range(1, j + 1):
        found.append(found[-1] + (found[-1] - table[-1][c - 1]) / ((PARTS[j] / PARTS[j - c]) ** 2 - 1))
    return found


def factor(error: float, j: int) -> float:
    """By how much a step may differ in this column."""
    power = 1 / (2 * j + 1)
    return float(np.clip(0.94 * (0.65 / max(error, 1e-30)) ** power, 0.25 * 0.02**power, 0.02**-power))


def next_column(work: np.ndarray, best: np.ndarray, j: int, column: int) -> tuple[int, float]:
    """That of least work for each unit of time, with some reluctance to change; and its step."""
    to = j
    if j > 1 and work[j - 1] < 0.8 * work[j]:
        to = j - 1
    elif j > 1 and work[j] < 0.9 * work[j - 1] and j + 1 < COLUMNS:
        to, longer = (j + 1, best[j] * WORK[j + 1] / WORK[j]) if j <= column else (j, best[j])
        return min(to, COLUMNS - 2), longer
    to = min(max(1, to), COLUMNS - 2)
    return to, best[to]
