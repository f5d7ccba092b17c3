"""Every public name in a use that a type checker must accept, in strict mode. Checked, never run."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

import mbs_dae as mbs


class Bar(mbs.Joint):
    """A joint of one's own: constants of every kind."""

    length = mbs.scalar("m", positive=True)
    profile = mbs.function("m", of=mbs.theta, default=0)
    side = mbs.choice("left", "right", default="left")

    @staticmethod
    def phi(i: Any, j: Any, length: Any, profile: Any, side: str) -> list[Any]:
        return [mbs.primitives.distance(i, j) - length]


class Wind(mbs.ForceElement):
    gust = mbs.expression("N", default=0)

    @staticmethod
    def force(i: Any, gust: Any) -> list[Any]:
        return [(gust, 0)]


class Rubber(mbs.EffortElement):
    stiffness = mbs.scalar("N/m")

    @staticmethod
    def effort(s: Any, rate: Any, stiffness: Any) -> Any:
        return -stiffness * s


def plane() -> mbs.PlanarModel:
    model = mbs.PlanarModel("plane", gravity=(0, -9.81))
    r = model.parameter("r", 0.1, "m")
    a, b = model.link("a", (0, 0), (0.1, 0), mass=1.0, length=r), model.body("b", mass=2, inertia=0.1, angle=0.2)
    place: mbs.Marker = a.at(0.1, r)
    body: mbs.Body = b
    pin = model.add(mbs.Revolute("pin", model.ground, a.tail))
    slide = model.add(mbs.Translational("slide", a, b, at=(0.1, 0), axis=(1, 0)))
    table = mbs.Table([0, 1, 2], [0, 1, 0])
    lift = mbs.Motion().dwell(1).rise(0.1, over=0.5, law="cycloidal").return_(over=1.0, law="3-4-5").repeat()
    assert "cycloidal" in mbs.LAWS
    model.add(
        mbs.Prismatic("p", a, b),
        mbs.Fixed("w", i=a, j=b),
        mbs.Distance("d", place, b, 0.5),
        mbs.PinInSlot("s", a, b),
        mbs.Gear("mesh", a, b, ratio=2),
        mbs.Gear("mesh2", a, b, model.ground, r, "internal"),
        mbs.Gear("mesh3", pin, pin, radii=(0.1, r)),
        mbs.RackAndPinion("rack", a, b, radius=r),
        mbs.CamFollower("cam", a, b, profile=0.3 + 0.1 * sp.cos(mbs.theta), follower="flat"),
        mbs.CoordinateFix("x", body, "x", 0.0),
        mbs.Constraint("c", a, b, phi=lambda i, j: i.x - j.y, unit="m"),
        mbs.Driver("motor", mbs.angle(pin), 0.6 + 2 * mbs.t),
        mbs.Driver("lift", mbs.distance(a, b), lift),
        mbs.PoseDriver("pose", b, position=(0, mbs.t)),
        Bar("bar", a, b, length=1.0),
    )
    model.add(
        spring := mbs.Spring("spring", a, b, stiffness=100.0, length=r, law=mbs.length**3),
        mbs.Stop("fully out", mbs.distance(spring), upper=0.4),
        mbs.Damper("damper", mbs.displacement(slide), damping=2),
        mbs.SpringDamper("both", a, b, 1.0, 2.0, law=table),
        mbs.TorsionSpring("coil", pin, stiffness=3 * r),
        mbs.Force("force", place, (1, sp.sin(mbs.t)), axes="body"),
        mbs.Torque("torque", b, 3.0),
        mbs.Torque("torque2", a, b, table),
        mbs.Wrench("wrench", b, force=(1, 2), moment=0.1),
        mbs.Bushing("bushing", a, b, stiffness=(1, 2, 3), damping=np.eye(3)),
        mbs.Motor("drive", pin, torque=10 * (1 - mbs.speed / 9)),
        mbs.Actuator("leg", slide, 50 * sp.sin(mbs.t)),
        mbs.ViscousFriction("bearing", pin, 0.1),
        mbs.Drag("drag", place, coefficient=0.2),
        mbs.PythonForce("python", a, function=lambda t, i: [(t, 0.0)], work="dissipated"),
        mbs.Event("over", model["body.x"], direction=1, action=mbs.Reset({"body.vx": 0.0})),
        mbs.Damper("law", a, b, law=mbs.rate**2),
        mbs.Sampled("controller", every=0.01, update={"u": -mbs.t}),
        mbs.Sampled("in python", 0.01, lambda t, read: {"u": -read("crank.angle")}),
        Wind("wind", a, gust=3),
        Rubber("rubber", a, b, stiffness=2.0),
    )
    return model.without("w").plus().with_parameters(r=0.2)


