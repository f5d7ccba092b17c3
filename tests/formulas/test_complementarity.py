"""Contact problems f, w = W f + w0: against all combinations of modes, fixed points, and forces known by hand."""

from itertools import combinations, product

import numpy as np
import pytest

from mbs_dae.linear.complementarity import (
    DONE,
    NEWTON_COUNT,
    NO_SOLUTION,
    NOT_FOUND,
    SEVERAL,
    find_undetermined,
    new_complementarity,
    solve_complementarity,
)


def problem(W, w0, laws, f=None):
    """`laws`: (number of rows, mu, B, b); B is None for a unilateral one."""
    bounds = [np.atleast_2d(B) for _, _, B, _ in laws if B is not None]
    made = new_complementarity(len(laws), len(w0), sum(map(len, bounds)))
    made.counts[0] = len(laws)
    made.first[1:] = np.cumsum([law[0] for law in laws])
    made.bound_at[1:] = np.cumsum([0 if B is None else len(np.atleast_2d(B)) for _, _, B, _ in laws])
    made.W[:], made.w0[:] = W, w0
    made.mu[:] = [mu for _, mu, _, _ in laws]
    if bounds:
        made.B[:] = np.concatenate(bounds)
        made.b[:] = np.concatenate([np.atleast_1d(b) for _, _, B, b in laws if B is not None])
    made.f[:] = 0.0 if f is None else f
    return made


def solved(*given, status=DONE):
    made = problem(*given)
    assert solve_complementarity(made) == status
    return made


def unilateral(count):
    return [(1, 0.0, None, 0.0)] * count


def contacts(mu, rows):
    """So many contacts, the unknowns N₁ T₁ N₂ T₂ ..., each T of so many rows."""
    n, laws = len(mu) * (1 + rows), []
    for k, one in enumerate(mu):
        laws += [(1, 0.0, None, 0.0), (rows, one, np.eye(n)[k * (1 + rows)], 0.0)]
    return laws


def delassus(rng, rows, freedoms):
    """W and w0 of random rows of a mechanism of so many freedoms."""
    G = rng.normal(size=(rows, freedoms))
    return G @ np.diag(np.exp(rng.normal(size=freedoms))) @ G.T, G @ rng.normal(size=freedoms)


def natural_residual(p):
    """How far f is from its projection, each law in units in which its W_ii is 1, relative to w0."""
    w, worst, size, diagonal = p.W @ p.f + p.w0, 0.0, 0.0, np.diag(p.W)
    for law in range(p.counts[0]):
        own, bounds = slice(*p.first[law : law + 2]), slice(*p.bound_at[law : law + 2])
        unit = diagonal[own].max() ** -0.5
        trial = p.f[own] - unit**2 * w[own]
        if bounds.start == bounds.stop:
            off = p.f[own] - np.maximum(trial, 0)
        else:
            bound, length = p.mu[law] * np.linalg.norm(p.b[bounds] + p.B[bounds] @ p.f), np.linalg.norm(trial)
            off = p.f[own] - trial * (min(1.0, bound / length) if length > 0 else 1.0)
            size = max(size, p.mu[law] * abs(p.b[bounds]).max() / unit)
        worst, size = max(worst, abs(off).max() / unit), max(size, unit * abs(p.w0[own]).max())
    return worst / size


# --- unilateral laws ------------------------------------------------------------------------------------------------


def least_by_enumeration(W, w0):
    """Of all f ≥ 0 with W f + w0 ≥ 0 and no power, the least one in the units √W_ii: each is the least of some set."""
    unit = np.diag(W) ** -0.5
    A, q, best = unit[:, None] * W * unit, unit * w0, None
    for count in range(len(q) + 1):
        for closed in map(list, combinations(range(len(q)), count)):
            x = np.zeros(len(q))
            x[closed] = -np.linalg.pinv(A[np.ix_(closed, closed)], rcond=1e-10) @ q[closed]
            y, off = A @ x + q, 1e-9 * (1 + abs(x).max())
            holds = min(x.min(), y.min()) > -off and abs(np.minimum(x, y)).max() < off
            if holds and (best is None or x @ x < best @ best * (1 - 1e-9)):
                best = x
    return None if best is None else unit * best


