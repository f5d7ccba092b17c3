"""Poses of platforms and arms by other means than those of the package: closed formulas, and all poses of a platform by
a total-degree homotopy in dual quaternions, in plain numpy."""

import numpy as np


def turned(e):
    """The rotation matrix of a quaternion of any length."""
    w, x, y, z = e / np.linalg.norm(e)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def legs(place, e, base, joints):
    """The lengths of the legs of a platform that stands so."""
    return np.linalg.norm(place + joints @ turned(e).T - base, axis=1)


def about_x(angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[1, 0, 0], [0, c, -s], [0, s, c]])


def about_z(angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])


def hand(angles, a, d, alpha):
    """Where the hand of an arm of Denavit-Hartenberg numbers is, and its frame."""
    place, frame = np.zeros(3), np.eye(3)
    for angle, ak, dk, turn in zip(angles, a, d, alpha, strict=True):
        frame = frame @ about_z(angle)
        place = place + frame @ np.array([ak, 0.0, dk])
        frame = frame @ about_x(turn)
    return place, frame


def ends_of_platform(base, joints, lengths, seed=0):
    """All solutions of a platform's equations by a total-degree homotopy, in other unknowns than those of the package.

    With the dual quaternion (g, h), |g|² p = 2 h g*, the equation of a leg is a quadric in (g, h), and so is that of
    Study, g · h = 0. With a random plane, eight equations in eight unknowns: 2⁷ = 128 paths from products of linear
    forms, of which 40 end at poses; the others go where g = 0."""
    random = np.random.default_rng(seed)
    quadrics = [_leg(b, m, l) for b, m, l in zip(base, joints, lengths, strict=True)]
    study = np.zeros((8, 8))
    study[:4, 4:] = study[4:, :4] = np.eye(4) / 2
    quadrics.append(study)
    Q = np.array(quadrics) / np.abs(quadrics).max(axis=(1, 2), keepdims=True)
    plane = random.normal(size=8) + 1j * random.normal(size=8)
    return _paths(Q, plane, random)


def _leg(b, m, length):
    """|p + R m - b|² |g|² as a quadric of (g, h), with p |g|² the vector part of 2 h g*."""
    mul = _left
    # p + R m - b = (2 h g* + g m g* - b g g*) / |g|² = (2 h + g m - b g) g* / |g|²: its length is |2 h + g m - b g|/|g|
    linear = np.hstack([_right(np.r_[0, m]) - mul(np.r_[0, b]), 2 * np.eye(4)])
    quadric = linear.T @ linear
    quadric[:4, :4] -= length**2 * np.eye(4)
    return quadric


def _left(a):
    w, x, y, z = a
    return np.array([[w, -x, -y, -z], [x, w, -z, y], [y, z, w, -x], [z, -y, x, w]])


def _right(a):
    w, x, y, z = a
    return np.array([[w, -x, -y, -z], [x, w, z, -y], [y, -z, w, x], [z, y, -x, w]])


def _paths(Q, plane, random):
    """From products of two linear forms each, on the plane, all 2⁷ of them; in the projective space of (g, h)."""
    forms = random.normal(size=(7, 2, 8)) + 1j * random.normal(size=(7, 2, 8))
    gamma = np.exp(2j * np.pi * random.random(7))
    starts = []
    for k in range(128):
        rows = [forms[i, (k >> i) & 1] for i in range(7)]
        starts.append(np.linalg.solve(np.array([*rows, plane]), np.r_[np.zeros(7), 1.0]))
    x = np.array(starts)  # (paths, 8)
    ends = []
    for start in x:
        end = _one(Q, plane, forms, gamma, start)
        if end is not None:
            ends.append(end)
    return np.array(ends)


def _system(Q, plane, forms, gamma, x, s):
    quad = np.einsum("i,kij,j->k", x, Q, x)
    grad = 2 * np.einsum("kij,j->ki", Q, x)
    first, second = forms[:, 0] @ x, forms[:, 1] @ x
    product = gamma * first * second
    slope = gamma[:, None] * (forms[:, 0] * second[:, None] + forms[:, 1] * first[:, None])
    F = np.r_[s * quad + (1 - s) * product, plane @ x - 1]
    J = np.vstack([s * grad + (1 - s) * slope, plane])
    by_s = np.r_[quad - product, 0]
    return F, J, by_s