def space() -> mbs.SpatialModel:
    model = mbs.SpatialModel("space", gravity=(0, 0, -9.81))
    model.body("part").mesh("part.stl", at=(0, 0, 0.1), scale=0.001)
    a, b = model.body("a", rotation=mbs.rotations.about((0, 0, 1), 0.3)), model.body("b")
    model.add(
        mbs.Cylindrical("c", a, b),
        mbs.Universal("u", a, b),
        mbs.Universal("u2", a, b, at=(0, 0, 0), pins=((1, 0, 0), np.array([0, 1, 0]))),
        mbs.Spherical("s", a, b, at=np.zeros(3)),
        mbs.Planar("p", a, b),
        mbs.Screw("screw", a, b, pitch=0.01),
        mbs.ConstantVelocity("cv", a, b),
        mbs.PointOnLine("line", a, b),
        mbs.PointInPlane("plane", a, b),
        mbs.SphericalSpherical("rod", a, b, length=1),
        mbs.RevoluteSpherical("arm", a, b, 1.0),
        mbs.RollingDisk("disk", a, b, radius=0.3),
        mbs.KnifeEdge("skate", a, b),
    )
    for measure in (mbs.x(a), mbs.y(a), mbs.z(b.at(0, 0, 1)), mbs.wx(a), mbs.wy(a), mbs.wz(a)):
        unit: str = measure.unit
        assert unit in ("m", "rad")
    assert mbs.screws.unit_screw((0, 0, 1)) is not None and mbs.motions is not None
    names = [cls.__name__ for cls in (*mbs.registered_joints(), *mbs.registered_forces())]
    return model if names else mbs.SpatialModel()


def verbs(model: mbs.PlanarModel) -> float:
    found: mbs.Diagnosis = mbs.diagnose(model)
    state: mbs.State = mbs.assemble(model, fix={"a.angle": 0.6})
    moved: mbs.Result = mbs.kinematics(model, np.linspace(0, 1, 11), start=state)
    run = mbs.simulate(model, [0.0, 1.0], {"a.omega": 2.0}, method="DP8", stabilization=mbs.Projection(), rtol=1e-9)
    still: mbs.Rest = mbs.at_rest(model, {"a.omega": 2.0})
    carried: mbs.Simulation = mbs.start(model, still, method="GA").step(0.1).set({"a.omega": 1.0}).until(0.5)
    many: mbs.Simulations = mbs.start(model, still, count=2).step(0.1).set({"a.omega": np.ones(2)}).until(0.5)
    one: mbs.Simulation = many.reset(members=[0], t=0.0)[1]
    print(one.t, many["a.omega"].shape, many.t, len(many), many.state[0].t, many.result()[0].t, many.messages)
    mbs.environment(model, {"u": (-1, 1)}, ["a.angle"], reward=0.0, ends=lambda run: run["a.omega"] > 5.0).reset()
    print(carried.t, carried.message, carried["a.angle"], carried.state["a.omega"], carried.result().t, carried.reset())
    mbs.simulate(model, [0.0, 1.0], still)
    stiff = mbs.simulate(model, [0.0, 1.0], {"a.omega": 2.0}, method=mbs.GA(spectral_radius=0.5))
    needed = mbs.inverse_dynamics(model, moved.t)
    swept = mbs.sweep(model, "r", [0.1, 0.2])
    rest: mbs.Equilibrium = mbs.equilibrium(model, {"a.angle": 0.6})
    rests: mbs.Equilibria = mbs.equilibrium(model, all=True)
    rest = rests[0]
    law: mbs.LinearSystem = mbs.linearize(model, rest.state, inputs=["r"], outputs=["a.angle"])
    held: mbs.Holding = mbs.holding(model, rest, load="r")
    path: mbs.EquilibriumPath = mbs.equilibrium(model, over=("r", [0.1, 0.2]))
    lines: mbs.LinearPath = mbs.linearize(model, over=("r", [0.1, 0.2]))
    failed: type[mbs.MbsError] = mbs.EquilibriumError
    assert stiff.success and failed and path.values.size and lines.lines and rest.stable and rests[0].frequencies.size
    assert held.held and law.modes[0].shape and law.A.shape
    graph: mbs.Topology = mbs.topology(model, cut="pin")
    compared = mbs.compare_stabilization(
        model, [0, 1], stabilizations={"soft": mbs.Baumgarte(alpha=5.0), "none": mbs.Unstabilized()}
    )
    sets: mbs.CoordinateComparison = mbs.compare_coordinates(model, [0, 1])
    eq = mbs.equations(model)
    M, Q = eq.lambdify("M", "Q")(0.0, moved.q[0], moved.v[0], parameters={"r": 0.3})
    assert eq.compare(Q=eq.Q) and compared and sets.title and swept.success and len(graph.bodies)
    assert eq.to_code("C", "Phi") and eq.save("equations.tex", "M").exists()
    worked: mbs.WorkedSolution = mbs.worked_solution(model, 0.1, initial={"pin.angle": 0.3})
    assert worked.q.size and worked.save("solution.html").exists() and worked.text
    forward = mbs.forward_kinematics(model, {"pin.angle": 0.3})
    back = mbs.inverse_kinematics(model, {"a.head": (0.1, 0.0)})
    recursive = mbs.recursive_kinematics(model, {"pin.angle": 0.3})
    J = mbs.task_jacobian(state, "a.head").matrix @ np.ones(2)
    w: float = mbs.manipulability(model, model.bodies["a"], of="point").value
    R = mbs.velocity_transformation(model)
    assert forward and back and recursive and R and J.shape and M.shape == (len(Q), len(Q))
    figure = run.plot("a.angle")
    figure.savefig("run.png")
    needed.save("needed.npz")
    again: mbs.Result = mbs.load("needed.npz")
    mbs.warm()
    names: list[str] = [*again.all_names, *again.components("pin.force")]
    unique = bool(again.is_unique("pin.Fx").all()) or again.unit("pin.force") == names[0]
    assert unique and again.to_xarray("a.head.v") and again.to_dataframe("energy.total").size
    return w + float(again["a.angle"].max()) + found.degrees_of_freedom


