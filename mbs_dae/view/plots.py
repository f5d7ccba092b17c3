"""Draw curves of a result: named quantities, paths of points, violations, energy, and reactions."""

from collections.abc import Callable, Iterator, Mapping, Sequence, Sized
from itertools import cycle
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from ..errors import ModelError
from ..results.result import Result, vector_of
from ..tolerances import DISPLAY_ROUNDOFF, LEVEL_LINE, LOG_FLOOR
from ..unit_system import shown, shown_unit, told
from .drawing.colours import COLOURS, DARK, GROUND
from .style import (
    BESIDE,
    START,
    Picture,
    as_label,
    axis_label,
    axis_of,
    label_quantities,
    line_styles,
    say_if_stopped,
    style,
)

OPEN = "not unique"  # legend for components that redundant constraints leave undetermined

LETTERS = {"": "", "w": r"\omega", "alpha": r"\alpha"}
"""The letters of components that differ from those in the name."""


MARKS = ("", "o", "s", "^", "D", "v", "P", "X")
"""Marks that distinguish the curves of a panel without colours: a few on each curve but the first."""
APART = 0.16
"""The distance between two marks of a curve, as a part of the diagonal of its panel."""
LOOKS = (":", "-.", (0, (1, 3)), (0, (6, 2, 1, 2, 1, 2)))
"""The line styles of other results. Dashed lines show loads that redundant joints leave undetermined."""
Runs = list[tuple[Result, str, Any]]
"""Results that are drawn together, each with an addition to its labels and with its line style."""


def plot(
    result: Result, names: Sequence[str], axes: str = "world", over: str | None = None,
    beside: Result | Mapping[str, Result] | Sequence[Result] = (),
) -> Figure:  # fmt: skip
    """Draw the named quantities over time (or over the swept parameter, or over another quantity), with one panel for
    each unit, and one for each vector by its components along the axes of a body or a marker. Curves of `beside`, other
    results, share the panels. Dashed parts of a curve are loads that redundant joints leave undetermined."""
    _, below = _across(result, over)
    runs = _runs(result, beside)
    names = names_of(names, "plot", "quantities", result.all_names)
    panels: dict[str, list[str]] = {}
    for name in names:
        is_number = result.components(name) == (name,)
        if axes != "world" and (not is_number or vector_of(result, name)):
            result.vector(name, axes)  # refuses components, which are along world axes
        unit = result.unit(name)
        panels.setdefault(f"{unit} in {shown_unit(unit, name)}" if is_number else f"vector {name}", []).append(name)
    with style():
        figure, stack = stacked(result, len(panels))
        for ax, group in zip(stack, panels.values(), strict=True):
            if result.components(group[0]) == (group[0],):
                _numbers(ax, runs, group, over)
            else:
                _vector(ax, runs, group[0], axes, over)
            low, high = ax.dataLim.intervaly
            size = max(abs(low), abs(high))
            if 0.0 < size < np.inf and high - low <= LEVEL_LINE * size:  # level lines, at a scale that includes zero
                ax.update_datalim([(0.0, low - size), (0.0, high + size)], updatex=False)
                ax.autoscale_view(scalex=False)
            ax.legend(**BESIDE)
        stack[-1].set_xlabel(below)
    return figure




def _runs(result: Result, beside: Any) -> Runs:
    others = beside if isinstance(beside, Mapping) else {}
    if not others:
        results = list(beside) if np.iterable(beside) and not isinstance(beside, Result) else [beside]
        others = {f"result {number}": other for number, other in enumerate(results, start=2)}
    for other in others.values():
        if not isinstance(other, Result):
            what = f"beside= takes other results, or a dictionary of them, not {other!r}"
            raise ModelError(
                f"{what}; write e.g. beside={{'with friction': other}}",
                code="not-a-result", argument="beside", value=other,
            )  # fmt: skip
        if other.axis != result.axis:
            what = f"a result over {other.axis[0]} cannot be drawn beside one over {result.axis[0]}"
            raise ModelError(
                f"{what}; draw them in two pictures",
                code="unequal-axes", argument="beside", axis=result.axis[0], other=other.axis[0],
            )  # fmt: skip
    looks = zip(others.items(), cycle(LOOKS), strict=False)
    return [(result, "", None), *((other, f", {as_label(str(label))}", look) for (label, other), look in looks)]


