"""A model whose names would do harm where they were not set as they are."""

import mbs_dae as mbs

NASTY = (
    "*/ int main(void) { */", "</script><script>alert(1)</script>", "a\nb\r\u2028c", "\\", "??/", '"""\'\'\'',
    "\u202egnp exe\u202c", "# -*- coding: utf-7 -*-", "%n$x_{1}&~^", "/* //", "${x}`", "$$\\input{/etc/passwd}$$",
)  # fmt: skip


def nasty():
    model = mbs.PlanarModel("".join(NASTY))
    for k, name in enumerate(NASTY):
        body = model.body(name, mass=1.0)
        model.add(mbs.Distance(f"{name}{k}", model.ground, body.at(0.1, 0.2), length=0.3 + k))
    for name in ("__proto__", "constructor", "NAN", "ω", "int", "let", "M_PI", "ﬁ", "given", "e", "pi"):
        model.parameter(name, 0.5, unit="*/\n</script>")
    model.add(mbs.Torque("use", body, sum(p.symbol for p in model.parameters.values())))
    return model
