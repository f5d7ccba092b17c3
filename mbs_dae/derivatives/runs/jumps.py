"""Derivatives of a motion across a switch, and across a jump of its state.

A run passes g(t, y, p) = 0 at a time t_e that depends on p. With y' = f₋ before it and f₊ behind it, S = ∂y/∂p at a
time that is held, and ġ = g_t + g_y f₋,

    t_e' = -(g_y S₋ + g_p) / ġ,

and if the state jumps to y₊ = R(t, y, p) there,

    S₊ = R_y (S₋ + f₋ t_e') + R_t t_e' + R_p - f₊ t_e'.

In words: the motion goes on along f₋ up to where it jumps, jumps, and goes back along f₊ to the time that is held.
Where nothing jumps this is S₋ + (f₋ - f₊) t_e', and where y' does not jump either nothing happens at all: a contact
whose force dies out, friction that begins to slip at what it holds when it slips.

Where the motion touches g = 0 without passing it (ġ = 0) a neighbour may pass, or not: there is no derivative. Nor is
there one where two surfaces are passed at one instant that neighbours pass one after the other.
"""

from typing import Any

import numpy as np

from ...tolerances import GRAZING_FALL, JUMP_ROUNDOFF, SLOPE_AGREEMENT


def time_moved(varied: np.ndarray, rate: float) -> np.ndarray:
    """Return t_e' by each parameter, from g_y S + g_p and ġ."""
    return -varied / rate


def instant_moved(varied: np.ndarray, rates: np.ndarray) -> np.ndarray:
    """Return t_e' by each parameter, from g_y S + g_p, (parameters, functions), and ġ of all functions that pass; nan
    where they pass at different times in neighbouring runs."""
    times = [time_moved(varied[:, k], rate) for k, rate in enumerate(rates)]
    return agreed(times, np.abs(varied).max(axis=1) / np.abs(rates).max())


def grazes(rates: np.ndarray, length: float, sizes: np.ndarray) -> bool:
    """Return whether functions of these sizes, which pass zero with these rates, only touch it; they were last looked
    at a time of this length before."""
    return length > 0.0 and bool((np.abs(rates) * length <= GRAZING_FALL * sizes).any())


def carried_over(S: np.ndarray, before: np.ndarray, after: np.ndarray, moved: np.ndarray) -> np.ndarray:
    """Return S behind a switch at which the state does not jump."""
    return S + np.outer(moved, before - after)


def at_the_event(S: np.ndarray, before: np.ndarray, moved: np.ndarray) -> np.ndarray:
    """Return how the state varies in which neighbours meet the event, each at its own time."""
    return S + np.outer(moved, before)


def is_smooth(before: np.ndarray, after: np.ndarray) -> bool:
    """Return whether y' is the same on both sides."""
    size = max(float(np.abs(before).max(initial=0.0)), float(np.abs(after).max(initial=0.0)))
    return bool(np.abs(after - before).max(initial=0.0) <= JUMP_ROUNDOFF * size)


def have_same_slope(first: np.ndarray, other: np.ndarray, scale: np.ndarray, faint: Any = 0.0) -> np.ndarray:
    """Return a mask of the parameters by which two times have the same derivative, up to `SLOPE_AGREEMENT` of the scale
    and a time `faint`."""
    return np.asarray(np.abs(first - other) <= SLOPE_AGREEMENT * scale + faint)


def agreed(times: list[np.ndarray], scale: np.ndarray) -> np.ndarray:
    """Return the derivatives of the time of an event, from those of all guards that are zero there; nan where they
    differ."""
    first, *others = times
    found = first.copy()
    for other in others:
        found[~have_same_slope(first, other, np.maximum(scale, np.abs(first)))] = np.nan
    return found


def start_time_slopes(changes: np.ndarray, S: np.ndarray, part: float) -> np.ndarray:
    """Return the derivatives of the instant of a change with which a run begins, (parameters,). `changes`, (parameters,
    functions), are those of the functions that are zero there; S are those of the state. The derivative is 0 where the
    functions change by less than this part of the state. It is nan elsewhere: a start cannot move to the other side."""
    least = part * np.abs(S).max(axis=1, keepdims=True)
    return np.where((np.abs(changes) <= least).all(axis=1), 0.0, np.nan)