def trouble(model: mbs.SpatialModel) -> str:
    try:
        rows: int = len(model.compile("joint", base="a", cut=["s", "u"]).rows)
        assert rows
    except (mbs.AssemblyError, mbs.RedundantConstraintError, mbs.SingularConfigurationError) as error:
        return str(error)
    except (mbs.ModelError, mbs.IntegrationError, mbs.MbsError) as error:
        return repr(error)
    return mbs.__version__


class Bowl(mbs.ContactElement):
    size = mbs.scalar("m", positive=True)

    @staticmethod
    def gap(i: Any, j: Any, size: Any) -> Any:
        return j.y - i.y - j.x**2 / (2 * size)


def contacts(model: mbs.PlanarModel, space: mbs.SpatialModel, body: mbs.Body, pin: mbs.Joint) -> None:
    floor, wall = mbs.Line(model.ground), mbs.Plane(space.ground)
    model.add(mbs.Contact("a", floor, mbs.Disk(body, 0.1), restitution=0.5, friction=0.3, static_friction=0.4))
    model.add(mbs.Contact("b", model.ground, body, gap=lambda i, j: j.y - i.y))
    model.add(mbs.CompliantContact("soft", floor, mbs.Disk(body, 0.1), stiffness=1e5, restitution=0.5, speed=1.0))
    for shape in (mbs.Point(body), mbs.Box(body, (1, 2)), mbs.Polygon(body, [(0, 0), (1, 0), (0, 1)])):
        model.add(mbs.Contact("c", floor, shape))
    rounded = mbs.Box(body, (1, 2), radius=0.1), mbs.Polygon(body, [(0, 0), (1, 0), (0, 1)], radius=0.1)
    model.add(mbs.Contact("l", *rounded))
    round_ones = mbs.Sphere(body, 0.1), mbs.Capsule(body, 1.0, 0.1), mbs.Profile(body, 1 + mbs.theta)
    space.add(*(mbs.Contact(f"d{k}", wall, shape) for k, shape in enumerate(round_ones)))
    model.add(mbs.Stop("e", mbs.angle(model.ground, body), lower=0.0, upper=1.0, restitution=0.2))
    model.add(mbs.Rope("f", model.ground, body, length=1.0), mbs.Strut("g", model.ground, body))
    model.add(mbs.CamContact("h", model.ground, body, profile=1 + mbs.theta), Bowl("i", model.ground, body, size=1.0))
    model.add(mbs.Friction("j", pin, mu=0.1, radius=0.01), mbs.DryFriction("k", mbs.x(body), force=2.0))
    print([cls.__name__ for cls in mbs.registered_contacts()])
    result = mbs.simulate(model, [0, 1])
    hit: mbs.Impact = result.impacts[0]
    change: mbs.Transition = result.transitions[0]
    print(change.t, change.contact + change.before + change.after, change.point)
    print(hit.t + hit.energy_lost, hit.contacts[0], hit.impulses["a"] + 1, hit.rests, result.modes["a"] == "slips")
    shares: mbs.Shares = result.shares("j")
    most: mbs.Share = shares.only("weight").largest(at={"body.x": 0.5})
    print(shares["weight of body"][0], shares.table(at=1) + most.name, most.fraction + most.size, shares.plot("Fx"))
    weights: mbs.Counterweights = mbs.balance(model, [0, 1], bodies=["body"], order=(1, 2))
    print(weights.mass("body", 0.1) + weights.left, weights.place("body", 0.1)[0], result.shaking((0, 1)).t)