@pytest.mark.parametrize("freedoms", [2, 3, 7])
def test_unilateral_laws_against_all_active_sets(freedoms):
    rng = np.random.default_rng(freedoms)
    for trial in range(60):
        n = 1 + trial % 5
        W, w0 = delassus(rng, n, freedoms)
        made, f = solved(W, w0, unilateral(n)), least_by_enumeration(W, w0)
        scale = 1 + abs(f).max()
        assert np.allclose(made.f, f, rtol=0, atol=1e-8 * scale)
        assert np.allclose(made.w, W @ f + w0, rtol=0, atol=1e-8 * scale)


def test_squeezed_bodies_have_no_solution_and_keep_what_stands():
    """Two walls that come nearer, a body between them. And at random: no f is found where all active sets have none."""
    made = solved([[2.0, -2.0], [-2.0, 2.0]], [-1.0, -1.0], unilateral(2), [0.3, 0.4], status=NO_SOLUTION)
    assert (made.f == [0.3, 0.4]).all()
    rng, met = np.random.default_rng(0), {DONE: 0, NO_SOLUTION: 0}
    for _ in range(60):
        W, w0 = delassus(rng, 5, 3)[0], rng.normal(size=5)
        met[status := solve_complementarity(problem(W, w0, unilateral(5)))] += 1
        assert (status == DONE) == (least_by_enumeration(W, w0) is not None)
    assert min(met.values()) > 10


# --- a table --------------------------------------------------------------------------------------------------------

CORNERS = np.array([[1, -1, -1], [1, 1, -1], [1, 1, 1], [1, -1, 1.0]])
"""Velocities of the feet of a square table for its heave, roll and pitch."""


def test_four_legs_share_a_centred_load_and_none_of_them_is_determined():
    """Mass 2 on it, and gravity 10: each leg carries 5. A fifth contact, of another body, is determined."""
    W, w0 = np.zeros((5, 5)), np.r_[np.full(4, -10.0), -3.0]
    W[:4, :4], W[4, 4] = CORNERS @ np.diag([1 / 2, 3.0, 3.0]) @ CORNERS.T, 0.1
    made, undetermined = solved(W, w0, unilateral(5), [7, 0, 0, 0, 1]), np.zeros(5, dtype=np.int64)
    assert np.allclose(made.f, [5, 5, 5, 5, 30], rtol=1e-9, atol=0) and abs(made.w).max() < 1e-13
    find_undetermined(made, undetermined)
    assert list(undetermined) == [1, 1, 1, 1, 0]


def test_a_load_beside_the_middle_is_shared_as_springs_would():
    """A load of 4 at (0.25, 0.1): the least forces are linear in the place of the leg, (1 + 0.25 x + 0.1 y)."""
    load = np.array([4.0, 4 * 0.25, 4 * 0.1])
    made = solved(CORNERS @ CORNERS.T, -CORNERS @ load, unilateral(4))
    assert np.allclose(made.f, CORNERS @ [1, 0.25, 0.1], rtol=1e-9, atol=0)
    beyond = solved(CORNERS @ CORNERS.T, -CORNERS @ [4.0, 4 * 1.5, 0.0], unilateral(4))
    assert (beyond.f >= 0).all() and beyond.f[0] == 0 and beyond.w[0] > 0  # it tips over two of its legs