def _across(result: Result, over: str | None) -> tuple[np.ndarray, str]:
    """Return the abscissae of the curves and the label of their axis."""
    if over is None:
        return axis_of(result)
    if not isinstance(over, str):
        raise ModelError(
            f"plot() draws over= a quantity by its name, not over {_kind(over)}; e.g. over='crank.angle'",
            code="not-a-name", argument="over", value=over,
        )  # fmt: skip
    if (parts := result.components(over)) != (over,):
        raise ModelError(
            f"plot() draws over= a number, and {over!r} is a vector; write over={parts[0]!r}",
            code="is-a-vector", argument="over", name=over, components=tuple(parts),
        )  # fmt: skip
    values, unit = shown(result[over], result.unit(over), over)
    return values, axis_label(as_label(over), unit)


def _numbers(ax: Any, runs: Runs, names: Sequence[str], over: str | None) -> None:
    result = runs[0][0]
    for run, suffix, look in runs:
        x, _ = _across(run, over)
        for number, (name, colour) in enumerate(zip(names, cycle(COLOURS), strict=False)):
            values, _ = shown(run[name], run.unit(name), name)
            _line(ax, x, values, _unique(run, name), as_label(name) + suffix, number, look, color=colour)
    label_quantities(ax, result.unit(names[0]), names[0])


def _vector(ax: Any, runs: Runs, name: str, axes: str, over: str | None) -> None:
    """Draw the components of a vector, and its size except for places, whose distance from the origin says little."""
    result = runs[0][0]
    parts = [part.rpartition(".")[2] for part in result.components(name)]
    letters, along = LETTERS.get(parts[0][:-1], parts[0][:-1]), "".join(part[-1] for part in parts)
    for run, suffix, look in runs:
        unique = _unique(run, name) if axes == "world" else mixed(_unique(run, name))
        values, unit = shown(run.vector(name, axes), run.unit(name), name)
        _components(ax, _across(run, over)[0], letters, along, values, unique, suffix, look)
    ax.set_ylabel(axis_label(as_label(name), unit))
    _say_axes(ax, axes)


def _say_axes(ax: Any, axes: str) -> None:
    if axes != "world":
        ax.set_title(f"in {_words_of(axes)}", loc="right", fontsize=8, color=GROUND)


def _words_of(axes: str) -> str:
    if axes == "world":
        return "world axes"
    return f"the axes of {f'the {axes} body' if axes in ('first', 'second') else as_label(axes)}"


def _unique(result: Result, name: str) -> np.ndarray:
    """Return whether each value is determined; all are if no forces are known."""
    return result.is_unique(name) if result.reactions is not None else np.ones(result[name].shape, dtype=bool)


def plot_violation(result: Result) -> Figure:
    """Draw the largest violation of all constraints over time: position, velocity and acceleration equations."""
    violation, (t, _) = result.violation, axis_of(result)
    panels = {
        r"position $|\Phi|$" + "\n[m or rad]": violation.position,
        r"velocity $|\dot\Phi|$" + "\n[m/s or rad/s]": violation.velocity,
        r"acceleration $|\ddot\Phi|$" + "\n[m/s² or rad/s²]": violation.acceleration,
    }
    with style():
        figure, axes = stacked(result, 3)
        for ax, colour, (label, values) in zip(axes, COLOURS, panels.items(), strict=False):
            plot_logarithmic(ax, t, values, color=colour, marker=marker_of(result))
            ax.set_ylabel(label)
    return figure