def many(model: mbs.PlanarModel) -> float:
    law = mbs.Tolerance(0.1, plus_minus=1e-4, distribution="uniform", sigmas=3)
    drawn: mbs.Designs = mbs.samples({"r": law, "l": 0.3}, 1000, method="sobol", seed=1)
    study: mbs.Ensemble = mbs.ensemble(model, [0, 1], over=drawn, verb="kinematics", outputs=["a.angle"], workers=2)
    swept = mbs.ensemble(model, [0, 1], over={"r": law}, count=10, seed=3, verb=("simulate", lambda run: run.t[-1]))
    failed: tuple[mbs.Failure, ...] = study.failures
    one: mbs.Result = study.member(3)
    print(study.summary("a.angle"), one, failed[0].message, len(study), drawn.row(3)["r"] + drawn["l"].max())
    band = study.percentiles("a.angle", (5, 95))
    for figure in (
        study.plot_band("a.angle", (5, 50, 95), degrees=True, deviation=True),
        study.plot_histogram("a.angle", "range", degrees=True),
        swept.plot_map("value", reduce=lambda x: x.max(), label="end", unit="s"),
    ):
        figure.savefig("study.png")
    study.save("study.nc", "a.angle")
    assert study.to_xarray("a.angle") and study.to_dataframe(times=True).size and mbs.load_ensemble("folder").t.size
    return float(band[95].max()) + study.worst("a.angle", by="abs").value


def workspaces(model: mbs.PlanarModel) -> float:
    found: mbs.Workspace = mbs.workspace(model, {"crank.angle": (0.0, 1.0), "r": (0.1, 0.2)}, release="motor", t=0.5)
    curves: tuple[mbs.SingularCurve, ...] = (*found.parallel, *found.serial)
    found.map(11).plot("distance").savefig("map.png")
    found.plot().savefig("workspace.png")
    reached: mbs.ReachableWorkspace = mbs.reachable_workspace(model, "rod.P", limits={"A.angle": (None, 1.0)}, step=0.2)
    reached.plot().savefig("reached.png")
    return reached.area + sum(region.area for region in found.regions) + len(curves)


def curves(model: mbs.PlanarModel) -> float:
    proof: mbs.Certificate = mbs.certificate(mbs.assemble(model))
    tubes: mbs.MotionCertificate = mbs.kinematics(model, [0.0, 1.0], certify=True).certificate
    print(proof.radius + tubes.radii.min(), proof.differs(proof), [gap.why for gap in tubes.gaps])
    modes: mbs.AssemblyModes = mbs.assembly_modes(model, fix={"crank.angle": 0.6}, t=0.0, seed=2)
    print(len(modes), modes[0]["rod.x"], modes["rod.x"].shape, modes.complete, modes.circuits, modes.table("rod.x"))
    modes.plot(columns=2).savefig("modes.png")
    curve: mbs.Curve = mbs.follow(model, "crank.angle", both=False, step=0.02, poses=1000)
    turned: tuple[mbs.TurningPoint, ...] = curve.dead_points
    for met in curve.branch_points:
        other: mbs.BranchPoint = met
        mbs.follow(model, "crank.angle", start=other, branch=1).plot_path("rod.P", beside=curve).savefig("path.png")
    unknown: tuple[mbs.UndecidedPoint, ...] = curve.undecided
    states: tuple[mbs.State, ...] = curve.states_where("crank.angle", 0.3)
    assert not [one.why for one in unknown] and states
    low, high = curve.limits("crank.angle")
    curve.plot("rod.angle", over="crank.angle").savefig("curve.png")
    assert curve.closed or curve.ends[0], curve.joint_limits
    return low + high + curve.length + sum(one.value + one.s for one in turned) + float(curve.branches.max())


