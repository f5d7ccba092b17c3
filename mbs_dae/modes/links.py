"""Links in space, which only keep two points at a distance: the equations of modes contain a distance instead.

Such a link stands between a ball and a cross. The equations of other bodies depend on the distance of its ends alone;
and the link has two attitudes, half a turn about its own axis apart, as the pin of the cross is at right angles to the
link. Six links give each pose of a platform 2⁶ times, on equivalent paths. So modes are counted without links, and
links are put in afterwards, each in the attitude nearer to its placement.

A leg is a link of two bodies, a sleeve and a rod, whose displacement is driven or fixed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..compiled import System
from ..model.bodies.body import Body, Marker
from ..model.drivers import Driver
from ..model.joints import Distance, Spherical, Translational, Universal
from ..model.joints.base import Condition
from ..model.measures import Measure
from ..model.model import Model
from ..readings.motion import marker_frame
from ..rotations import about, quaternion
from ..symbolic.markers import t as time
from ..tolerances import JOINT_ALIGNMENT


class End(NamedTuple):
    """A joint between a link and another body: its markers on the other body and on the link."""

    joint: Condition
    outer: Marker
    inner: Marker

    def pins(self, system: System, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the directions of the other body's pin, and of the link's own pin."""
        first = self.joint.markers[0] is self.inner  # the first marker's pin is its x axis, the second's its y axis
        outer, inner = (marker_frame(system, q, marker)[1] for marker in (self.outer, self.inner))
        return (outer[:, 1], inner[:, 0]) if first else (outer[:, 0], inner[:, 1])


@dataclass(frozen=True, eq=False)
class Link:
    """One or two bodies between two ends."""

    bodies: tuple[Body, ...]
    ends: tuple[End, End]
    slide: Condition | None = None
    displacement: str | Driver | None = None
    """The driver of the slide's displacement, or the name of the fixed quantity."""

    @property
    def elements(self) -> Iterator[Condition]:
        """The conditions that are left out with the link."""
        yield from (end.joint for end in self.ends)
        if self.slide is not None:
            yield self.slide
        if isinstance(self.displacement, Driver):
            yield self.displacement

    def along(self, system: System, t: float, fix: Mapping[str, float]) -> tuple[np.ndarray, float] | None:
        """Return the link's direction in the placement, from its first end to its second, and their distance, counted
        in that direction; None where the ends are beside the slide, or a pin is not at right angles."""
        q, L = system.placement, system.length
        (first, _), (last, _) = (marker_frame(system, q, end.inner) for end in self.ends)
        if self.slide is None:
            arm = last - first
            far = float(np.linalg.norm(arm))
            direction = arm / far if far > JOINT_ALIGNMENT * L else arm
        else:
            markers = self.slide.markers if self.slide.markers[0].body is self.bodies[0] else self.slide.markers[::-1]
            frames = [marker_frame(system, q, marker) for marker in markers]
            offsets = [end - point for end, (point, _) in zip((first, last), frames, strict=True)]
            parts = [offset @ axes[:, 2] for offset, (_, axes) in zip(offsets, frames, strict=True)]
            offsets_across = [o - s * axes[:, 2] for o, s, (_, axes) in zip(offsets, parts, frames, strict=True)]
            if max(np.abs(x).max() for x in offsets_across) > JOINT_ALIGNMENT * L:
                return None
            turned = 1.0 if markers == self.slide.markers else -1.0
            direction = frames[0][1][:, 2]
            if isinstance(self.displacement, Driver):
                displacement = float(system.evaluator(self.displacement.function.xreplace({time: t})))
            else:
                displacement = fix[str(self.displacement)]
            far = turned * displacement + parts[1] - parts[0]
        pins = (end.pins(system, q)[1] for end in self.ends if isinstance(end.joint, Universal))
        across = all(abs(pin @ direction) < JOINT_ALIGNMENT for pin in pins)
        return (direction, far) if across and abs(far) > JOINT_ALIGNMENT * L else None


def links_of(model: Model, fix: Mapping[str, Measure]) -> Iterator[Link]:
    """Yield the links of a model in which these quantities are fixed; no link is joined to another."""
    touching: dict[Body, list[Condition]] = {body: [] for body in model.bodies.values()}
    for element in model.conditions:
        for body in {marker.body for marker in element.markers} - {model.ground}:
            touching[body].append(element)
    fixed = {marker.body for measure in fix.values() for marker in measure.markers}
    outer_bodies: set[Body] = set()
    removed: set[Body] = set()
    for body in model.bodies.values():
        link = _link(body, touching, fix, fixed)
        if link is None or not removed.isdisjoint(outer := {end.outer.body for end in link.ends}):
            continue
        if outer_bodies.isdisjoint(link.bodies) and removed.isdisjoint(link.bodies):
            outer_bodies |= outer
            removed |= {*link.bodies}
            yield link


def _link(
    body: Body, touching: Mapping[Body, list[Condition]], fix: Mapping[str, Measure], fixed: set[Body]
) -> Link | None:
    """Return the link that begins with this body; None if there is none."""
    elements = touching[body]
    slide = next((e for e in elements if isinstance(e, Translational)), None)
    if slide is None:
        if body in fixed or len(elements) != 2:
            return None
        ends = [_end(e, body) for e in elements]
        return _link_between((body,), *ends)
    rod = next((m.body for m in slide.markers if m.body is not body), body)
    if rod.fixed or rod is body:
        return None
    drivers: list[str | Driver] = [e for e in elements if isinstance(e, Driver) and _slides(e.measure, slide)]
    drivers += [name for name, measure in fix.items() if _slides(measure, slide)]
    others = [measure for name, measure in fix.items() if name not in drivers]
    if len(drivers) != 1 or any(m.body in (body, rod) for measure in others for m in measure.markers):
        return None
    inner = [slide, *(h for h in drivers if isinstance(h, Driver))]
    outside = [[e for e in touching[one] if e not in inner] for one in (body, rod)]
    if [len(elements) for elements in outside] != [1, 1]:
        return None
    first, last = (_end(e, one) for (e,), one in zip(outside, (body, rod), strict=True))
    return _link_between((body, rod), first, last, slide, drivers[0])


