"""The methods with which an ensemble summarises, draws and exports its members."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from ...public_class import PublicClass
from ...unit_system import UnitsLike, shown_in
from . import pictures, statistics, tables
from .members import Members, Reduce
from .statistics import Percentiles, Worst
from .summary import Summary, summary

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class ReportMethods(metaclass=PublicClass):
    """The summaries, pictures and exports of an `Ensemble`."""

    @property
    def _members(self) -> Members:
        return cast(Members, self)

    def summary(self, *names: str) -> Summary:
        """Summarise the ensemble: how many members are done, why others failed, and the range of quantities: the named
        ones, or those that the study stores by name.

        >>> rod = mbs.PlanarModel.from_points({"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A", mass=1)
        >>> study = mbs.ensemble(rod, [0, 1, 2], over={"rod.omega": [1, 2, 3]}, outputs=["rod.angle"])
        >>> print(study.summary())
        mechanism, over rod.omega: 3 of 3 members done
        quantity       unit        least          5 %       median         95 %         most
        min rod.angle  rad             0            0            0            0            0
        max rod.angle  rad             2          2.2            4          5.8            6
        """
        return summary(self._members, names)

    def percentiles(self, name: str, levels: Sequence[float] = (5, 50, 95)) -> Percentiles:
        """Return percentiles of a quantity at each time, among the members that are done; for a vector, of its size.

        >>> rod = mbs.PlanarModel.from_points({"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A", mass=1)
        >>> study = mbs.ensemble(rod, [0, 1, 2], over={"rod.omega": [1, 2, 3]}, outputs=["rod.angle"])
        >>> found = study.percentiles("rod.angle", (0, 50, 100))
        >>> found[50].round(6), found[100].round(6)
        (array([0., 2., 4.]), array([0., 3., 6.]))
        """
        return statistics.percentiles(self._members, name, levels)

    def worst(self, name: str, by: Literal["max", "min", "abs"] = "max") -> Worst:
        """Return the member and the time with the largest value, the smallest value, or the largest absolute value; for
        a vector, of its size.

        >>> rod = mbs.PlanarModel.from_points({"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A", mass=1)
        >>> study = mbs.ensemble(rod, [0, 1, 2], over={"rod.omega": [1, 2, 3]}, outputs=["rod.angle"])
        >>> print(study.worst("rod.angle"))
        largest of rod.angle: 6 rad at t = 2 s, member 2: rod.omega = 3
        """
        return statistics.worst(self._members, name, by)

    def plot_band(
        self, name: str, percentiles: Sequence[float] = (5, 25, 50, 75, 95), degrees: bool = False,
        deviation: bool = False, units: UnitsLike = None,
    ) -> Figure:  # fmt: skip
        """Draw percentiles over time as bands and the median as a line; with ``deviation=True``, differences from the
        median. Draw a histogram for a quantity with one number for each member. A note in the picture counts the failed
        members, which are left out.

        >>> rod = mbs.PlanarModel.from_points({"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A", mass=1)
        >>> study = mbs.ensemble(rod, [0, 1, 2], over={"rod.omega": [1, 2, 3]}, outputs=["rod.angle"])
        >>> figure = study.plot_band("rod.angle", degrees=True)
        >>> figure.axes[0].get_legend_handles_labels()[1]
        ['5 % to 95 %', '25 % to 75 %', 'median']
        """
        with shown_in(units, degrees):
            return pictures.plot_band(self._members, name, percentiles, deviation)

    def plot_histogram(
        self, name: str, reduce: Reduce = "max", percentiles: Sequence[float] = (5, 50, 95), degrees: bool = False,
        label: str | None = None, unit: str | None = None, units: UnitsLike = None,
    ) -> Figure:  # fmt: skip
        """Draw a histogram of one number for each member. `reduce` makes one number of the values over time: "max",
        "min", "abs" (the largest size), "range" (from the smallest to the largest), "first", "last", or a function of
        the array of one member. `label` and `unit` (an SI unit) name the number at the axis. `degrees` and `units`
        choose the units of the axis.

        >>> rod = mbs.PlanarModel.from_points({"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A", mass=1)
        >>> study = mbs.ensemble(rod, [0, 1, 2], over={"rod.omega": [1, 2, 3]}, outputs=["rod.angle"])
        >>> figure = study.plot_histogram("rod.angle", "range", label="swing", degrees=True)
        >>> figure.axes[0].get_xlabel()
        'swing [°]'
        """
        with shown_in(units, degrees):
            return pictures.plot_histogram(self._members, name, reduce, percentiles, label, unit)

    def plot_map(
        self, name: str, reduce: Reduce = "max", degrees: bool = False, label: str | None = None,
        unit: str | None = None, units: UnitsLike = None,
    ) -> Figure:  # fmt: skip
        """Draw a map over a grid of two names: contour lines with shades between them; members that failed stay white.
        `reduce`, `label` and `unit` are those of `plot_histogram`.

        >>> rod = mbs.PlanarModel.from_points({"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A", mass=1)
        >>> study = mbs.ensemble(rod, [0, 2], over={"rod.omega": [1, 2, 3], "rod.angle": [0, 1]}, outputs=["rod.angle"])
        >>> figure = study.plot_map("rod.angle", "last")
        >>> [panel.get_ylabel() for panel in figure.axes]
        ['initial rod.angle [rad]', 'last rod.angle [rad]']
        """
        with shown_in(units, degrees):
            return pictures.plot_map(self._members, name, reduce, label, unit)

    def to_dataframe(self, *names: str, times: bool = False, units: UnitsLike = None, degrees: bool = False) -> Any:
        """Return a pandas table with a row for each member: its design, whether the member is done, and the smallest
        and the largest value of the named quantities (by default all stored ones). With ``times=True`` the table has a
        row for each time of each member that is done. ``table.attrs["units"]`` holds the units. If units are chosen, by
        `units`, `degrees` or `mbs.units`, the name of each column with a unit contains the unit.

        >>> rod = mbs.PlanarModel.from_points({"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A", mass=1)
        >>> study = mbs.ensemble(rod, [0, 1, 2], over={"rod.omega": [1, 2, 3]}, outputs=["rod.angle"])
        >>> study.to_dataframe().round(6)
                initial rod.omega  done  rod.angle min  rod.angle max failure
        member
        0                     1.0  True            0.0            2.0
        1                     2.0  True            0.0            4.0
        2                     3.0  True            0.0            6.0
        """
        with shown_in(units, degrees):
            return tables.to_dataframe(self._members, names, times)

    def to_xarray(self, *names: str, units: UnitsLike = None, degrees: bool = False) -> Any:
        """Return an xarray Dataset with the named quantities (by default all stored ones) over the axes of a grid, or
        over ``member``, and over time; ``done`` and ``failure`` show which members failed and why.

        >>> rod = mbs.PlanarModel.from_points({"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A", mass=1)
        >>> study = mbs.ensemble(rod, [0, 2], over={"rod.omega": [1, 2, 3], "rod.angle": [0, 1]}, outputs=["rod.angle"])
        >>> data = study.to_xarray()
        >>> data["rod.angle"].dims
        ('initial rod.omega', 'initial rod.angle', 't')
        >>> round(float(data["rod.angle"].sel({"initial rod.omega": 2, "initial rod.angle": 1, "t": 2})), 6)
        5.0
        """
        with shown_in(units, degrees):
            return tables.to_xarray(self._members, names)

    def save(self, path: str | Path, *names: str, units: UnitsLike = None, degrees: bool = False) -> Path:
        """Write the named quantities, or all stored ones, to a file. The ending of its name chooses the format: .nc
        with everything, for ``xarray.open_dataset(path)``; .csv, .xlsx, .mat or .parquet with a row for each member.

        >>> rod = mbs.PlanarModel.from_points({"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A", mass=1)
        >>> study = mbs.ensemble(rod, [0, 1, 2], over={"rod.omega": [1, 2, 3]}, outputs=["rod.angle"])
        >>> path = study.save("study.csv")
        >>> path.read_text(encoding="utf-8").split(",")[:3]
        ['member', 'initial rod.omega [rad/s]', 'done']
        """
        with shown_in(units, degrees):
            return tables.save(self._members, path, names)
