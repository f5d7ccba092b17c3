"""Natural coordinates: q holds the basic points and unit vectors of a model, v = q̇.

`skeleton` says which points and vectors belong to which body; `frame` describes a body by its base, `motions` its
motion; `forms` has the formulas of markers, of the inertia and of the equations of rigid bodies.
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from functools import cached_property, partial
from itertools import combinations_with_replacement
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import sympy as sp

from ...duals import Dual
from ...errors import ModelError
from ...model.bodies.body import Body
from ...model.joints.base import Condition
from ...model.model import Model
from ...model.parameters import ComplexStep, Evaluator, Noting, Number
from ...symbolic.derive import Inertia, MarkerMap
from ...tolerances import LIGHT_MASS, SAME_POINT, SOLUTION_ERROR
from ..base import KernelCoordinates, Layout, Motion, OwnEquations, cartesian_layout, computed, pairs, span
from . import forms
from .frame import body_weights, mass_matrix, second_moments, weights_of
from .motions import Motions
from .skeleton import POINT, VECTOR, Skeleton, Thing, as_direction, skeleton_of


class Natural(KernelCoordinates):
    set = "natural"
    sharing = True

    def __init__(self, model: Model):
        self.model = model
        self.skeleton: Skeleton = skeleton_of(model)
        self.dimension = model.dimension
        self.name = "natural planar" if model.dimension == 2 else "natural spatial"
        self._weights: dict[Body, tuple[Evaluator, np.ndarray]] = {}
        self._places: WeakKeyDictionary[Evaluator, np.ndarray] = WeakKeyDictionary()
        self._stacks: WeakKeyDictionary[Evaluator, np.ndarray] = WeakKeyDictionary()

    @cached_property
    def things(self) -> list[Thing]:
        """The points and vectors that move, then those that stand still."""
        return sorted(self.skeleton.things, key=lambda thing: thing.fixed)

    @property
    def moving(self) -> list[Thing]:
        return [thing for thing in self.things if not thing.fixed]

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        return tuple(f"{thing.name}.{c}" for thing in self.moving for c in "xyz"[: self.dimension])

    @cached_property
    def layout(self) -> Layout:
        """The layout: points and vectors one after the other; the turns of each body stand behind."""
        size, base = self.dimension, self.skeleton.base
        places: dict[Any, tuple[int, ...]] = {thing: span(size * k, size) for k, thing in enumerate(self.things)}
        moving, total = size * len(self.moving), size * len(self.things)
        width = 1 if size == 2 else 3
        turned = {body: span(total + width * k, width) for k, body in enumerate(base)}
        v = places | {body: tuple(p for thing in own for p in places[thing]) for body, own in base.items()}
        q = places | {body: v[body] + turned[body] for body in base}
        plain = pairs((k, k) for k in range(moving))
        moved = {body: turn for body, turn in turned.items() if not body.fixed}
        layout = Layout(q, v, moving, moving, total + width * len(base), total, plain, turned=moved)
        return layout.with_signals(self.model.signals)

    def marker_map(self, label: str) -> MarkerMap:
        return forms.planar_map(label) if self.dimension == 2 else forms.spatial_map(label)

    def settled(self, joint: Condition) -> frozenset[int]:
        return self.skeleton.settled[joint.name]

    # --- numbers in slots -----------------------------------------------------------------------------------------

    def weights_of(self, body: Body, number: Evaluator) -> np.ndarray:
        """Return C of a body; the last result is cached."""
        seen = self._weights.get(body)
        if seen is None or seen[0] is not number:
            seen = self._weights[body] = number, body_weights(self.skeleton.base[body], body, number)
        return seen[1]

    def marker_slots(self, marker: Any) -> tuple[Number, ...]:
        return computed(lambda number: self._marker_numbers(marker, number), 7 if self.dimension == 2 else 19)

    def _marker_numbers(self, marker: Any, number: Evaluator) -> list[float]:
        C = self.weights_of(marker.body, number)
        point = weights_of(C, True, marker.point, number)
        axes = [weights_of(C, False, axis, number) for axis in zip(*marker.frame, strict=True)]
        if self.dimension == 3:
            return [*point, *np.concatenate(axes), *(number(row[2]) for row in marker.frame)]
        unit = axes[0][1] ** 2 + axes[0][2] ** 2  # of a direction: |c d + e d⊥| = 1
        return [self._sigma(marker.body), *point[1:], *axes[0][1:], unit, number(marker.angle)]

    def _sigma(self, body: Body) -> float:
        """Return 1 if the second thing of the base of a body in the plane is a point, else 0."""
        return float(self.skeleton.base[body][1].kind == POINT)

    # --- inertia ----------------------------------------------------------------------------------------------

    def inertia(self, form: str) -> Inertia:
        return forms.planar_inertia(form) if self.dimension == 2 else forms.spatial_inertia(form)

    def inertia_form(self, body: Body) -> str:
        """Return the form of the inertia, which names the entries of M that are 0 for all values of the parameters: the
        fewer entries are left, the sparser is L."""
        coupled = self._coupled(body)
        if self.dimension == 2:
            return forms.RIGID if coupled[0, 2] else forms.ROD
        return " ".join([forms.RIGID, *(f"{k}{l}" for k in range(4) for l in range(k) if not coupled[k, l])])

    def _coupled(self, body: Body, samples: Sequence[Evaluator] = ()) -> np.ndarray:
        """Return for each pair of columns of the base whether the mass of a body couples them."""
        found = np.zeros((self.dimension + 1, self.dimension + 1), dtype=bool)
        for number in samples or self.skeleton.samples:
            try:
                M = mass_matrix(self.weights_of(body, number), body, number)
            except ModelError:  # not described by its base with these values: nothing is known of it
                return np.ones_like(found)
            size = np.sqrt(np.abs(np.diag(M)))
            size = np.maximum(size, 1e-6 * size.max())
            found |= ~(np.abs(M) <= SAME_POINT * np.outer(size, size))
        return found

    def check_values(self, number: Evaluator) -> None:
        """Raise an error if a property that was found with some values of the parameters does not hold with others."""
        self.skeleton.check_values(number)
        for body in self.model.bodies.values():
            self.weights_of(body, number)
            if (self._coupled(body, [number]) & ~self._coupled(body)).any():
                what = f"body {body.name!r} couples with these parameters what it did not couple with others"
                raise ModelError(
                    f"the mass of {what}; build the model with these values", code="mass-not-of-frame", body=body.name
                )

    def check_moments(self, number: Evaluator) -> None:
        """Raise an error for bodies with an entry of M that roundoff of the tensor of inertia changes by more than
        `SOLUTION_ERROR`, like that of a thin rod in a frame that is turned. (An entry that is only roundoff is the 0 of
        a line.)"""
        for body in self.model.bodies.values():
            C = self.weights_of(body, number)
            step = abs(C[:, 1:])
            roundoff = 1.1e-16 * np.einsum("ki,ij,kj->k", step, abs(second_moments(body, number)), step)
            entries = np.diag(mass_matrix(C, body, number))
            if ((entries > 16 * roundoff) & (SOLUTION_ERROR * entries < roundoff)).any():
                what = f"body {body.name!r} has a moment of inertia that is lost in the roundoff of the others"
                cure = "turn its frame into its principal axes, or write 0 for it"
                raise ModelError(
                    f"{what}, since its tensor is turned; {cure}", code="mass-not-of-frame", body=body.name
                )

    def inertia_slots(self, body: Body, gravity: tuple[Number, ...]) -> tuple[Number, ...]:
        count = 8 if self.dimension == 2 else 14
        return (*computed(lambda number: self._inertia_numbers(body, number), count), *gravity)

    def _inertia_numbers(self, body: Body, number: Evaluator) -> list[float]:
        C, mass = self.weights_of(body, number), number(body.mass)
        M = mass_matrix(C, body, number)
        com = weights_of(C, True, body.com, number)
        if self.dimension == 3:
            return [*(M[k, l] for k in range(4) for l in range(k + 1)), *(mass * com)]
        return [M[0, 0], M[0, 1], M[0, 2], M[1, 1] + M[2, 2], self._sigma(body), mass, *com[1:]]

    def all_weights(self, length: float) -> np.ndarray:
        """Return the weights of all velocities; a vector counts as the displacement of a point at the model's
        length."""
        return np.repeat([1.0 if thing.kind == POINT else length**2 for thing in self.things], self.dimension)

    def masses(self, number: Evaluator) -> np.ndarray:
        """Return the mass that each coordinate moves; 0 if M of a body is singular or nearly so: a rod, a disk, no
        mass."""
        total, idle = self._moved(number)
        return np.where(idle, 0.0, total)[: self.layout.nv]

    def diagonal(self, number: Evaluator) -> np.ndarray:
        return self._moved(number)[0][: self.layout.nv]

    def _moved(self, number: Evaluator) -> tuple[np.ndarray, np.ndarray]:
        """Return the diagonal of M, with the ground's entries behind the others; and whether each coordinate takes part
        in an M of a body that is singular, or has less than `LIGHT_MASS` of its own diagonal in some motion."""
        layout = self.layout
        total, idle = np.zeros(layout.v_size), np.zeros(layout.v_size, dtype=bool)
        for body in self.model.bodies.values():
            M, places = mass_matrix(self.weights_of(body, number), body, number), list(layout.v[body])
            if self.dimension == 2:  # a vector of the plane as a complex number, and d = x₁ - σ x₀
                mixed, d = M[0, 1] + 1j * M[0, 2], np.array([[1.0, 0.0], [-self._sigma(body), 1.0]])
                M = d.T @ np.array([[M[0, 0], mixed], [mixed.conjugate(), M[1, 1] + M[2, 2]]]) @ d
            diagonal = np.real(np.diag(M))
            scale = np.sqrt(np.maximum(diagonal, 1e-300))
            total[places] += np.repeat(diagonal, self.dimension)
            if np.linalg.eigvalsh(M / np.outer(scale, scale)).min() <= LIGHT_MASS:
                idle[places] = True
        return total, idle

    # --- rigid bodies -----------------------------------------------------------------------------------------

    def own_equations(self) -> Iterator[OwnEquations]:
        """Yield the equations that keep bodies rigid: combinations, except those that the ground or an earlier body
        determines; then inner products of the bases."""
        ground = self.model.ground
        said = [set(self.skeleton.of[ground])]
        combined: dict[Body, set[Thing]] = {ground: said[0] - set(self.skeleton.base[ground])}
        for body in self.model.bodies.values():
            combined[body] = set()
            for equations in self._combinations(body):
                if not any(things.issuperset(equations.owners) for things in said):
                    combined[body].add(equations.owners[-1])
                    yield equations
            said.append(set(self.skeleton.of[body]))
        yield from self._turning_groups() if self.dimension == 2 else self._products_of_all(combined)

    def _turning_groups(self) -> Iterator[OwnEquations]:
        """Yield the inner products in the plane: bodies that share a direction turn together, and one length makes all
        of them rigid, because each d is a turned multiple of any other. The ground needs none."""
        rest = dict.fromkeys([self.model.ground, *self.model.bodies.values()])
        while rest:
            group = [next(iter(rest))]
            del rest[group[0]]
            for body in group:
                for other in [*rest]:
                    shared = [thing.kind for thing in self.skeleton.of[body] if other in thing.places]
                    if VECTOR in shared or len(shared) > 1:  # both share a direction
                        group.append(other)
                        del rest[other]
            if not group[0].fixed:
                yield from self._products(group[0])

    def _products_of_all(self, combined: Mapping[Body, Set[Thing]]) -> Iterator[OwnEquations]:
        """Yield the inner products in space, each once. One that follows from another body's equations is omitted,
        unless the equations of that body rely on it in turn."""
        ground = self.model.ground
        products = {frozenset(equations.owners) for equations in self._products(ground)}
        relies: dict[Body, Set[Body]] = {body: set() for body in combined}
        for body in self.model.bodies.values():
            for equations in self._products(body):
                owners = frozenset(equations.owners)
                sources = (
                    other
                    for other, some in combined.items()
                    if owners & some and owners <= some | set(self.skeleton.base[other]) and body not in relies[other]
                )
                source = next(sources, None)
                if source is not None:
                    for other in relies:
                        if other is body or body in relies[other]:
                            relies[other] |= {source, *relies[source]}
                elif owners not in products:
                    products.add(owners)
                    yield equations

    def _products(self, body: Body) -> Iterator[OwnEquations]:
        origin, *others = self.skeleton.base[body]
        for some in combinations_with_replacement(others, 2):
            pair = sorted(some, key=lambda thing: thing.kind == POINT, reverse=True)
            used = pair if pair[0] is not pair[1] else pair[:1]
            points = "".join("p" if thing.kind == POINT else "v" for thing in used)
            owners = (*((origin,) if "p" in points else ()), *used)
            (g,) = computed(partial(self._product, body, pair), 1)
            unit = {"v": "", "vv": "", "p": "m²", "pp": "m²"}.get(points, "m")
            form = forms.inner_product(self.dimension, points)
            yield OwnEquations(body, f"product {points}", form, {"g": g}, owners, (unit,))

    def _combinations(self, body: Body) -> Iterator[OwnEquations]:
        base = self.skeleton.base[body]
        form = forms.combination(self.dimension)
        for thing in self.skeleton.of[body]:
            if thing not in base:
                numbers = computed(partial(self._combination, body, thing), 4)
                slots = dict(zip(map(str, form.slots), numbers, strict=True))
                unit = "m" if thing.kind == POINT else ""
                yield OwnEquations(body, "combination", form, slots, (*base, thing), (unit,) * self.dimension)

    def _product(self, body: Body, pair: Sequence[Thing], number: Evaluator) -> Any:
        a, b = (as_direction(thing, self.skeleton.base[body][0], body, number) for thing in pair)
        return a @ b

    def _combination(self, body: Body, thing: Thing, number: Evaluator) -> list[float]:
        C = self.weights_of(body, number)
        c = weights_of(C, thing.kind == POINT, thing.places[body], number)
        c = np.where(np.abs(c) > 1e-13 * np.abs(c).max(), c, c - c.real)  # values at roundoff count as 0
        return [*c] if self.dimension == 3 else [self._sigma(body), *c]

    # --- to and from bodies -----------------------------------------------------------------------------------

    def from_bodies(self, cartesian: Layout, motion: Motion, number: Evaluator) -> Motion:
        out = self.layout.motion(len(motion[0]))
        self._motions.from_bodies(self._places_of(number), motion, out)
        return out

    def to_bodies(self, cartesian: Layout, motion: Motion, number: Evaluator) -> Motion:
        out = cartesian.motion(len(motion[0]))
        self._motions.to_bodies(self._all_weights_of(number), motion, out)
        return out

    def vary_from_bodies(
        self, number: Evaluator, q: np.ndarray, x: np.ndarray, v: Dual
    ) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
        """How places and velocities in these coordinates change with all that v varies by, (parameters, times, ...),
        where bodies in the places q have the small motions x, (parameters, times, v)."""
        at, asked = self._places_of(number), self._motions.places
        slopes = np.zeros((len(v.by), *at.shape))
        symbols = {s for place in asked for n in place if isinstance(n, sp.Basic) for s in n.free_symbols}
        for row in (row for row, symbol in enumerate(v.by) if symbol in symbols):
            step = ComplexStep(number, v.by[row])
            slopes[row] = np.imag([[step(n) for n in place] for place in asked]) / step.SMALL
        places, rates = self._motions.vary_things(Dual(at, slopes, v.by), q, x, v)
        found = np.zeros((len(v.by), len(q), self.layout.q_size)), np.zeros((len(v.by), len(q), self.layout.v_size))
        for out, part in zip(found, (places, rates), strict=True):
            out[:, :, self._motions.at] = part.slope
        return found

    def vary_bodies(self, number: Evaluator, motion: tuple[Dual, Dual, Dual]) -> tuple[np.ndarray, ...]:
        """The small motions of bodies, and the changes of their velocities and accelerations, with all that a motion
        (q, v, a) in these coordinates varies by: (parameters, times, velocities of bodies)."""
        C, by = self._all_weights_of(number), motion[0].by
        slopes, noting = np.zeros((len(by), *C.shape)), Noting(number)
        for body, base in self.skeleton.base.items():
            body_weights(base, body, noting)
        for row in (row for row, symbol in enumerate(by) if symbol in noting.symbols):
            step = ComplexStep(number, by[row])
            weights = [body_weights(base, body, step) for body, base in self.skeleton.base.items()]
            slopes[row] = np.imag(weights) / step.SMALL
        return self._motions.vary_bodies(Dual(C, slopes, by), motion)

    @cached_property
    def _motions(self) -> Motions:
        return Motions(self.skeleton, self.layout, cartesian_layout([*self.model.bodies.values()], self.model.ground))

    def _places_of(self, number: Evaluator) -> np.ndarray:
        """Return the place of each point and vector on its body; cached for each evaluator of parameters."""
        if number not in self._places:
            self._places[number] = np.array([[number(n) for n in place] for place in self._motions.places])
        return self._places[number]

    def _all_weights_of(self, number: Evaluator) -> np.ndarray:
        """Return C of all bodies; cached for each evaluator of parameters."""
        if number not in self._stacks:
            self._stacks[number] = np.array([self.weights_of(body, number) for body in self.skeleton.base])
        return self._stacks[number]
