"""Balls that touch in a row: on strings, as a cradle, and on a line."""

from __future__ import annotations

import mbs_dae as mbs

LENGTH, RADIUS, RAISED = 1.0, 0.05, 0.5
"""The length of strings and the radius of balls, in m; the angle by which a ball of a cradle is raised."""


def cradle(balls: int) -> mbs.PlanarModel:
    model = mbs.PlanarModel("cradle", gravity=(0, -9.81))
    before = None
    for k in range(balls):
        x = 2 * RADIUS * k
        body = model.body(f"b{k}", mass=1.0, inertia=0.0, position=(x, -LENGTH))
        model.add(mbs.Revolute(f"p{k}", model.ground.at(x, 0), body.at(0, LENGTH)))
        disk = mbs.Disk(body, RADIUS)
        if before:
            model.add(mbs.Contact(f"c{k}", before, disk, restitution=1.0))
        before = disk
    return model


def row(masses, e: float, order: int = 1) -> mbs.PlanarModel:
    """Balls on a line: the first comes from 0.1 m away, the others touch."""
    model = mbs.PlanarModel("row")
    places = [(2 * RADIUS * k + 0.1 * (k > 0), 0) for k in range(len(masses))]
    bodies = []
    for k, mass in enumerate(masses):
        bodies.append(model.body(f"b{k}", mass=mass, inertia=0.0, position=places[k]))
        model.add(mbs.Translational(f"g{k}", model.ground, bodies[-1]))
    disks = [mbs.Disk(body, RADIUS) for body in bodies]
    model.add(*[mbs.Contact(f"c{k}", *disks[k : k + 2], restitution=e) for k in range(len(masses) - 1)][::order])
    return model