def plot_stabilization(runs: Mapping[str, Result], title: str) -> Figure:
    """Draw the violation of constraints and the energy error of runs over time; a cross ends a run that stopped early.
    The energy error is relative to the first time, where it is zero by definition and not drawn."""
    if not runs:
        raise ModelError("there is no run to compare; give at least one stabilization", code="empty", argument="runs")
    _, joule = shown(0.0, "J")
    panels: dict[str, Callable[[Result], np.ndarray]] = {
        "position\n" + r"$|\Phi|$ [m or rad]": lambda run: run.violation.position,
        "velocity\n" + r"$|\dot\Phi|$ [m/s or rad/s]": lambda run: run.violation.velocity,
        "energy error\n" + rf"$|\Delta E|$ [{joule}]": lambda run: shown(np.abs(run.energy.error), "J")[0],
    }
    with style():
        figure, axes = stacked(next(iter(runs.values())), len(panels), say_stop=False)
        figure.suptitle(as_label(title), fontsize=10)
        for ax, (panel, of) in zip(axes, panels.items(), strict=True):
            ax.set_ylabel(panel)
            ax.set_yscale("log")
            begin = 1 if ax is axes[-1] else 0
            for (name, run), how in zip(runs.items(), line_styles(), strict=False):
                t, values = axis_of(run)[0][begin:], np.maximum(of(run)[begin:], LOG_FLOOR)
                label = as_label(name)
                if not run.success:
                    axis, unit = run.axis
                    last = f"{axis} = {told(run.t[-1], unit, digits=4)}" if len(run) else "the start"
                    label += f" (\u00d7 stopped at {last})"
                ax.plot(t, values, label=label, marker=marker_of(run), linewidth=1.2, **how)
                if not run.success:
                    ax.plot(t[-1:], values[-1:], "x", color=how["color"], markersize=8, markeredgewidth=2, zorder=4)
            _say_floor(ax, np.concatenate([of(run)[begin:] for run in runs.values()]))
        figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=min(len(runs), 3))
    return figure


# --- results with forces ---


def plot_energy(result: Result) -> Figure:
    """Draw the energies above and the error of their total below, without the first time, where the error is zero."""
    energy, (t, _), (_, unit) = result.energy, axis_of(result), shown(0.0, "J")
    first = 1 if len(result) > 1 else 0
    with style():
        figure, (above, below) = stacked(result, 2, heights=(1.6, 0.8))
        for name in ("kinetic", "potential", "dissipated", "supplied"):
            above.plot(t, shown(getattr(energy, name), "J")[0], label=name, marker=marker_of(result))
        above.plot(t, shown(energy.total, "J")[0], "--", color=DARK, label="total", marker=marker_of(result))
        above.set_ylabel(axis_label("energy", unit))
        error = shown(np.abs(energy.error[first:]), "J")[0]
        plot_logarithmic(below, t[first:], error, color=DARK, linewidth=1.2, marker=marker_of(result))
        below.set_ylabel(f"|error of total|\n[{unit}]")
        figure.legend(*above.get_legend_handles_labels(), loc="outside lower center", ncols=5)
    return figure


def plot_reaction(result: Result, joints: Sequence[str], axes: str = "world", polar: bool = False) -> Figure:
    """Draw a panel of forces for each joint, and one for moments if there are any; or the hodographs of all joints."""
    loaded = [] if result.reactions is None else result.reactions.names()
    joints = names_of(joints, "plot_reaction", "joints", loaded)
    wrenches = {name: result.reaction(name, axes) for name in joints}
    in_space = result.sketch.dimension == 3
    if in_space and polar:
        what = "polar=True draws forces in a plane, and this mechanism is in space"
        raise ModelError(
            f"{what}; leave it out to see components", code="not-planar", argument="polar", result=result.title
        )
    with style():
        if polar:
            return _hodographs(result, wrenches, axes)
        figure, first = (_in_space if in_space else _in_the_plane)(result, wrenches, axes)
        _say_axes(first, axes)
        return figure


def _in_the_plane(result: Result, wrenches: dict[str, np.ndarray], axes: str) -> tuple[Figure, Any]:
    turning = [name for name, wrench in wrenches.items() if wrench[:, 2].any()]
    forcing = [name for name, wrench in wrenches.items() if wrench[:, :2].any() or name not in turning]
    figure, panels = stacked(result, len(forcing) + bool(turning))
    for ax, name in zip(panels, forcing, strict=False):
        _loads(ax, result, name, wrenches[name][:, :2], unique_in(result, name, axes)[:, :2], "force")
    legends = [ax.get_legend_handles_labels() for ax in panels[: len(forcing)]]
    curves = {label: line for lines, labels in legends for line, label in zip(lines, labels, strict=True)}
    if curves:
        figure.legend(curves.values(), curves.keys(), loc="outside lower center", ncols=3)
    if turning:
        for name, colour in zip(turning, COLOURS * len(turning), strict=False):
            (moment, unit), unique = shown(wrenches[name][:, 2], "N m"), unique_in(result, name, axes)[:, 2]
            _line(panels[-1], axis_of(result)[0], moment, unique, as_label(name), color=colour)
        panels[-1].set_ylabel(f"moment\n[{unit}]")
        panels[-1].legend(**BESIDE)
    return figure, panels[0]


