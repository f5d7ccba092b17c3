"""Random plane linkages with one freedom, of one to four loops, and which poses of two lists are the same."""

import numpy as np

import mbs_dae as mbs

PI = np.pi


class Linkage:
    """A crank on the ground; chains that close loops between any two bodies there are, or a triad between three.

    Two bars and three pins, or a bar whose end slides on a line of another body, or a guide that turns about a pin and
    through which a pin of another body slides: of these no body can go far away, so every curve of poses closes. What
    is driven is the crank, or the coordinate of any other joint; of every second linkage by a `Driver` with the law t,
    of the others by `fix`.
    """

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.model = mbs.PlanarModel(f"linkage {seed}")
        self.bodies, self.places, self.joints = [self.model.ground], {"ground": np.zeros(2)}, 0
        crank = self.body(self.point())
        self.pin(self.bodies[0], crank, self.places[crank.name])
        loops = left = 1 + seed % 4
        while left:
            left -= self.triad() if left > 1 and self.random.random() < 0.25 else self.dyad()
        self.loops = loops
        self.name = self.driven(seed)
        self.by_time = seed % 8 >= 4
        if self.by_time:
            self.model.add(mbs.Driver("motor", self.model.quantity(self.name)[0], mbs.t))

    def point(self):
        return self.random.uniform(-1, 1, size=2)

    def body(self, place):
        body = self.model.body(f"b{len(self.bodies)}", position=tuple(place))
        self.places[body.name] = place
        self.bodies.append(body)
        return body

    def at(self, body, place, turned=0.0):
        return body.at(*(place - self.places[getattr(body, "name", "ground")]), turned)

    def add(self, kind, first, second):
        self.model.add(kind(f"J{self.joints}", first, second))
        self.joints += 1

    def pin(self, first, second, place):
        self.add(mbs.Revolute, self.at(first, place), self.at(second, place))

    def some(self, count):
        return [self.bodies[k] for k in self.random.choice(len(self.bodies), count, replace=False)]

    def leg(self, first, second, end):
        """Two bars from one body to a point of another."""
        start, middle = self.point(), self.point()
        bars = self.body(start), self.body(middle)
        self.pin(first, bars[0], start)
        self.pin(bars[0], bars[1], middle)
        self.pin(bars[1], second, end)

    def dyad(self):
        first, second = (self.bodies[:2] if len(self.bodies) == 2 else self.some(2))[:: self.random.choice([1, -1])]
        start, end, kind = self.point(), self.point(), self.random.integers(4)
        if kind < 2:
            self.leg(first, second, end)
            return 1
        bar = self.body(start)
        self.pin(first, bar, start)
        if kind == 2:  # its end slides on a line of the second body
            self.add(mbs.PinInSlot, self.at(second, end, self.random.uniform(-PI, PI)), self.at(bar, end))
        else:  # a pin of the second body slides through it
            self.add(mbs.PinInSlot, self.at(bar, start, np.arctan2(*(end - start)[::-1])), self.at(second, end))
        return 1

    def triad(self):
        """A platform on three bars."""
        bodies = self.some(3) if len(self.bodies) > 2 else [*self.bodies, self.bodies[0]]
        platform = self.body(self.point())
        for body in bodies:
            start, end = self.point(), self.point()
            bar = self.body(start)
            self.pin(body, bar, start)
            self.pin(bar, platform, end)
        return 2

    def driven(self, seed):
        if seed % 3:
            return "J0.angle"
        names = [f"{e.name}.{kind}" for e in self.model.conditions for kind in e.measures()]
        return names[self.random.integers(len(names))]

    def modes(self, value, seed=1):
        if self.by_time:
            return mbs.assembly_modes(self.model, t=value, seed=seed)
        return mbs.assembly_modes(self.model, fix={self.name: value}, seed=seed)

    def values(self, count):
        """Angles from anywhere; displacements from where the placement leads, and a little beyond."""
        if self.name.endswith("angle"):
            return self.random.uniform(-PI, PI, size=count)
        model = self.model.without("motor") if self.by_time else self.model  # which may ask for what is out of reach
        low, high = mbs.follow(model, self.name).limits(self.name)
        return self.random.uniform(low - 0.1 * (high - low), high + 0.1 * (high - low), size=count)


def numbers_of(states, like):
    """For each state the numbers of the poses in a list that are the same, turns of bodies aside."""
    if not len(like):
        return [[] for _ in states]
    q = np.array([state.full_q for state in like]).reshape(len(like), -1, 3)
    out = []
    for state in states:
        far = q - state.full_q.reshape(1, -1, 3)
        far[:, :, 2] = 2 * np.sin(far[:, :, 2] / 2)
        out.append(np.flatnonzero(np.abs(far).max(axis=(1, 2), initial=0.0) < 1e-7).tolist())
    return out


def unmatched(linkage, count):
    """What contradicts between modes at `count` values and the circuits through them: a list of sentences; and how many
    modes, circuits, and modes met on a circuit that was found at another value."""
    name, values = linkage.name, linkage.values(count)
    modes = [linkage.modes(float(value)) for value in values]
    told = [f"at {v:.17g}: {m!r} {m.message}" for v, m in zip(values, modes, strict=True) if m.complete is not True]
    met = [np.zeros(len(m), int) for m in modes]
    circuits = again = 0
    for k, own in enumerate(modes):
        for i, state in enumerate(own):
            if met[k][i]:
                again += 1
                continue
            curve = mbs.follow(linkage.model, name, start=state)
            circuits += 1
            if not curve.closed:
                told.append(f"at {values[k]:.17g}: the curve from mode {i} is open: {curve.ends} {curve.message}")
            for j, value in enumerate(values):
                for numbers in numbers_of(curve.states_where(name, float(value)), modes[j]):
                    if len(numbers) != 1:
                        told.append(
                            f"a pose at {value:.17g}, on the curve from mode {i} at {values[k]:.17g}, is {numbers}"
                        )
                    met[j][numbers] += 1
            if met[k][i] == 0:
                told.append(f"at {values[k]:.17g}: mode {i} is not on the curve from it")
    told += [f"at {v:.17g}: {m} curves" for v, m in zip(values, met, strict=True) if (m != 1).any()]
    return told, sum(map(len, modes)), circuits, again
