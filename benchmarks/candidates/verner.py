"""The pair 9(8) of Verner, Numerically optimal Runge-Kutta pairs with interpolants, Numerical Algorithms 53 (2010):
sixteen evaluations a step, and a projection. Zeros between the first and the sixth stage are left out."""

from __future__ import annotations

import numpy as np

from .motion import Motion

ORDER = 8  # of the error estimate
NODES = """
    0.03462 0.09702435063878045 0.14553652595817068 0.561 0.22900791159048503 0.544992088409515 0.645 0.48375 0.06757
    0.25 0.6590650618730999 0.8206 0.9012 1.0 1.0
"""
STAGES = """
    0.03462 /
    -0.03893354388572875 0.13595789452450918 /
    0.03638413148954267 0 0.10915239446862801 /
    2.0257639143939694 0 -7.638023836496291 6.173259922102322 /
    0.05112275589406061 0 0 0.17708237945550218 0.0008027762409222536 /
    0.13160063579752163 0 0 -0.2957276252669636 0.08781378035642955 0.6213052975225274 /
    0.07166666666666667 0.33055335789153195 0.2427799754418014 /
    0.071806640625 0.3294380283228177 0.1165190029271823 -0.034013671875 /
    0.04836757646340646 0.03928989925676164 0.10547409458903446 -0.021438652846483126 -0.10412291746271944 /
    -0.026645614872014785 0.03333333333333333 -0.1631072244872467 0.03396081684127761 0.1572319413814626
    0.21522674780318796 /
    0.03689009248708622 -0.1465181576725543 0.2242577768172024 0.02294405717066073 -0.0035850052905728597
    0.08669223316444385 0.43838406519683376 /
    -0.4866012215113341 -6.304602650282853 -0.2812456182894729 -2.679019236219849 0.5188156639241577
    1.3653531876033418 5.8850910885039465 2.8028087862720628 /
    0.4185367457753472 6.724547581906459 -0.42544428016461133 3.3432791530012653 0.6170816631175374
    -0.9299661239399329 -6.099948804751011 -3.002206187889399 0.2553202529443446 /
    -0.7793740861228848 -13.937342538107776 1.2520488533793563 -14.691500408016868 -0.494705058533141
    2.2429749091462368 13.367893803828643 14.396650486650687 -0.79758133317768 0.4409353709534278 /
    2.0580513374668867 22.357937727968032 0.9094981099755646 35.89110098240264 -3.442515027624454 -4.865481358036369
    -18.909803813543427 -34.26354448030452 1.2647565216956427
"""
WEIGHTS = """
    0.014611976858423152 -0.3915211862331339 0.23109325002895065 0.12747667699928525 0.2246434176204158
    0.5684352689748513 0.058258715572158275 0.13643174034822156 0.030570139830827976 0
"""
ERROR = """
    -0.005357988290444578 -2.583020491182464 0.14252253154686625 0.013420653512688676 -0.02867296291409493
    2.624999655215792 -0.2825509643291537 0.13643174034822156 0.030570139830827976 -0.04834231373823958
"""


def numbers(text: str, gap: int) -> np.ndarray:
    """With zeros put behind the first one."""
    found = [float(word) for word in text.split()]
    return np.array([found[0], *np.zeros(gap), *found[1:]])


C = np.array([0.0, *map(float, NODES.split())])
A = np.zeros((C.size, C.size))
for _stage, _text in enumerate(STAGES.split("/"), 1):
    _row = numbers(_text, 4 if _stage > 6 else 0)
    A[_stage, : _row.size] = _row
B, E = numbers(WEIGHTS, 6), numbers(ERROR, 6)
assert np.allclose(A.sum(axis=1), C, atol=1e-12)
assert all(
    abs(B @ C**p - 1 / (p + 1)) < 1e-13 and abs((B - E) @ C ** min(p, 7) - 1 / (min(p, 7) + 1)) < 1e-12
    for p in range(9)
)


def integrate(motion: Motion) -> np.ndarray:
    """With the control of steps of `motion/control.py`."""
    y, t, power, before, rejected = motion.y, 0.0, 1 / (ORDER + 1), None, False
    k = np.zeros((C.size, y.size))
    k[0] = motion.rates(t, y)
    h = motion.first_step(k[0], ORDER)
    while t < motion.end * (1 - 1e-14):
        h = motion.end - t if t + h * (1 + 1e-9) >= motion.end else h
        try:
            for i in range(1, C.size):
                k[i] = motion.rates(t + C[i] * h, y + h * A[i, :i] @ k[:i])
        except ArithmeticError:  # far off
            motion.rejected += 1
            h, rejected = 0.25 * h, True
            continue
        there = y + h * B @ k
        error = max(motion.norm(h * E @ k, there), 1e-12)
        factor = 0.8 * error**-power
        if error > 1.0:
            motion.rejected += 1
            h, rejected = h * max(0.2, factor), True
            continue
        if before:
            factor *= min(h / before[0] * (max(before[1], 1e-2) / error) ** power, 1.0) ** 0.5
        t, before = t + h, (h, error)
        y = motion.put_right(t, there)
        k[0] = motion.rates(t, y)
        motion.steps += 1
        h, rejected = h * min(max(0.2, factor), 1.0 if rejected else 10.0), False
    return y
