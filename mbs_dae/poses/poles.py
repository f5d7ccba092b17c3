"""Poses in which an angle has no value: a point in the centre of its cam has no polar angle, and a ball that is turned
by a right angle about its second axis has its first and its third axis in one line."""

import numpy as np

from ..compiled import System
from ..model.drivers import Driver, Held
from ..model.joints import CamFollower, Spherical
from ..readings.motion import marker_frame
from ..tolerances import AT_POLE


def pole_message(system: System, q: np.ndarray) -> str:
    """Return a message that names the first element with an angle without a value in this pose, and the remedy; empty
    if there is none."""
    model = system.model
    driven = {e.measure.markers for e in model.elements.values() if isinstance(e, Driver | Held)}
    for element in model.elements.values():
        if not isinstance(element, CamFollower | Spherical):
            continue
        (p_i, axes_i), (p_j, axes_j) = (marker_frame(system, q, marker) for marker in element.markers[:2])
        if isinstance(element, Spherical):  # sin(angle_2) = x_i · z_j
            if element.markers in driven and np.hypot(*(axes_i[:, 1:].T @ axes_j[:, 2])) < AT_POLE:
                what = f"{element.who} is turned by angle_2 = ±π/2, where angle_1 and angle_3 are about one line and "
                what += "their values are not determined"
                return f"{what}; place the body aside of it, or turn the axes of the joint with axis= and x_axis="
        elif element.values["follower"] == "point" and np.linalg.norm((p_j - p_i)[:2]) < AT_POLE * system.length:
            what = f"{element.who} leads its point into the centre of the cam, where the polar angle has no value"
            return f"{what}; add a base radius to its profile"
    return ""