def test_the_order_of_laws_does_not_matter():
    rng = np.random.default_rng(5)
    G = np.zeros((12, 6))
    for k, (x, y) in enumerate(
        [(1, 1), (1, -1), (-1, 1), (-1, -1)]
    ):  # N and T of four feet of a box, 1 below its middle
        r = np.array([x, y, -1.0])
        for row, u in enumerate(np.eye(3)[[2, 0, 1]]):
            G[3 * k + row] = np.r_[u, np.cross(r, u)]
    for pull in (
        [0.2, 0.1, -1, 0, 0, 0],
        [0.9, 0.4, -1, 0, 0, 0],
        [0.2, 0, -1, 0, 0, 0.5],
        [0, 0.3, -1, 0.1, 0.1, 0.7],
    ):
        w0 = G @ pull
        made = problem(G @ G.T, w0, contacts([0.4] * 4, 2))
        assert solve_complementarity(made) == DONE and natural_residual(made) < 1e-12
        order = rng.permutation(4)
        rows = (3 * order[:, None] + np.arange(3)).ravel()
        other = solved((G @ G.T)[np.ix_(rows, rows)], w0[rows], contacts([0.4] * 4, 2))
        assert np.allclose(other.f, made.f[rows], rtol=0, atol=1e-9) and np.allclose(other.w, made.w[rows], atol=1e-11)


def test_the_order_of_laws_does_not_matter_at_random():
    """Twelve rows of a body of six freedoms: the same motions, and the same of all forces that go with them."""
    rng = np.random.default_rng(12)
    for _ in range(100):
        W, w0 = delassus(rng, 12, 6)
        mu, order = rng.uniform(0.1, 0.5, size=4), rng.permutation(4)
        rows = (3 * order[:, None] + np.arange(3)).ravel()
        made, other = solved(W, w0, contacts(mu, 2)), solved(W[np.ix_(rows, rows)], w0[rows], contacts(mu[order], 2))
        assert np.allclose(other.w, made.w[rows], rtol=0, atol=1e-9 * abs(w0).max())
        assert np.allclose(other.f, made.f[rows], rtol=0, atol=1e-9 * (abs(made.f).max() + 1e-9))


# --- friction in the plane ------------------------------------------------------------------------------------------


def planar_solutions(W, w0, mu):
    """All w of contacts N₁ T₁ N₂ T₂ ...: open, sticking, sliding one way or the other."""
    found, n = [], len(w0)
    for modes in product(["open", "stick", 1.0, -1.0], repeat=len(mu)):
        rows, right = np.eye(n), np.zeros(n)
        for k, mode in enumerate(modes):
            N, T = 2 * k, 2 * k + 1
            if mode != "open":
                rows[N], right[N] = W[N], -w0[N]
                rows[T], right[T] = (
                    (W[T], -w0[T]) if mode == "stick" else (np.eye(n)[T] + mode * mu[k] * np.eye(n)[N], 0)
                )
        f = np.linalg.solve(rows, right)
        w, good = W @ f + w0, True
        for k, mode in enumerate(modes):
            N, T = 2 * k, 2 * k + 1
            good &= f[N] > -1e-9 and w[N] > -1e-9 and abs(f[T]) < mu[k] * f[N] + 1e-9
            good &= not isinstance(mode, float) or mode * w[T] > -1e-9
        if good and all(abs(w - other).max() > 1e-6 for other in found):
            found.append(w)
    return found


@pytest.mark.parametrize("strength", [0.5, 3.0])
def test_planar_friction_against_all_modes(strength):
    rng, met = np.random.default_rng(1), {DONE: 0, SEVERAL: 0, NO_SOLUTION: 0}
    for trial in range(90):
        many = 1 + trial % 3
        W, w0 = delassus(rng, 2 * many, 2 * many + 1)
        mu = strength * rng.uniform(size=many)
        made = problem(W, w0, contacts(mu, 1))
        met[status := solve_complementarity(made)] += 1
        solutions = planar_solutions(W, w0, mu)
        assert (status == NO_SOLUTION) == (not solutions)
        assert status != SEVERAL or len(solutions) > 1
        assert status == NO_SOLUTION or min(abs(made.w - w).max() for w in solutions) < 1e-9 * (1 + abs(W).max())
    assert met[DONE] > 60