def _in_space(result: Result, wrenches: dict[str, np.ndarray], axes: str) -> tuple[Figure, Any]:
    """Draw a panel of forces and one of moments about the second marker for each joint, except those that are zero."""
    shown = []
    for name, wrench in wrenches.items():
        size = {part: np.abs(wrench[:, columns]).max(initial=0.0) for part, columns in HALVES.items()}
        acting = [part for part in HALVES if size[part] > DISPLAY_ROUNDOFF * max(size.values())]
        shown += [(name, part) for part in acting or ["force"]]
    figure, panels = stacked(result, len(shown))
    for ax, (name, part) in zip(panels, shown, strict=True):
        values, unique = (x[:, HALVES[part]] for x in (wrenches[name], unique_in(result, name, axes)))
        _loads(ax, result, name, values, unique, part)
        ax.legend(**BESIDE)
    return figure, panels[0]


def _components(
    ax: Any, x: np.ndarray, letter: str, axes: str, values: np.ndarray, unique: np.ndarray, suffix: str = "",
    look: Any = None,
) -> None:  # fmt: skip
    """Draw the components of a vector, and its size."""
    for number, (axis, colour, value, is_unique) in enumerate(zip(axes, COLOURS, values.T, unique.T, strict=False)):
        label = f"${letter}_{axis}$" if letter else axis
        _line(ax, x, value, is_unique, label + suffix, number, look, color=colour)
    if letter:
        size, is_unique = np.linalg.norm(values, axis=1), np.asarray(unique.all(axis=1))
        _line(ax, x, size, is_unique, f"$|{letter}|${suffix}", 0, look, color=DARK, linewidth=1.2)


def _loads(ax: Any, result: Result, name: str, values: np.ndarray, unique: np.ndarray, part: str) -> None:
    """Draw the force or the moment of a joint."""
    letter, unit = ("F", "N") if part == "force" else ("M", "N m")
    values, unit = shown(values, unit, f"{name}.{part}", f"{name}.{letter}")
    _components(ax, axis_of(result)[0], letter, "xyz", values, unique)
    ax.set_ylabel(f"{as_label(name)}: {part}{_on_body(result, name)}\n[{unit}]")


CIRCLES = 4  # at most, otherwise their labels crowd the picture
SMALL = 0.25  # a path smaller than this part of the largest force is also drawn enlarged
RAYS = np.pi / 8 * np.arange(1, 16, 2)  # along one of these rays the circles of a hodograph are labelled
HALVES = {"force": slice(0, 3), "moment": slice(3, 6)}  # the columns of a reaction in space


def _hodographs(result: Result, wrenches: dict[str, np.ndarray], axes: str) -> Figure:
    """Draw the path of the tip of each force vector with its tail in the joint; a dot marks the start. Circles of equal
    force about the joint have round radii up to the largest force. A path that is small compared with its distance
    from the joint is drawn a second time, enlarged."""
    figure = Picture(figsize=(6.4, 5.2), layout="constrained")
    ax = figure.add_subplot()
    ax.set_aspect("equal", adjustable="datalim")
    forces, unit = shown(np.stack([wrench[:, :2] for wrench in wrenches.values()]), "N")
    curves: list[tuple[np.ndarray, dict[str, Any]]] = []
    for name, force, colour in zip(wrenches, forces, COLOURS * len(wrenches), strict=False):
        x, y, _ = unique_in(result, name, axes).T
        for part, dashes, remark in solid_and_dashed(x & y):
            label = f"{as_label(name)}{_on_body(result, name)}{remark}"
            curves.append((np.where(part, force.T, np.nan), {"color": colour, "linestyle": dashes, "label": label}))
        curves.append((force[:1].T, {"linestyle": "none", "color": colour, **START}))
    for (x, y), how in curves:
        ax.plot(x, y, **how)
    ax.plot([], [], linestyle="none", color=DARK, label="start", **START)
    ax.set_xlabel(axis_label("$F_x$", unit))
    ax.set_ylabel(axis_label("$F_y$", unit))
    ax.plot(0, 0, "+", color=DARK, markersize=12, markeredgewidth=1.2)
    ax.set_title(f"in {_words_of(axes)}")
    tips = np.concatenate(forces)
    tips = tips[np.isfinite(tips).all(axis=1)]
    largest = float(np.hypot(*tips.T).max(initial=0.0))
    if largest > 0.0:
        _add_circles(ax, tips, largest, unit)
        low, high = tips.min(axis=0), tips.max(axis=0)
        if DISPLAY_ROUNDOFF * largest < (high - low).max() < SMALL * largest:
            _enlarge(ax, curves, low, high)
    figure.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=3)
    say_if_stopped(figure, result)
    return figure


