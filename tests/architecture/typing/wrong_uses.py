"""Wrong uses of the public names: a type checker must find every line that is marked. Checked, never run."""

# ruff: noqa: B018

import mbs_dae as mbs

model = mbs.PlanarModel("wrong", gravity=3)  # error
a, b = model.body("a"), model.body("b")
pin = model.add(mbs.Revolute("pin", a, b))
model.body("c", mass="1")  # error
model.body("c", position=3)  # error
model.link("l", (0, 0))  # error
model.link("l", (0, 0), (1, 0), length="1")  # error
a.at("0", 1)  # error
a.at(0, 1).nonsense  # error
model.parameter("r", "0.1")  # error
model.add("pin")  # error
model.with_parameters(r="0.2")  # error
model.compile().nonsense  # error
pin.nonsense  # error
mbs.Revolut("A", a, b)  # error
mbs.Revolute("A", a)  # error
mbs.Revolute("A", "a", "b")  # error
mbs.Revolute("A", a, b, length=2)  # error
mbs.Distance("d", a, b, lenght=2)  # error
mbs.Distance("d", a, b, "2")  # error
mbs.Gear("g", a, b, ratio=2, mesh="inner")  # error
mbs.Screw("s", a, b)  # error
mbs.CamFollower("c", a, b)  # error
mbs.CoordinateFix("f", a, "w")  # error
mbs.Spring("s", a, stiffness=3.0)  # error
mbs.Spring("s", a, b, stifness=3.0)  # error
mbs.Spring("s", a, b, stiffness="soft")  # error
mbs.Torque("t", a)  # error
mbs.Torque("t", a, "sin(t)")  # error
mbs.Force("f", 3, (1, 2))  # error
mbs.Force("f", a, (1, 2), axes="wrold")  # error
mbs.Drag("d", a)  # error
mbs.PythonForce("p", a)  # error
mbs.Driver("d", pin, 3.0)  # error
mbs.angle(3)  # error
mbs.distance(a)  # error
mbs.displacement(a)  # error
mbs.Table([0, 1])  # error
mbs.kinematics(model, times=3.0)  # error
mbs.simulate(model, [0, 1], rtol="1e-8")  # error
mbs.simulate(model, [0, 1], stabilisation=mbs.Projection())  # error
mbs.assemble(model, fix=["a.angle"])  # error
mbs.diagnose("model")  # error
mbs.sweep(model, "r", 3.0)  # error
mbs.equations(model).lambdify(3)  # error
mbs.equations(model).K  # error
mbs.simulate(model, [0, 1]).nothing  # error
mbs.simulate(model, [0, 1])[3]  # error
text: str = mbs.simulate(model, [0, 1]).t  # error