def rod(angle, mu, w0):
    """A rod of mass 1 and half length 1 that touches the ground: Painlevé's. Inclined by `angle`, W of its end."""
    s, c = np.sin(angle), np.cos(angle)
    W = np.array([[1 + 3 * c**2, -3 * s * c], [-3 * s * c, 1 + 3 * s**2]])
    return W, w0, contacts([mu], 1)


def test_painleve():
    """A rod that slides has w_N = (W_NN - μ |W_NT|) N + w0_N. Where that factor is negative, N pushes the end into the
    ground: no N does where it is to go there anyway; where it parts, it may as well be held."""
    W, _, laws = rod(1.2, 2.0, None)
    factor = W[0, 0] - 2.0 * abs(W[0, 1])
    for acceleration, slip, strength, status in [
        (-1.0, -1.0, 2.0, NO_SOLUTION),
        (1.0, -1.0, 2.0, SEVERAL),
        (-1.0, 1.0, 2.0, DONE),
        (1.0, 1.0, 2.0, DONE),
        (-1.0, -1.0, 0.3, DONE),
    ]:
        made = problem(*rod(1.2, strength, [acceleration, 0.5]))
        made.heading[1] = 7.0 * slip
        assert solve_complementarity(made) == status
        if status == DONE:
            normal = max(-acceleration, 0) / (W[0, 0] - slip * strength * W[0, 1])
            assert np.allclose(made.f, [normal, -slip * strength * normal], rtol=1e-14)
            assert np.allclose(made.w, W @ made.f + [acceleration, 0.5], rtol=1e-14, atol=1e-15)
    assert factor < 0


def test_an_impact_that_jams_has_a_solution():
    """Velocities and impulses: what slides into the ground stops there, however strong the friction is."""
    made = problem(*rod(1.2, 2.0, [-1.0, -3.0]))
    assert solve_complementarity(made) in (DONE, SEVERAL)
    assert np.allclose(made.w, planar_solutions(*rod(1.2, 2.0, [-1.0, -3.0])[:2], [2.0])[0], atol=1e-13)


# --- friction in space ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pull", [(0.3, 0.2), (0.8, -0.6), (0.5, 1.2)])
def test_a_block_on_a_slope_that_is_pulled_across(pull):
    """Accelerations: it sticks inside of the cone; else it slides the way it is driven, less μ g cos α."""
    mass, angle, mu = 3.0, 0.4, 0.6
    normal, drive = 9.81 * np.cos(angle), np.array([pull[0], pull[1] + 9.81 * np.sin(angle)])
    made = solved(np.eye(3) / mass, np.r_[-normal, drive], contacts([mu], 2))
    over = np.linalg.norm(drive) - mu * normal
    assert made.f[0] == pytest.approx(mass * normal, rel=1e-13)
    assert np.allclose(made.w[1:], max(over, 0) * drive / np.linalg.norm(drive), rtol=0, atol=1e-12)
    assert (over > 0) == (np.linalg.norm(made.f[1:]) > 0.9999999 * mu * made.f[0])


@pytest.mark.parametrize("mu", [0.05, 0.2, 0.5])
def test_a_ball_with_spin_hits_a_plate(mu):
    """W = diag(1, 7/2, 7/2)/m of a ball. It grips if 2/7 |slip| ≤ μ (1 + e) |v|, else it slips on, straight on."""
    mass, speed, restitution, slip = 0.2, 3.0, 0.8, np.array([1.5, -2.0])
    made = solved(np.diag([1, 3.5, 3.5]) / mass, np.r_[-(1 + restitution) * speed, slip], contacts([mu], 2))
    impulse = mass * (1 + restitution) * speed
    tangential = -min(2 / 7 * mass, mu * impulse / np.linalg.norm(slip)) * slip
    assert np.allclose(made.f, np.r_[impulse, tangential], rtol=1e-13)