def _add_circles(ax: Any, forces: np.ndarray, largest: float, unit: str) -> None:
    """Draw circles of equal force about the origin, each labelled along the ray that is farthest from the curves."""
    radii = np.asarray(MaxNLocator(CIRCLES, steps=[1, 2, 2.5, 5, 10]).tick_values(0.0, largest))
    radii = radii[(radii > 0.0) & (radii <= 1.2 * largest)]
    rays = np.stack([np.cos(RAYS), np.sin(RAYS)], axis=-1)
    places = rays[:, None] * radii[:, None]
    room = np.linalg.norm(places[:, :, None] - forces, axis=-1).min(axis=-1)  # (rays, radii)
    best = rays[int(room.min(axis=1).argmax())]
    around = np.linspace(0, 2 * np.pi, 181)
    for radius in radii:
        ax.plot(radius * np.cos(around), radius * np.sin(around), color=GROUND, linewidth=0.5, linestyle=":", zorder=1)
        paper = {"facecolor": "white", "edgecolor": "none", "pad": 1}
        text = f"{radius:g} {unit}"
        ax.text(*(radius * best), text, ha="center", va="center", fontsize=8, color=GROUND, bbox=paper, zorder=1.1)


def _enlarge(ax: Any, curves: Sequence[tuple[np.ndarray, dict[str, Any]]], low: np.ndarray, high: np.ndarray) -> None:
    """Draw the curves once more in the corner opposite to their place, with a frame around the enlarged part."""
    middle, half = 0.5 * (low + high), 0.6 * float((high - low).max())
    left, bottom = 0.1 if middle[0] > 0.0 else 0.64, 0.12 if middle[1] > 0.0 else 0.63
    inset = ax.inset_axes((left, bottom, 0.34, 0.34), zorder=5)
    for (x, y), how in curves:
        inset.plot(x, y, **(how | {"label": "_"}))
    inset.set_xlim(middle[0] - half, middle[0] + half)
    inset.set_ylim(middle[1] - half, middle[1] + half)
    inset.set_aspect("equal", adjustable="box")
    inset.locator_params(nbins=3)
    inset.tick_params(labelsize=7)
    inset.set_title("enlarged", fontsize=8, color=GROUND)
    ax.indicate_inset_zoom(inset, edgecolor=GROUND)


def unique_in(result: Result, name: str, axes: str) -> np.ndarray:
    """Return whether each component is determined. In rotating axes the components of a force mix, so one undetermined
    component leaves all of them undetermined; in space the same holds for moments."""
    unique = result.is_unique(name)
    if axes == "world":
        return unique
    parts = np.split(unique, [2 if unique.shape[1] == 3 else 3], axis=1)
    return np.concatenate([*map(mixed, parts)], axis=1)


def mixed(unique: np.ndarray) -> np.ndarray:
    """Return whether each component is determined in axes that rotate: only if all components are."""
    return np.broadcast_to(unique.all(axis=1, keepdims=True), unique.shape)


def _line(
    ax: Any, x: np.ndarray, values: np.ndarray, unique: np.ndarray, label: str, number: int = 0, look: Any = None,
    **how: Any,
) -> None:  # fmt: skip
    """Draw one curve of a panel, by its number there; `look` is the line style of another result."""
    mark = MARKS[number % len(MARKS)]
    if len(x) > 1 and mark:
        how |= {"markevery": (0.02 * number, APART), "markersize": 4.0}
    for part, dashes, remark in solid_and_dashed(unique):
        how |= {"label": label + remark, "linestyle": dashes if look is None else look, "marker": marker_of(x) or mark}
        ax.plot(x, np.where(part, values, np.nan), **how)


