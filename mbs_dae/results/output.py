"""Pictures, tables and files of a result; `view` draws the pictures, and `files` writes the files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import checked_options
from ..provided import provided
from ..public_class import PublicClass
from ..unit_system import UnitsLike, shown_in

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Output(metaclass=PublicClass):
    """The pictures, tables and files of a `Result`. Numbers are shown in SI; ``degrees=True`` shows angles in degrees;
    ``units=`` chooses other units by name: "deg, mm", ``{"rod.angle": "deg"}``, or a value of `mbs.units`."""

    @checked_options
    def plot(
        self, *names: str, axes: str = "world", over: str | None = None, degrees: bool = False,
        units: UnitsLike = None, beside: Any = (),
    ) -> Figure:  # fmt: skip
        """Plot the named quantities over time, or ``over`` another one, with a panel for each unit and each vector;
        return a matplotlib figure. ``axes`` are those of vectors, as in `vector`. Curves that redundant joints leave
        undetermined are dashed.

        ``degrees=True`` shows angles and their rates in degrees, ``units="deg, mm, rpm"`` or ``units={"rod.angle":
        "deg"}`` shows the named units in place of SI: see `mbs.units`. ``beside={"with friction": other}`` adds curves
        of other results, dotted or dash-dotted.

        >>> rod = mbs.PlanarModel.from_points({"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A")
        >>> motor = rod.add(mbs.Driver("motor", mbs.angle(rod.elements["A"]), 2 * mbs.t))
        >>> figure = mbs.kinematics(rod, [0, 0.5, 1]).plot("rod.B.x", "rod.B.y", "rod.angle")
        >>> [panel.get_ylabel() for panel in figure.axes]
        ['length [m]', 'angle [rad]']
        >>> figure.savefig("rod.png")
        >>> mbs.kinematics(rod, [0, 0.5, 1]).plot("rod.B.y", over="rod.angle").axes[0].get_xlabel()
        'rod.angle [rad]'
        >>> mbs.kinematics(rod, [0, 0.5, 1]).plot("rod.angle", degrees=True).axes[0].get_ylabel()
        'angle [°]'
        """
        with shown_in(units, degrees):
            return provided("Result.plot")(self, names, axes, over, beside)

    @checked_options
    def plot_path(self, *markers: str, units: UnitsLike = None) -> Figure:
        """Plot the paths of named points (coupler curves), with a circle at the beginning of each, and the mechanism
        there in faint lines; return a matplotlib figure.

        >>> rod = mbs.PlanarModel.from_points({"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A")
        >>> motor = rod.add(mbs.Driver("motor", mbs.angle(rod.elements["A"]), 2 * mbs.t))
        >>> figure = mbs.kinematics(rod, [0, 0.5, 1]).plot_path("rod.B")
        >>> figure.axes[0].get_legend_handles_labels()[1]
        ['rod.B']
        """
        with shown_in(units):
            return provided("Result.plot_path")(self, markers)

    @checked_options
    def plot_violation(self) -> Figure:
        """Plot the largest violation of position, velocity and acceleration equations over time; return a matplotlib
        figure. Violations are of lengths or of angles, whichever is larger in SI, and so are not shown in other
        units.

        >>> rod = mbs.PlanarModel.from_points({"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A", mass=1)
        >>> figure = mbs.simulate(rod, [0, 0.5, 1], initial={"rod.omega": 2}).plot_violation()
        >>> len(figure.axes), figure.axes[0].get_yscale()
        (3, 'log')
        """
        return provided("Result.plot_violation")(self)

    @checked_options
    def plot_energy(self, units: UnitsLike = None) -> Figure:
        """Plot the energies over time: kinetic, potential, dissipated, supplied, and their total; below, the error of
        the total. Return a matplotlib figure.

        >>> rod = mbs.PlanarModel.from_points({"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A", mass=1)
        >>> figure = mbs.simulate(rod, [0, 0.5, 1], initial={"rod.omega": 2}).plot_energy()
        >>> figure.axes[0].get_legend_handles_labels()[1]
        ['kinetic', 'potential', 'dissipated', 'supplied', 'total']
        """
        with shown_in(units):
            return provided("Result.plot_energy")(self)

    @checked_options
    def plot_reaction(self, *joints: str, axes: str = "world", polar: bool = False, units: UnitsLike = None) -> Figure:
        """Plot the loads of joints on their second bodies over time: Fx, Fy, the magnitude, and the moment if there is
        one; return a matplotlib figure. Components that redundant joints leave undetermined are dashed (see
        `Result.is_unique`).

        ``polar=True`` plots the path of the force's tip, for bearings; then ``axes="first"`` or ``"second"`` shows
        where the load acts on the one or the other body.

        >>> rod = mbs.PlanarModel.from_points({"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A", mass=1)
        >>> result = mbs.simulate(rod, [0, 0.5, 1], initial={"rod.omega": 2})
        >>> result.plot_reaction("A").axes[0].get_ylabel().splitlines()
        ['A: force on rod', '[N]']
        """
        with shown_in(units):
            return provided("Result.plot_reaction")(self, joints, axes, polar)

    @checked_options
    def animate(
        self, path: str | Path | None = None, *, fps: float = 25, speed: float | None = None,
        trace: str | Sequence[str] = (), size: tuple[float, float] = (6.4, 4.8), view: tuple[float, ...] | None = None,
        units: UnitsLike = None, degrees: bool = False,
    ) -> Any:  # fmt: skip
        """Animate the motion, drawn from joints and links: in a notebook it plays as a page; with a `path` it becomes a
        file: a .gif or .mp4 film, a page of .html, or a .png or .svg picture of the first pose with later ones faint
        behind it.

        `fps` are frames per second of the film and `speed` is model time over film time (0.1: ten times slower; by
        default 1, and for pages a speed with which they play some seconds); a sweep of a parameter shows one frame for
        each value. `trace` names points whose paths are drawn. `size` is in inches. In space ``view=(elevation,
        azimuth)`` is the direction of view, in degrees; a third angle rolls the picture: if z points down, ``view=(-24,
        -58, 180)`` shows it upright.

        >>> rod = mbs.PlanarModel.from_points({"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A")
        >>> motor = rod.add(mbs.Driver("motor", mbs.angle(rod.elements["A"]), 2 * mbs.t))
        >>> result = mbs.kinematics(rod, [0, 0.5, 1])
        >>> result.animate(fps=10, speed=0.5, trace="rod.B")
        <Film of 'mechanism': 21 frames, 2.1 s>
        >>> result.animate("rod.svg").name
        'rod.svg'
        """
        with shown_in(units, degrees):
            return provided("Result.animate")(self, path, fps=fps, speed=speed, trace=trace, size=size, view=view)

    @checked_options
    def draw(
        self, index: int = 0, ax: Any = None, *, trace: str | Sequence[str] = (),
        size: tuple[float, float] = (6.4, 4.8), view: tuple[float, ...] | None = None, units: UnitsLike = None,
    ) -> Figure:  # fmt: skip
        """Draw one pose, number `index`, in given axes or in a new matplotlib figure, and return the figure; `trace`,
        `size` and `view` are those of `animate`.

        >>> rod = mbs.PlanarModel.from_points({"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A")
        >>> motor = rod.add(mbs.Driver("motor", mbs.angle(rod.elements["A"]), 2 * mbs.t))
        >>> figure = mbs.kinematics(rod, [0, 0.5, 1]).draw(-1, trace="rod.B")
        >>> figure.axes[0].get_aspect()
        1.0
        """
        with shown_in(units):
            return provided("Result.draw")(self, index, ax, trace=trace, size=size, view=view)

    @checked_options
    def view(
        self, *, plots: str | Sequence[str] = (), trace: str | Sequence[str] = (),
        view: tuple[float, ...] | None = None, speed: float | None = None, live: bool = False,
        height: int | None = None, units: UnitsLike = None, degrees: bool = False,
    ) -> Any:  # fmt: skip
        """Show the motion in a notebook, to play, turn and scrub, with curves of `plots` beside it: the page that
        ``result.save("motion.html", plots="rod.angle")`` makes for any browser. `height` is in pixels.

        >>> rod = mbs.PlanarModel.from_points({"A": (0, 0), "B": (0.3, 0)}, rods={"rod": "AB"}, fixed="A")
        >>> motor = rod.add(mbs.Driver("motor", mbs.angle(rod.elements["A"]), 2 * mbs.t))
        >>> mbs.kinematics(rod, [0, 0.5, 1]).view(plots="rod.angle")
        View(height=620)
        """
        choices: dict[str, Any] = {"plots": plots, "trace": trace, "view": view, "speed": speed, "live": live}
        with shown_in(units, degrees):
            return provided("Result.view")(self, **choices, height=height)

    # --- files and tables ---

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