def _link_between(bodies: tuple[Body, ...], first: End | None, last: End | None, *slide: object) -> Link | None:
    """Return a link with these ends, one a ball and the other a cross, on bodies other than its own; else None."""
    if first is None or last is None or {first.outer.body, last.outer.body} & {*bodies}:
        return None
    balls = sum(isinstance(end.joint, Spherical) for end in (first, last))
    return Link(bodies, (first, last), *slide) if balls == 1 else None  # type: ignore[arg-type]


def _end(element: Condition, body: Body) -> End | None:
    if not isinstance(element, Spherical | Universal):
        return None
    i, j = element.markers
    return End(element, j, i) if i.body is body else End(element, i, j)


def _slides(measure: Measure, slide: Condition) -> bool:
    return measure.kind == "displacement" and measure.markers == slide.markers


# --- models without links, and poses with links ---------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class WithoutLinks:
    """A model without its links, and the remaining fixed values."""

    model: Model
    fix: Mapping[str, float]
    links: tuple[Link, ...]
    directions: tuple[np.ndarray, ...]
    """The direction of each link in the placement, from its first end to its second, reversed if the driven distance is
    negative."""

    @property
    def attitudes(self) -> int:
        """The number of combinations of attitudes of all links in one pose of the other bodies."""
        return 2 ** len(self.links)

    def put_in(self, full: System, q: np.ndarray) -> np.ndarray:
        """Return the coordinates of all bodies from those of the model without links."""
        layout, out = self.model.compile().layout, full.placement.copy()
        for body in self.model.bodies.values():
            out[list(full.layout.q[body])] = q[list(layout.q[body])]
        for link, direction in zip(self.links, self.directions, strict=True):
            _put(full, out, link, direction)
        return out


def without_links(model: Model, fix: Mapping[str, float], t: float) -> WithoutLinks | None:
    """Return the model with distances in place of links; None where it has no links. The reduced model is stored with
    the structure, with the distances as parameters."""
    if model.dimension == 2:
        return None
    system = model.compile()
    measures = {name: model.quantity(name)[0] for name in fix}
    pairs = [(link, along) for link in links_of(model, measures) if (along := link.along(system, t, fix))]
    removed = {element for link, _ in pairs for element in link.elements}
    conditions = [e for e in model.conditions if e not in removed]
    bodies = {*model.bodies.values()} - {body for link, _ in pairs for body in link.bodies}
    rest = {name: value for name, value in fix.items() if name not in {link.displacement for link, _ in pairs}}
    bare = model.only(bodies, conditions)
    if not pairs or not all(bare.quantity_or_none(name) for name in rest):
        return None
    links = tuple(link for link, _ in pairs)
    key = "without links", tuple(body.name for link in links for body in link.bodies)
    lengths = {f"length_of_link_{k}": abs(far) for k, (_, (_, far)) in enumerate(pairs)}

    def with_distances() -> Model:
        """Add a distance for each link to the model of the other bodies."""
        for link, (name, length) in zip(links, lengths.items(), strict=True):
            first, last = link.ends
            bare.add(Distance(name, first.outer, last.outer, length=bare.parameter(name, length, "m")))
        return bare

    reduced = system.structure.kept(key, with_distances)
    values = {name: parameter.value for name, parameter in model.parameters.items()}
    directions = tuple(np.sign(far) * direction for _, (direction, far) in pairs)
    return WithoutLinks(reduced.with_values({**values, **lengths}), rest, links, directions)


def _put(system: System, q: np.ndarray, link: Link, direction: np.ndarray) -> None:
    """Write the coordinates of a link into q, between its ends on bodies that are placed already: rotated as little as
    possible from its placement, then about its own axis until the pins of its cross are at right angles."""
    first, last = (marker_frame(system, q, end.outer)[0] for end in link.ends)
    axis = (last - first) / np.linalg.norm(last - first)
    turn = _least_rotation(direction, axis)
    cross = next(end for end in link.ends if isinstance(end.joint, Universal))
    outer, inner = cross.pins(system, q)
    inner = turn @ inner
    angle = np.arctan2(-outer @ inner, outer @ np.cross(axis, inner))
    angle -= np.pi * np.round(angle / np.pi)
    turn = about(axis, angle) @ turn
    for body, end, at in zip(link.bodies, link.ends, (first, last), strict=False):
        point, _ = end.inner.on_body(system.evaluator)
        place = list(system.layout.q[body])[:7]
        attitude = turn @ system.layout.rotation(system.placement[None], body)[0]
        q[place] = [*(at - attitude @ point), *quaternion(attitude)]


def _least_rotation(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the rotation by the least angle that maps one unit vector to another; for opposite vectors some half
    turn."""
    if a @ b < -1.0 + 1e-12:
        aside = np.linalg.svd(a[None])[2][1]
        return 2.0 * np.outer(aside, aside) - np.eye(3)
    hat = np.cross(np.eye(3), np.cross(a, b))
    return np.eye(3) + hat + hat @ hat / (1.0 + a @ b)