def test_spatial_friction_against_a_fixed_point():
    """De Saxcé: f is the projection onto the cone of f - ρ (w + μ |w_T| n). So f of Coulomb's law is found, slowly."""
    rng, sliding = np.random.default_rng(3), 0
    for trial in range(12):
        many = 1 + trial % 3
        n = 3 * many
        W = np.eye(n) + 0.1 * delassus(rng, n, n)[0] / n
        w0, mu = rng.normal(size=n), rng.uniform(0.1, 0.8, size=many)
        w0[::3] -= 1.0
        rho, f, m = 1 / np.linalg.eigvalsh(W)[-1], np.zeros((many, 3)), mu[:, None]
        for _ in range(600):
            w = (W @ f.ravel() + w0).reshape(many, 3)
            w[:, 0] += mu * np.linalg.norm(w[:, 1:], axis=1)
            z = f - rho * w
            N, T = z[:, :1], np.linalg.norm(z[:, 1:], axis=1, keepdims=True)
            on = (
                np.maximum((N + m * T) / (1 + m**2), 0) * np.c_[np.ones((many, 1)), m * z[:, 1:] / np.maximum(T, 1e-99)]
            )
            f = np.where(m * N >= T, z, np.where(-m * T >= N, 0.0, on))
        made = solved(W, w0, contacts(mu, 2))
        assert np.allclose(made.f, f.ravel(), rtol=0, atol=1e-9)
        sliding += (np.linalg.norm(made.w.reshape(many, 3)[:, 1:], axis=1) > 1e-9).sum()
    assert sliding > 5


def test_what_slides_already_slides_on():
    """Friction against the slip, whatever its rate is: as if this were the same, and larger than all else."""
    rng = np.random.default_rng(6)
    for _ in range(30):
        W, w0 = delassus(rng, 9, 12)
        made, other = (problem(W, w0, contacts([0.2, 0.1, 0.3], 2)) for _ in range(2))
        heading = np.zeros(9)
        heading[4:6] = rng.normal(size=2)
        made.heading[:], other.w0[:] = heading, w0 + 1e5 * heading
        assert solve_complementarity(made) == solve_complementarity(other) == DONE
        assert np.allclose(made.f, other.f, rtol=0, atol=1e-3 * abs(made.f).max())
        slip = heading[4:6] / np.linalg.norm(heading)
        assert np.allclose(made.f[4:6], -0.1 * made.f[3] * slip, rtol=0, atol=1e-13 * abs(made.f).max())


# --- friction in joints ---------------------------------------------------------------------------------------------


def test_friction_of_a_guide_that_its_own_force_presses():
    """r = μ √(b₁² + (b₂ + β f)²): a quadratic equation for the f of sliding; sticking where W⁻¹ w0 is less."""
    mu, (b1, b2), beta = 0.3, (2.0, 5.0), 0.7
    for pull in (1.0, -1.0, 0.1):
        made = solved([[0.5]], [4 * pull], [(1, mu, [[0.0], [beta]], [b1, b2])])
        roots = np.roots([1 - (mu * beta) ** 2, -2 * mu**2 * b2 * beta, -(mu**2) * (b1**2 + b2**2)])
        expected = -8 * pull if abs(pull) < 0.5 else roots.min() if pull > 0 else roots.max()
        assert made.f[0] == pytest.approx(expected, rel=1e-13)


def test_a_bound_that_nothing_changes_is_a_given_force():
    made = solved(np.diag([1.0, 4.0]), [3.0, 4.0], [(2, 1.0, [0.0, 0.0], 1.0)])
    f, w = made.f, made.w
    assert np.linalg.norm(f) == pytest.approx(1, rel=1e-13) and abs(f[0] * w[1] - f[1] * w[0]) < 1e-13 and f @ w < 0
    nothing = solved(np.eye(2), [3.0, 4.0], [(2, 0.0, [0.0, 0.0], 1.0)])
    assert (nothing.f == 0).all() and np.allclose(nothing.w, [3, 4])


# --- what holds for all ---------------------------------------------------------------------------------------------


