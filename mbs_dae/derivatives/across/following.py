"""The derivatives of a run that switches, computed as the run goes.

The run itself is not touched: after each of its steps Python looks at what has happened. A step is repeated by
neighbouring runs (`beside`) from where the run stood before it; derivatives cross a switch, an impact or a reset by
the rule of `runs.jumps`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from ...compiled import System
from ...compiled.derivatives import SUPPLIED
from ...compiled.dynamics import KINETIC, POTENTIAL
from ...compiled.status import DONE
from ...model.events import Event
from ...motion.contact.guards import PRESS
from ...motion.events import asked_by, function_of, present
from ...motion.record import ACCEPTED, NEXT
from ...motion.samples import Sampling
from ...symbolic.branches import WATCH
from ..instants import MomentSlopes
from ..reversals import Passage, passage_moved, sides_of
from ..runs.jumps import (
    IN_TIME,
    at_held_time,
    at_the_event,
    carried_over,
    grazes,
    instant_moved,
    is_bent,
    is_smooth,
    on_edge,
)
from ..runs.repetition import rate_at
from ..runs.resets import kink_of
from .again import keep_at, make_steps, read_energy, read_guards_at
from .beside import (
    ALONE,
    FAR,
    NEAR,
    OTHER,
    SIDES,
    SMALL,
    Beside,
    MadeOfAll,
    Neighbours,
    Stands,
    Way,
    around,
    each,
    stands,
    varied,
)
from .crossing import READ, Crossing, Ending, Instant
from .decided import decided

TURNED = 10.0
"""The least ratio of the distance of the ends of a force to the distances of neighbours at which differences resolve
how the force turns: differences of fourth order then are right to 10⁻⁴."""


SHORTER = 7
"""The number of pauses that are tried, each a tenth of the one before."""


class Following:
    """The derivatives of a run as it goes: S, (parameters, y), at its state, and `rows` at the requested times."""

    def __init__(
        self, run: Any, own: Beside, names: Sequence[str], ways: Sequence[Way], breaks: np.ndarray, S: np.ndarray,
        sampling: Sampling,
    ):  # fmt: skip
        """`breaks`: how the ends of spans move with each parameter, (parameters, spans); S at the first state."""
        self.run, self.own, self.names, self.ways, self.sampling = run, own, names, ways, sampling
        self.breaks, self.S = breaks, S
        record = run.record
        self.rows = {name: np.zeros((len(ways), *getattr(record, name).shape)) for name in READ}
        self.told: dict[str, None] = {}
        """The reasons why derivatives end somewhere."""
        self.notes: dict[str, None] = {}
        """The remarks on single requested times without derivatives."""
        self.remembered = np.zeros((len(ways), own.remembers * S.shape[1]))
        """The changes of the rows that the method remembers, a row for each parameter."""
        self.span = 0
        """The span of the run in which neighbours are evaluated."""
        self.last: tuple[float, np.ndarray] | None = None
        """The time of the last jump, and how this time moves with each parameter."""
        self.crossing: Crossing | None = None
        self.moments: list[MomentSlopes] = []
        """The changes of the time and the state of each event, in their order."""
        self.ending: Ending | None = None
        self._reverses = bool(own.reversals.names)

    # --- as the run goes ---

    def begin(self) -> None:
        """Vary the first state: samples, records and closed contacts at the beginning."""
        t = float(self.run.time[0])
        if self.sampling.begins(t):
            self._sample(stands(self.run), self.run.stages.y0.copy(), self.run.stages.k[0].copy(), t)
        if self.run.counts[NEXT] > 0:
            self._read_now()
        if self.run.mechanism.contacts.choice.closed_count[0] > 0:
            self._keep(t)

    def _keep(self, t: float) -> None:
        """Neighbours of the first state that do not stick, or are apart, do as it does at once."""
        where = stands(self.run)

        def make(beside: Beside, y: np.ndarray, later: float) -> np.ndarray:
            kept = y.copy()
            beside.stand(where)
            return kept if keep_at(beside.march, t, kept) == DONE else kept * np.nan

        self.S = self.varied(make, self.run.stages.y0.copy(), self.run.stages.k[0].copy(), self.S, (t, t))

    def before(self) -> None:
        run = self.run
        self.was = Instant(
            stands(run), float(run.time[0]), run.stages.y0.copy(), run.stages.k[0].copy(), int(run.counts[ACCEPTED]),
            int(run.search.total[0]), int(run.course.at[0]), int(run.counts[NEXT]), self.own.remembered_of(run),
        )  # fmt: skip

    def after(self) -> None:
        """Carry the derivatives over what the run has done since `before`: a step, a switch, a break, a sample."""
        run, was = self.run, self.was
        stepped, switched = bool(run.counts[ACCEPTED] > was.accepted), bool(run.search.total[0] > was.switched)
        broke = bool(run.course.at[0] > was.span or run.course.at[1])
        y, dy, t = was.y, was.dy, float(run.time[0])
        if stepped:
            y, dy = run.stages.y1.copy(), run.stages.k[run.tableau.stages].copy()
            passages = self._passages(t, y)
            if passages:
                self._pass(passages, t, y, dy)
            else:
                self._step(t, y, changes=switched or broke)
        if switched:
            self.crossing = Crossing(
                was, y, dy, self.S, t, t - was.t, np.flatnonzero(run.search.guards.passes_zero == 1)
            )
            self._switch(y, dy, broke)
        elif stepped and run.events.passed.any():
            passed = run.events.function[run.events.passed == 1]
            self.crossing = Crossing(was, y, dy, self.S, t, t - was.t, passed)
        if not switched and run.course.at[0] > was.span:
            self._break(dy, was.span)
            if run.course.sampled[was.span] == 1:
                self._sample(was.where, y, dy, t)
        if run.counts[NEXT] > was.read and run.record.times[run.counts[NEXT] - 1] == t and (switched or broke):
            self._read_now()

    def end(self, done: int, events: Sequence[str]) -> None:
        """Vary the last record, where events have ended the run, at a time that is held and at one that moves. (Runs
        in other coordinates than those of bodies are read at all times at once, which are held.)"""
        if done and self.run.record.times[done - 1] == self.run.time[0]:
            self._read_now()
            if self.own.system.is_cartesian:
                moved = self.time_moved([guard for name in events for guard in self.guards_of(name)])
                self.ending = Ending(moved, self._kept(moved))

    # --- what happens ---

    def _passages(self, t: float, y: np.ndarray) -> list[Passage]:
        """Return where the ends of forces pass each other in the step to the state y at time t."""
        if not self._reverses:
            return []
        ends = np.array([self.was.t, t])
        return self.own.reversals.passages_between(ends, self.own.distances(ends, np.stack([self.was.y, y])))

    def _pass(self, passages: Sequence[Passage], t: float, y: np.ndarray, dy: np.ndarray) -> None:
        """Go across a step in which the ends of a force pass each other at the time t*, h₋ behind its begin and h₊
        before its end. Steps are short there, as long as the error of the run lets them be. With A S of `varied`,

            S₋ = S + h₋ A₋ S,      S₊ = S₋ + (f₋ - f₊) t',      S = S₊ + h₊ A₊ S₊.
        """
        run, was, size = self.run, self.was, self.S.shape[1]
        state, first = run.mechanism.state, passages[0]
        self.span = was.span

        def rate_of(t: float) -> Callable[[Beside, np.ndarray, float], np.ndarray]:
            def rate(beside: Beside, y: np.ndarray, later: float) -> np.ndarray:
                found = np.zeros_like(y)
                beside.stand(was.where)
                return found if rate_at(beside.march, t, y, found) == DONE else found * np.nan

            return rate

        def apart(beside: Beside, y: np.ndarray, later: float) -> np.ndarray:
            return beside.distances(np.array([first.t]), y[None])[:, 0, 0].ravel()

        def rate(t: float, y: np.ndarray) -> np.ndarray:
            return rate_of(t)(self.own, y, 0.0)

        meeting = sides_of(first, (was.t, t), (was.y, y), (was.dy, dy), rate)
        S = self.S + meeting.before * self.varied(rate_of(was.t), was.y, was.dy, self.S, (was.t, was.t))
        d = self.own.distances(np.array([was.t, first.t]), np.stack([was.y, meeting.y]))
        slopes, meets = (
            self.varied(apart, y, dy, S, (was.t, was.t), smooth=True).reshape(len(S), *d[:, 0, 0].shape)
            for y, dy, S in ((was.y, was.dy, self.S), (meeting.y, meeting.f_before, S))
        )
        reach = np.abs(self.S[:, : state.q_end]).max(axis=1)
        moved = passage_moved(passages, d[:, 0, 0], slopes, d[:, 1, 1], meets, reach)
        for k in np.flatnonzero(np.isnan(moved) & np.isfinite(S).all(axis=1)).tolist():
            self._tell(f"{first.message}, by {self.names[k]}")
            self._end_before(first, k, d[first.force, 1, 1], slopes[k, first.force])
        S = carried_over(S, meeting.f_before, meeting.f_behind, moved)
        S += meeting.behind * self.varied(rate_of(t), y, dy, S, (t, t))
        self.S = S
        self.remembered = np.tile(self.varied(rate_of(t), y, dy, S, (t, t)), self.remembered.shape[1] // size)
        times = run.record.times
        within = slice(was.read, int(np.searchsorted(times, t, side="right")))
        for time in times[within]:
            self.notes[first.told_within(float(time))] = None
        for rows in self.rows.values():
            rows[:, within] = np.nan

    def _end_before(self, passage: Passage, k: int, rate: np.ndarray, slope: np.ndarray) -> None:
        """A parameter moves the ends sideways. Where they are closer than its neighbours are apart, differences do not
        tell how the force turns: what is read there has no derivative."""
        unit = self.own.units_of(self.run, self.was.y, self.was.dy)
        reach = float((np.abs(self.S[k]) / unit).max(initial=0.0))
        aside = TURNED * FAR * SMALL * np.linalg.norm(slope) / max(reach, np.finfo(float).tiny)
        from_then = self.run.record.times >= passage.t - aside / np.linalg.norm(rate)
        for own in self.rows.values():
            own[k, from_then[: own.shape[1]]] = np.nan

    def _step(self, t: float, y1: np.ndarray, changes: bool) -> None:
        run, was, own, width = self.run, self.was, self.own, self.S.shape[1]
        times, closed, gains = run.record.times, int(run.stages.closed[0]), run.mechanism.gains
        first, last = was.read, int(np.searchsorted(times, t, side="left" if changes else "right"))
        known = np.array([was.t, t, closed, changes, *gains, first, last, own.remembers])
        y, S = np.concatenate([was.y, was.remembered]), np.concatenate([self.S, self.remembered], axis=1)
        sizes = [getattr(own.march.record, name)[first:last].size for name in READ]
        size, like, where = S.shape[1] + sum(sizes), own.march, was.where

        def make(runs: Sequence[Beside], begins: np.ndarray, later: np.ndarray) -> np.ndarray:
            made = np.empty((len(runs), size))
            make_steps(like, np.array([one.addresses for one in runs]), *where, known, begins, made)
            return made

        self.span = was.span
        found = self._varied_all(make, y, was.dy, S, (was.t, t), end=y1)
        if not self.told and (np.isfinite(S).all(axis=1) & ~np.isfinite(found).all(axis=1)).any():
            self._tell(f"at t = {was.t:.6g} a step cannot be made in designs or states beside")
        self.S, self.remembered, *rows = np.split(found, np.cumsum([width, self.remembered.shape[1], *sizes[:-1]]), 1)
        for name, new in zip(READ, rows, strict=True):
            kept = self.rows[name]
            kept[:, first:last] = new.reshape(len(self.ways), last - first, *kept.shape[2:])

    def _switch(self, y: np.ndarray, dy: np.ndarray, broke: bool) -> None:
        run, crossing = self.run, self.crossing
        assert crossing is not None
        strikes, behind = not np.array_equal(run.stages.y0, y), run.stages.k[0].copy()
        kinds = run.mechanism.switches.kinds[crossing.passed]
        if not strikes and self._is_smooth(dy, behind, works=bool((kinds != PRESS).any())):
            return  # where normal forces vanish, so does the work of friction, but for roundoff
        guards = crossing.passed[(kinds != WATCH) & (kinds != PRESS)]
        moved = self._moved(crossing, guards if guards.size else crossing.passed[kinds != WATCH])
        if broke:
            moved = self._at_once()
        self.last = crossing.t, moved
        if not strikes:
            self.S = carried_over(self.S, dy, behind, moved)
            return
        self.S = at_held_time(self._strike(y, dy, at_the_event(self.S, dy, moved), moved), behind, moved)

    def _strike(self, y: np.ndarray, dy: np.ndarray, way: np.ndarray, moved: np.ndarray) -> np.ndarray:
        """Return how the state behind an impact varies, from how the state before it varies where neighbours meet."""
        assert self.crossing is not None
        t, impact = self.crossing.t, decided(self.run, self.own, self.crossing.before.where, self.crossing.t, y)
        if impact is None:
            self._tell(f"at t = {t:.6g} an impact could not be made again as it was")
            return np.full_like(way, np.nan)
        found = self.varied(impact.make, y, dy, way, (t, t), moved)
        after, margins = np.split(found, [y.size], axis=1)
        unit = self.own.units_of(self.run, y, dy)
        for k, (S, wait) in enumerate(zip(way, moved, strict=True)):
            if not np.isfinite(S).all() or not np.isfinite(wait):
                continue
            if not np.isfinite(found[k]).all():
                self._tell(f"at t = {t:.6g} bodies meet in another way in designs or states beside")
            elif on_edge(impact.margins, margins[k], float((np.abs(S) / unit).max()) + 1.0 / self._size(k)):
                laws = "an impact lies on the boundary between two laws (stick or slip, part or stay)"
                self._tell(f"at t = {t:.6g} {laws}: neighbouring runs follow one or the other")
                after[k] = np.nan
        return after

    def _size(self, k: int) -> float:
        """Return the size of parameter k; inf where designs do not depend on it."""
        return self.ways[k].small / SMALL if self.ways[k].runs else np.inf

    def _break(self, dy: np.ndarray, span: int) -> None:
        behind = self.run.stages.k[0]
        if span < self.breaks.shape[1]:
            self.last = float(self.run.time[0]), self.breaks[:, span]
            self.S = carried_over(self.S, dy, behind, self.breaks[:, span])

    def _sample(self, where: Stands, y: np.ndarray, dy: np.ndarray, t: float) -> None:
        """Carry S over a sampling time t, which is held, at which controllers set states."""
        now, size = float(self.run.course.first[self.run.course.at[0]]), y.size

        def make(beside: Beside, y: np.ndarray, later: float) -> np.ndarray:
            beside.stand(where)
            beside.march.stages.y0[:] = y
            replace(self.sampling, system=beside.system).sample(beside.march, t, now)
            return beside.march.stages.y0[:size].copy()

        self.span = int(self.run.course.at[0])
        self.S = self.varied(make, y, dy, self.S, (t, t))

    def ends(self, why: str) -> None:
        """Let there be no derivatives from here on."""
        self._tell(why)
        self.S = np.full_like(self.S, np.nan)

    def resets(self, guards: Sequence[int], change: Callable[[Beside, np.ndarray], np.ndarray]) -> Callable[[], None]:
        """Vary a reset: call this method before an event gives the run another state, which `change` does to a
        neighbouring run, and call the returned function behind the reset."""
        y, dy, crossing, t = self.run.stages.y0.copy(), self.run.stages.k[0].copy(), self.crossing, self.run.time[0]
        where, jumped = stands(self.run), self._has_jumped(float(t))
        moved = self.last[1] if self.last and jumped else self.time_moved(guards)
        if not jumped and crossing is not None and crossing.t == t:
            self.last = float(t), moved

        def make(beside: Beside, y: np.ndarray, later: float) -> np.ndarray:
            beside.stand(where)
            with beside.standing(float(t), later):
                return change(beside, y)

        S = self.varied(make, y, dy, at_the_event(self.S, dy, moved), (t, t), moved)

        def done() -> None:
            self.S = at_held_time(S, self.run.stages.k[0], moved)
            last = int(self.run.counts[NEXT]) - 1
            if self.run.record.times[last] == t:
                self._read_now()

        return done

    def guards_of(self, event: str) -> list[int]:
        """The guards that pass zero at this event: one, or none where it names a change of a contact."""
        system = self.own.system
        own = system.model.elements[event]
        assert isinstance(own, Event)
        return [] if own.change else [function_of(system, self.run, own)]

    def time_moved(self, guards: Sequence[int]) -> np.ndarray:
        """Return how the present time moves, at which these guards have passed zero, or, without guards, a contact has
        changed; nan where the change is not known."""
        t, crossing, jumped = float(self.run.time[0]), self.crossing, self._has_jumped(float(self.run.time[0]))
        if self.last and jumped and not guards:
            return self.last[1]
        if crossing is not None and crossing.t == t and not guards:
            guards = crossing.passed[self.run.mechanism.switches.kinds[crossing.passed] != WATCH].tolist()
        if crossing is not None and crossing.t == t and (not jumped or {*guards} <= {*crossing.passed.tolist()}):
            return self._moved(crossing, np.array(guards, dtype=np.int64))
        return self.last[1] if self.last and jumped else np.full(len(self.ways), np.nan)

    def _has_jumped(self, t: float) -> bool:
        return self.last is not None and self.last[0] == t

    def standing(self) -> dict[str, Any]:
        """The derivatives found up to here, to which `stand` goes back."""
        rows = {name: own.copy() for name, own in self.rows.items()}
        return vars(self) | {"rows": rows, "told": dict(self.told), "notes": dict(self.notes)}

    def stand(self, where: dict[str, Any], forget: int = 0) -> None:
        """Go back to where this stood, with the moments that were noted since then, but for so many."""
        moments = self.moments[: len(self.moments) - forget]
        vars(self).update(where, moments=moments)

    # --- parts ---

    def varied(
        self, make: Any, y: np.ndarray, dy: np.ndarray, S: np.ndarray, when: tuple[float, float],
        later: np.ndarray | None = None, smooth: bool = False,
    ) -> np.ndarray:  # fmt: skip
        """Return the derivatives of `make` between two times, a row for each parameter; `smooth` says that `make` is
        smooth where forces reverse."""
        return self._varied_all(each(make), y, dy, S, when, later, smooth=smooth)

    def _varied_all(
        self, make: MadeOfAll, y: np.ndarray, dy: np.ndarray, S: np.ndarray, when: tuple[float, float],
        later: np.ndarray | None = None, end: np.ndarray | None = None, smooth: bool = False,
    ) -> np.ndarray:  # fmt: skip
        """Return the derivatives, a row for each parameter, of what `make` computes for all neighbours at once. For a
        step of the run to the state `end`, the states of neighbours stand first in each row. Behind a state stand the
        rates that the method remembers."""
        unit, size = self.own.units_of(self.run, y, dy), self.S.shape[1]
        for _ in range(size, y.size, size):
            unit = np.concatenate([unit, unit[:size] / (when[1] - when[0])])
        ways = [self._way(k, when) if np.isfinite(own).all() else None for k, own in enumerate(S)]
        lags = np.zeros(len(S)) if later is None else later
        if not smooth and self._is_near(y, end):
            return self._varied_near(make, ways, y, S, unit, when, lags, end)
        known = [(y, S[k], unit, lags[k], self.own.pause_of(self.run)) for k in range(len(S))]
        plans = [around(self.own, way, *known[k]) for k, way in enumerate(ways) if way is not None]
        ended = np.array([way is None for way in ways], dtype=bool)
        runs = [run for plan in plans for run in plan.runs]
        if not runs:
            return np.where(ended[:, None], np.nan, 0.0) * make([self.own], y[None], np.zeros(1))
        rows = make(runs, np.concatenate([plan.y for plan in plans]), np.concatenate([plan.later for plan in plans]))
        found, at = np.full((len(S), rows.shape[1]), np.nan), 0
        for k, plan in zip(np.flatnonzero(~ended).tolist(), plans, strict=True):
            own, at = rows[at : at + len(plan.runs)], at + len(plan.runs)
            found[k] = plan.weights @ own
            if when[1] == when[0]:
                continue
            bend, made, of = (x[:size] / unit[:size] for x in (plan.bends @ own, found[k], S[k]))
            if is_bent(bend, made, of, self._size(k)):
                self._tell(f"at t = {when[0]:.6g} a step is too long for designs beside; give a smaller rtol or step")
                found[k] = np.nan
        return found

    def _is_near(self, y: np.ndarray, end: np.ndarray | None) -> bool:
        """Return whether neighbours of these states may stand behind the passage of the ends of a force."""
        if not self._reverses:
            return False
        states = np.stack([x[: self.S.shape[1]] for x in (y, end) if x is not None])
        self._apart = self.own.distances(np.zeros(len(states)), states)[:, 0]
        return bool(np.linalg.norm(self._apart, axis=2).min() <= NEAR * self.own.system.length)

    def _varied_near(
        self, make: MadeOfAll, ways: Sequence[Way | None], y: np.ndarray, S: np.ndarray, unit: np.ndarray,
        when: tuple[float, float], later: np.ndarray, end: np.ndarray | None,
    ) -> np.ndarray:  # fmt: skip
        """Near a passage: of neighbours that stand on the run's side of it, at both ends of a step, central ones or
        those above or below, states and designs by themselves."""
        rows = [np.full((1, 0), np.nan)] * len(S)
        for k, way in enumerate(ways):
            sides = [0, 0]  # of states and of designs
            while way is not None:
                known = y, S[k], unit, later[k], self.own.pause_of(self.run), SIDES[sides[0]]
                plan = around(self.own, way.beside(sides[1]), *known)
                runs = plan.runs or [self.own]
                made = make(runs, plan.y if plan.runs else y[None], plan.later if plan.runs else np.zeros(1))
                rows[k] = (plan.weights @ made if plan.runs else 0.0 * made[0])[None]
                if not plan.runs:
                    break
                of_design = np.array([run is not self.own for run in runs])
                behind = self._are_behind(plan, made, end)
                if not behind.any():
                    break
                tried = [bool((behind & part).any()) for part in (~of_design, of_design)]
                if any(bad and side not in OTHER for bad, side in zip(tried, sides, strict=True)):
                    self._tell(f"at t = {when[0]:.6g} neighbours on both sides are beyond the passage of a force")
                    rows[k] = np.full_like(rows[k], np.nan)
                    break
                sides = [OTHER[side] if bad else side for bad, side in zip(tried, sides, strict=True)]
        width = max(row.shape[1] for row in rows)
        if not width:
            return np.nan * make([self.own] * len(S), np.stack([y] * len(S)), np.zeros(len(S)))
        return np.concatenate([row if row.shape[1] else np.full((1, width), np.nan) for row in rows])

    def _are_behind(self, plan: Neighbours, made: np.ndarray, end: np.ndarray | None) -> np.ndarray:
        """Return whether each neighbour stands beyond a passage that the run has not made, or the reverse, at an end of
        a step, (neighbours,)."""
        found, size = np.zeros(len(plan.runs), dtype=bool), self.S.shape[1]
        for n, run in enumerate(plan.runs):
            states = [plan.y[n, :size]] + ([made[n, :size]] if end is not None else [])
            if not np.isfinite(states).all():
                continue
            apart = run.distances(np.zeros(len(states)), np.stack(states))[:, 0]
            found[n] = ((apart * self._apart).sum(axis=2) < 0.0).any()
        return found

    def _way(self, k: int, when: tuple[float, float]) -> Way | None:
        """Return the way of parameter k between two times. A break that moves with the parameter moves into the step
        next to the break, for designs on one side, which are left out there; None if both sides are left out."""
        way, moves, course, span = self.ways[k], self.breaks[k], self.run.course, self.span
        if not moves.any():
            return way
        reach, sides = 4.0 * way.small * np.abs(moves), set[int]()
        if span > 0 and when[0] - course.ends[span - 1] <= reach[span - 1] > 0.0:
            sides.add(-int(np.sign(moves[span - 1])))
        if course.ends[span] - when[1] <= reach[span] > 0.0:
            sides.add(int(np.sign(moves[span])))
        if len(sides) > 1:
            self._tell(f"at t = {when[0]:.6g} a step lies between two switches that both move; give a shorter max_step")
            return None
        return way if not sides else way.above if 1 in sides else way.below

    def way_at(self, k: int, t: float) -> Way | None:
        """Return the way for readings of the run at a requested time t by parameter k."""
        self.span = int(np.searchsorted(self.run.course.ends[:-1], t, side="right"))
        return self._way(k, (t, t))

    def _is_smooth(self, before: np.ndarray, after: np.ndarray, works: bool = True) -> bool:
        state = self.run.mechanism.state
        spans = [slice(state.z_at, state.q_end), slice(state.v_at, state.v_end)]
        spans += [slice(state.works_at, None)] * works
        return all(is_smooth(before[span], after[span]) for span in spans)

    def _moved(self, crossing: Crossing, guards: np.ndarray) -> np.ndarray:
        """Return how the time at which these guards are zero moves with each parameter; nan where it has no slope."""
        before, t = crossing.before, crossing.t
        if crossing.length == 0.0 and self.last is not None and self.last[0] == t:
            return self.last[1]
        if not guards.size:
            return np.full(len(self.ways), np.nan)

        def make(beside: Beside, y: np.ndarray, later: float) -> np.ndarray:
            found = np.zeros(beside.march.mechanism.switches.guard.size)
            beside.stand(before.where)
            status = read_guards_at(beside.march, t + later, y, found)
            return found[guards] if status == DONE else found[guards] * np.nan

        unit = self.own.units_of(self.run, crossing.y, crossing.dy)
        size, of_events = self.run.search.guards.size[guards], np.isin(guards, self.run.events.function)
        size[of_events] = np.abs(make(self.own, before.y, before.t - t))[of_events]
        course, span = self.run.course, before.span
        if t == course.ends[span] and span < course.ends.size - 1:  # behind a break guards cannot be read
            by_state = np.abs(self._along(make, crossing.y, crossing.dy, unit)) * crossing.length
            in_time = bool((by_state <= IN_TIME * size).all())
            return self.breaks[:, span] if in_time else self._at_once()
        along = self.varied(make, crossing.y, crossing.dy, crossing.S, (t, t))
        rate = self._along(make, crossing.y, crossing.dy, unit, 1.0)
        if grazes(rate, crossing.length, size):
            self._tell(f"at t = {t:.6g} the motion touches where it switches, and does not pass")
            return np.full(len(self.ways), np.nan)
        found = instant_moved(along, rate)
        if np.isnan(found).any():
            self._tell(f"at t = {t:.6g} several things happen at once that come one after the other beside it")
        return found

    def _along(self, make: Any, y: np.ndarray, S: np.ndarray, unit: np.ndarray, later: float = 0.0) -> np.ndarray:
        """Return the derivative of `make` along S, in the design of the run. Where the motion rests, laws of time may
        change at any pace: of differences over shorter and shorter times those count that agree best."""
        if self._is_near(y, None):
            when = (float(self.run.time[0]),) * 2
            return self._varied_near(each(make), [ALONE], y, S[None], unit, when, np.array([later]), None)[0]
        if later == 0.0:
            return varied(make, self.own, ALONE, y, S, unit)
        pauses = self.own.pause_of(self.run) * 10.0 ** -np.arange(SHORTER)
        rates = np.array([varied(make, self.own, ALONE, y, S, unit, later, pause) for pause in pauses])
        apart = np.nan_to_num(np.abs(np.diff(rates, axis=0)), nan=np.inf)
        return np.array(rates[apart.argmin(axis=0), np.arange(rates.shape[1])])

    def _at_once(self) -> np.ndarray:
        """Return nan for the derivatives of a time at which two causes switch, and note the reason."""
        self._tell("laws of time and of the motion switch at once")
        return np.full(len(self.ways), np.nan)

    def _read_now(self) -> None:
        """Put how the present state varies into `rows`, for the requested time recorded last."""
        for name, own in self._kept(np.zeros(len(self.ways))).items():
            self.rows[name][:, int(self.run.counts[NEXT]) - 1] = own

    def _kept(self, moved: np.ndarray) -> dict[str, np.ndarray]:
        """Return how the record of the present state varies, by name, at a time that moves by `moved`."""
        run = self.run
        k, where, t = int(run.counts[NEXT]) - 1, stands(run), float(run.time[0])

        def make(beside: Beside, y: np.ndarray, later: float) -> np.ndarray:
            march = beside.march
            beside.stand(where)
            march.stages.y0[:] = y
            status = beside.read_later(t, later, k)
            rows = np.concatenate([getattr(march.record, name)[k].ravel() for name in READ])
            return rows if status == DONE else rows * np.nan

        self.span = min(int(run.course.at[0]), run.course.ends.size - 1)
        y, dy, at, kept = run.stages.y0.copy(), run.stages.k[0].copy(), 0, {}
        found = self.varied(make, y, dy, at_the_event(self.S, dy, moved), (t, t), moved)
        for name in READ:
            shape = self.rows[name].shape[2:]
            size = int(np.prod(shape))
            kept[name], at = found[:, at : at + size].reshape(len(self.ways), *shape), at + size
        return kept

    def _tell(self, why: str) -> None:
        self.told[why] = None


@contextmanager
def passed_by(following: Following | None, system: System, event: Event) -> Iterator[None]:
    """Carry the derivatives over a reset, which an event makes within this context."""
    if following is None:
        yield
        return

    def change(beside: Beside, y: np.ndarray) -> np.ndarray:
        march, layout = beside.march, beside.march.mechanism.state
        march.stages.y0[:] = y
        read_energy(march)
        energy = march.record.end_scalars[[KINETIC, POTENTIAL]].sum()
        q, v = asked_by(beside.system, event, present(beside.system, march))
        y = np.concatenate([q, v, y[layout.works_at :]])
        march.stages.y0[:] = y
        read_energy(march)
        y[layout.works_at + SUPPLIED] += march.record.end_scalars[[KINETIC, POTENTIAL]].sum() - energy
        return y

    if why := kink_of(system.model, event, present(system, following.run), following.names):
        following.ends(why)
    passed = following.resets(following.guards_of(event.name), change)
    yield
    passed()