def _one(Q, plane, forms, gamma, x):
    s, h = 0.0, 0.02
    for _ in range(4000):
        step = min(h, 1 - s)
        k = []
        for c, at in ((0, 0), (0.5, 0.5), (0.5, 0.5), (1, 1)):
            y = x if not k else x + c * step * k[-1]
            _, J, by_s = _system(Q, plane, forms, gamma, y, s + at * step)
            k.append(-np.linalg.solve(J, by_s))
        y = x + step / 6 * (k[0] + 2 * k[1] + 2 * k[2] + k[3])
        sizes = []
        for _ in range(3):
            F, J, _ = _system(Q, plane, forms, gamma, y, s + step)
            d = -np.linalg.solve(J, F)
            y = y + d
            sizes.append(np.linalg.norm(d) / np.linalg.norm(y))
        if sizes[0] < 1e-3 and sizes[-1] < 1e-9:
            x, s, h = y, s + step, h * 1.5
            if s >= 1:
                return x
        else:
            h *= 0.4
            if h < 1e-9:
                return None
    return None


def poses_of(ends):
    """The distinct poses (R, p) of the ends with g ≠ 0."""
    found = []
    for end in ends:
        g, h = end[:4], end[4:]
        size = g @ g
        if abs(size) < 1e-6 * np.abs(end).max() ** 2:
            continue
        conjugate = g * [1, -1, -1, -1]
        place = 2 * (_left(h) @ conjugate)[1:] / size
        R = (_left(g) @ _right(conjugate))[1:, 1:] / size
        one = np.r_[R.ravel(), place]
        if all(np.abs(one - other).max() > 1e-5 * max(1, np.abs(one).max()) for other in found):
            found.append(one)
    return np.array(found)


def meetings_of_coupler_curves(first, second):
    """Where points of two four-bars' couplers meet, all complex pairs z = x + iy, w = x - iy, from five places each in
    the order: ground, crank's end, ground, rocker's end, point of the coupler.

    The crank's end lies at z - u p, with the coupler's turn u, and |z - u p - A| = a is, with ū = 1/u,
    (z - A)(w - Ā) + |p|² - a² = u p (w - Ā) + p̄ (z - A)/u. With the rocker's, two linear equations for u and 1/u, by
    the rule of Cramer: u and 1/u have degrees (2, 1) and (1, 2), over one of (1, 1); so (3, 3) in all.
    """
    curves = [_coupler_curve(one) for one in (first, second)]

    def resultant(z):
        (a, b) = (np.array([np.polynomial.polynomial.polyval(z, column) for column in c.T]) for c in curves)
        rows = [np.r_[np.zeros(k), one, np.zeros(2 - k)] for one in (a, b) for k in range(3)]
        return np.linalg.det(np.array(rows))

    count = 32  # by its values on a circle
    circle = 1.5 * np.exp(2j * np.pi * np.arange(count) / count)
    c = np.fft.fft([resultant(z) for z in circle]) / count / 1.5 ** np.arange(count)
    degree = int(np.flatnonzero(np.abs(c * 1.5 ** np.arange(count)) > 1e-9 * np.abs(c).max()).max())
    z = np.roots(c[: degree + 1][::-1])
    w = []
    for one in z:
        a, b = (
            np.polynomial.polynomial.polyroots([np.polynomial.polynomial.polyval(one, k) for k in c.T]) for c in curves
        )
        gaps = np.abs(a[:, None] - b)
        w.append(a[np.unravel_index(gaps.argmin(), gaps.shape)[0]])
    return z, np.array(w)


def _coupler_curve(places):
    """The coefficients of z^i w^j, (4, 4)."""
    A, E, B, F, P = places.values()
    samples = np.exp(2j * np.pi * np.arange(4) / 4)
    z, w = np.meshgrid(samples, samples, indexing="ij")
    rows = []
    for ground, end in ((A, E), (B, F)):
        p = P - end
        k = (z - ground) * (w - np.conj(ground)) + abs(p) ** 2 - abs(end - ground) ** 2
        rows.append((p * (w - np.conj(ground)), np.conj(p) * (z - ground), k))
    (a, b, k), (c, d, m) = rows
    value = (k * d - m * b) * (a * m - c * k) - (a * d - b * c) ** 2
    return np.fft.fft2(value) / 16