def random_problem(rng):
    """Contacts in the plane or in space, joints with friction; dependent rows; masses and units far apart."""
    many, rows, joints = rng.integers(1, 4), rng.integers(1, 3), rng.integers(0, 3)
    laws, sizes = contacts(rng.uniform(0, 0.7, size=many), rows), rng.integers(1, 4, size=joints)
    n = many * (1 + rows) + sizes.sum()
    laws = [(k, mu, None if B is None else np.r_[B, np.zeros(n - len(B))], b) for k, mu, B, b in laws]
    for size in sizes:
        laws.append((size, rng.uniform(0, 0.5), 0.1 * rng.normal(size=(2, n)), rng.normal(size=2)))
    W, w0 = delassus(rng, n, n + 2 if rng.uniform() < 0.7 else max(2, n - 2))
    return W, w0, laws


@pytest.mark.parametrize("count", [1000, pytest.param(9000, marks=pytest.mark.slow)])
def test_nothing_is_wrong_at_random(count):
    rng, met = np.random.default_rng(count), {DONE: 0, SEVERAL: 0, NO_SOLUTION: 0, NOT_FOUND: 0}
    for _ in range(count):
        made = problem(*random_problem(rng))
        met[status := solve_complementarity(made)] += 1
        assert status > SEVERAL or natural_residual(made) <= 1e-12 * max(1.0, abs(made.W @ made.f).max())
    assert met[NOT_FOUND] + met[NO_SOLUTION] <= 1e-3 * count


def test_units_do_not_matter():
    """Rows in other units, law by law; forces and motions of another size."""
    rng = np.random.default_rng(8)
    for _ in range(40):
        W, w0, laws = random_problem(rng)
        made = problem(W, w0, laws)
        status = solve_complementarity(made)
        unit = np.concatenate([np.full(law[0], 10.0 ** rng.integers(-6, 7)) for law in laws])
        size, first = 10.0 ** rng.integers(-6, 7), np.cumsum([0] + [law[0] for law in laws])
        other = [
            (
                rows,
                mu,
                None if B is None else B * unit / unit[at],
                None if B is None else np.asarray(b) * size / unit[at],
            )
            for at, (rows, mu, B, b) in zip(first[:-1], laws, strict=True)
        ]
        scaled = problem(unit[:, None] * W * unit, size * unit * w0, other)
        assert solve_complementarity(scaled) == status
        assert status > SEVERAL or np.allclose(
            scaled.f * unit / size, made.f, rtol=0, atol=1e-8 * (1 + abs(made.f).max())
        )


def test_a_problem_smaller_than_its_arrays_and_one_without_laws():
    made = new_complementarity(5, 5, 3)
    assert solve_complementarity(made) == DONE
    made.counts[0], made.first[1], made.W[0, 0], made.w0[0], made.f[1] = 1, 1, 4.0, -8.0, 9.0
    assert solve_complementarity(made) == DONE and made.f[0] == 2.0 and made.f[1] == 9.0
    made.w0[0] = 3.0
    assert solve_complementarity(made) == DONE and made.f[0] == 0.0 and made.w[0] == 3.0


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_what_is_no_number_is_refused(wrong):
    solved([[1.0, 0.0], [0.0, wrong]], [-1.0, -1.0], unilateral(2), status=NOT_FOUND)
    solved(np.eye(2), [-1.0, wrong], unilateral(2), status=NOT_FOUND)
    assert solved(np.eye(2), [-1.0, 1.0], unilateral(2), [wrong, wrong]).f[0] == 1.0


def test_few_steps_are_made():
    """Newton's method ends two steps after it has begun with the right modes, and most often it has them at once."""
    rng, steps = np.random.default_rng(4), []
    for _ in range(200):
        W, w0 = delassus(rng, 12, 15)
        made = solved(W, w0, contacts(rng.uniform(0, 0.5, size=4), 2))
        steps.append(made.tally[NEWTON_COUNT])
        assert solve_complementarity(made) == DONE and made.tally[NEWTON_COUNT] <= 2  # from the solution
    assert np.median(steps) <= 4
