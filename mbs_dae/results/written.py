"""The files and tables of a result, as the user asks for them; `files` writes them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..errors import checked_options
from ..provided import provided
from ..public_class import PublicClass
from ..unit_system import UnitsLike, shown_in


class Written(metaclass=PublicClass):
    """The formats in which a `Result` can be written."""

    def save(self, path: str | Path, *, units: UnitsLike = None, degrees: bool = False, **choices: Any) -> Path:
        """Write a file, and return its path; the ending of its name is the format: .npz or .nc with everything, for
        ``mbs.load(path)``; .csv, .xlsx, .mat or .parquet with a table of all numbers; .html with a page that plays the
        motion in any browser; .gif, .mp4, .png or .svg with the motion, drawn.

        A page has options for its first view: ``save("motion.html", plots="slider.x", trace="rod.tip", view=(24, -58),
        speed=0.1)``; with ``live=True`` it solves driven motions. Pictures have the options of `animate`.

        ``units="deg, mm"`` (see `mbs.units`) and ``degrees=True`` are for tables and pages that people read, each with
        its units written in it. ``mbs.load`` returns SI again; .npz is always in SI.

        >>> rod = mbs.PlanarModel.from_points({"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A")
        >>> motor = rod.add(mbs.Driver("motor", mbs.angle(rod.elements["A"]), 2 * mbs.t))
        >>> path = mbs.kinematics(rod, [0, 0.5, 1]).save("motion.csv")
        >>> path.read_text(encoding="utf-8").split(",")[:3]
        ['t [s]', 'rod.x [m]', 'rod.vx [m/s]']
        """
        return provided("Result.save")(self, path, units=units, degrees=degrees, **choices)

    @checked_options
    def to_dataframe(self, *names: str, units: UnitsLike = None, degrees: bool = False) -> Any:
        """Return the named quantities (by default `names`) as a pandas table over time; vectors by their components.
        ``table.attrs["units"]`` and ``table.attrs["long_names"]`` describe each column. If units are chosen, by
        `units`, `degrees` or `mbs.units`, each column has its unit in its name.

        >>> rod = mbs.PlanarModel.from_points({"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A")
        >>> motor = rod.add(mbs.Driver("motor", mbs.angle(rod.elements["A"]), 2 * mbs.t))
        >>> mbs.kinematics(rod, [0, 0.5, 1]).to_dataframe("rod.B.v", "rod.omega").round(3)
             rod.B.vx  rod.B.vy  rod.omega
        t
        0.0     0.000     0.600        2.0
        0.5    -0.505     0.324        2.0
        1.0    -0.546    -0.250        2.0
        >>> mbs.kinematics(rod, [0, 0.5, 1]).to_dataframe("rod.B.y", "rod.angle", degrees=True).round(3)
                 rod.B.y [m]  rod.angle [°]
        t [s]
        0.0          0.000          0.000
        0.5          0.252         57.296
        1.0          0.273        114.592
        """
        with shown_in(units, degrees):
            return provided("Result.to_dataframe")(self, names)

    @checked_options
    def to_xarray(self, *names: str, units: UnitsLike = None, degrees: bool = False) -> Any:
        """Return the named quantities (by default `names`) as an xarray Dataset over time, each with its ``units`` and
        ``long_name``; vectors with a second dimension, ``component``.

        >>> rod = mbs.PlanarModel.from_points({"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A")
        >>> motor = rod.add(mbs.Driver("motor", mbs.angle(rod.elements["A"]), 2 * mbs.t))
        >>> data = mbs.kinematics(rod, [0, 0.5, 1]).to_xarray("rod.angle", "rod.B.v")
        >>> data["rod.B.v"].dims, data["rod.angle"].attrs["units"], float(data["rod.angle"].sel(t=0.5))
        (('t', 'component'), 'rad', 1.0)
        """
        with shown_in(units, degrees):
            return provided("Result.to_xarray")(self, names)