def best(model: mbs.PlanarModel) -> float:
    effort = mbs.quantity("motor.effort")
    work = mbs.integral(effort**2) + mbs.average("a.angle") + mbs.at_end("a.x") - mbs.at_start("a.x")
    squares = mbs.Objective(["a.x"], lambda x: x @ x, lambda x: [2 * x])
    slope: mbs.Gradient = mbs.gradient(squares, model, [0, 1], over=["r"], verb="kinematics")
    limits = [mbs.maximum(effort) <= 50, mbs.minimum("a.x") >= 0, mbs.Limit(lambda run: run["a.y"], upper=1.0)]
    found: mbs.Optimum = mbs.optimize(work, model, [0, 1], {"r": (0.1, 0.2)}, limits, starts=3, verb="kinematics")
    fitted: mbs.Fit = mbs.fit(model, {"t": [0, 1], "a.x": [0, 1]}, ["r"], noise=0.1, initial={"a.omega": 1.0})
    scatter: mbs.Bands = mbs.tolerance(model, [0, 1], {"r": 1e-4}, of=["a.x"], samples=100, seed=1)
    band: mbs.Band = scatter["a.x"]
    for figure in (found.plot(["a.x"]), fitted.plot(), scatter.plot("a.x")):
        figure.savefig("design.png")
    low, high = fitted.interval("r")
    print(found.active, found.starts[0].message, fitted.indistinct, fitted.noise["a.x"] + low + high, slope.by["r"])
    return found.sensitivity("r") + found.values["r"] + float(band.sigma.max() + band.share("r").min())


def linkages() -> float:
    points = mbs.chebyshev_points(1, 2, 5)
    function = mbs.synthesize_function(
        np.log10, (1, 2), (0.8, 1.8), (2.4, 3.9), points=points, free=("crank", "follower")
    )
    motion = mbs.synthesize_motion([(0, 0, 0), (1, 0.2, 0.3), (1.8, 0, 0.6)], fixed=[(0, -1), (1, -1)], ordered=False)
    path: mbs.Synthesis = mbs.synthesize_path([(0, 0), (1, 0.2), (2, 0)], order="free", kind="slider-crank", seed=1)
    one: mbs.Candidate = path.best
    within: mbs.Synthesis[mbs.Candidate] = mbs.synthesize_path(
        [(0, 0), (1, 0.2), (2, 0)], within=[(0, 0), (2, 2)], ratio=4
    )
    arm = mbs.PlanarModel("arm")
    bar = arm.link("bar", (0, 0), (1, 0), length=arm.parameter("l", 1.0))
    arm.add(mbs.Revolute("O", arm.ground, bar.tail), mbs.Driver("motor", mbs.angle(bar), mbs.t))
    places = [(1.2, 0), (0, 1.2), (-1.2, 0)]
    design: mbs.ModelCandidate = mbs.synthesize_path(places, kind=arm, point="bar.head", over={"l": (0.5, 2)}).best
    print(len(within), design.design["l"], design.defects, mbs.assemble(design.model(), start=design.start)["bar.x"])
    linkage: mbs.Linkage = one.linkage
    print(
        path,
        len(motion),
        [each.type for each in motion],
        linkage.kind,
        one.defects + ("none",),
        function[0].error.max(),
    )
    path.plot(count=3).savefig("found.png")
    one.plot().savefig("best.png")
    assert one.model(omega=2.0, density=1.2).bodies and function.curves is None
    return one.ratios["b"] + one.lengths["a"] + float(one.transmission.min() + one.angles[0] + one.pose(0.1).P.real)


def trade(result: mbs.Result) -> str:
    read: mbs.Units = mbs.units("deg", "mm", {"rod.angle": "rev"})
    result.plot("rod.angle", units=read).savefig("rod.png")
    result.plot("rod.angle", degrees=True)
    with read:
        return read.unit("m/s")