def solid_and_dashed(unique: np.ndarray) -> Iterator[tuple[np.ndarray, str, str]]:
    """Yield the times that are drawn solid, and the times drawn dashed, with a remark for the legend. Dashes reach to
    their neighbours, so that the curve is connected and a single pose is visible."""
    if unique.any() or not unique.size:
        yield unique, "-", ""
    if not unique.all():
        dashed = ~unique
        dashed[1:] |= ~unique[:-1]
        dashed[:-1] |= ~unique[1:]
        yield dashed, "--", f" ({OPEN})"


def _on_body(result: Result, name: str) -> str:
    """Return the words for the body on which the force acts; "" if the sketch does not know the joint."""
    markers = next((e.markers for e in result.sketch.elements if e.name == name), ())
    return f" on {as_label(markers[min(1, len(markers) - 1)][0])}" if markers else ""


# --- panels and lines ---


def plot_logarithmic(ax: Any, t: np.ndarray, values: np.ndarray, **how: Any) -> None:
    """Draw values on a logarithmic axis, with zeros on a floor, which a note in the picture mentions."""
    ax.plot(t, np.maximum(values, LOG_FLOOR), **how)
    ax.set_yscale("log")
    _say_floor(ax, values)


def _say_floor(ax: Any, values: np.ndarray) -> None:
    floored = values[values < LOG_FLOOR]
    if not floored.size:
        return
    which = "all values are" if floored.size == values.size else f"{floored.size} of {values.size} values are"
    what = f"below {LOG_FLOOR:g}" if floored.any() else "exactly zero"
    ax.set_title(f"{which} {what}, drawn at {LOG_FLOOR:g}", loc="right", fontsize=8, color=GROUND)
    low, high = ax.get_ylim()
    ax.set_ylim(min(low, LOG_FLOOR / 3), max(high, 1e3 * LOG_FLOOR))


def stacked(
    result: Result, count: int, *, heights: Sequence[float] | None = None, say_stop: bool = True
) -> tuple[Figure, list[Any]]:
    """Return a figure and its panels, one above the other on a common axis, which is labelled once."""
    figure = Picture(figsize=(6.4, max(3.2, 0.9 + 1.9 * sum(heights or [1] * count))), layout="constrained")
    axes = list(figure.subplots(count, 1, sharex=True, squeeze=False, height_ratios=heights)[:, 0])
    axes[-1].set_xlabel(axis_of(result)[1])
    figure.align_ylabels(axes)
    if say_stop:
        say_if_stopped(figure, result)
    return figure, axes


def marker_of(poses: Sized) -> str:
    """Return a marker for a single pose, whose line would be invisible; "" otherwise."""
    return "o" if len(poses) == 1 else ""


def names_of(names: Sequence[Any], call: str, what: str, examples: Sequence[str]) -> list[str]:
    """Return each name once, in the given order; a list in place of several names counts as its names. Without names,
    the error suggests a few, of different kinds if possible."""
    if len(names) == 1 and isinstance(names[0], list | tuple):
        names = names[0]
    if not names:
        kinds: dict[str, str] = {}
        for name in examples:
            kinds.setdefault(name.rpartition(".")[2], name)
        few = ", ".join(map(repr, [*kinds.values()][:3])) or "'body.x'"
        raise ModelError(
            f"{call}() needs the names of {what}; write e.g. {call}({few})",
            code="missing-argument", method=call, kind=what, choices=tuple(examples),
        )  # fmt: skip
    for name in names:
        if np.ndim(name):
            what = f"{call}() draws {what} by their names, not {_kind(name)}"
            raise ModelError(
                f"{what}; numbers of your own are for matplotlib: plt.plot(result.t, numbers)",
                code="not-a-name", method=call, value=name,
            )  # fmt: skip
    return list(dict.fromkeys(map(str, names)))


def _kind(value: Any) -> str:
    """Return the words for a value that stands in place of a name; an array is described by its size."""
    return f"{np.size(value)} numbers" if np.ndim(value) else repr(value)
