"""A slider of a served page moves: how long until the motion that the core computes anew is drawn. Takes Chromium.

The least of many, in milliseconds: what the run itself takes, its run with the data of the page, and all of it.
"""

import sys
from pathlib import Path
from time import perf_counter

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "tests" / "support"))

from browser import Opened, browser  # noqa: E402
from serving import served  # noqa: E402

from mbs_dae.view.served.answers import answer  # noqa: E402
from mbs_dae.view.served.runs import DRIVEN, MotionRequest, run  # noqa: E402

NAMES = ("four_bar", "slider_crank", "double_pendulum", "stewart_platform")
ROUNDS = 40
MOVED = """async ([mode, rounds]) => {
  const drawn = (before) => new Promise((done) => {
    const look = () => (mbs.arrays !== before ? done() : setTimeout(look, 0));
    look();
  });
  const select = document.getElementById("mode");
  const before = mbs.arrays;
  if (select.value !== mode) {
    select.value = mode;
    select.dispatchEvent(new Event("change"));
    await drawn(before);
  }
  const slider = document.querySelector(".dials input[type=range]");
  const times = [];
  for (let k = 0; k < rounds; k++) {
    const [begun, before] = [performance.now(), mbs.arrays];
    slider.value = Number(slider.value) * 1.001;
    slider.dispatchEvent(new Event("input"));
    if (mode !== "live") await drawn(before);
    times.push(performance.now() - begun);
    await new Promise((done) => setTimeout(done, 20));
  }
  return Math.min(...times);
}"""


def main() -> None:
    print(f"{'model':18}{'motion':10}{'poses':>6}{'run':>8}{'answer':>8}{'drawn':>8}  [ms]")
    with browser() as chromium:
        for name in NAMES:
            with served(ROOT / "models" / f"{name}.py") as server, Opened(chromium, server.address) as page:
                for mode in page.run("mbs.page.served.modes"):
                    drawn = page.run(MOVED, [mode, ROUNDS])
                    own = in_python(server.session.current, DRIVEN if mode == "live" else mode)
                    print(f"{name:18}{mode:10}" + "{:6}{:8.1f}{:8.1f}".format(*own) + f"{drawn:8.1f}")


def in_python(page, mode: str) -> tuple[int, float, float]:
    """The poses, the time of a run with other values, and of all that is sent."""
    name, parameter = next(iter(page.content.model.parameters.items()))
    runs, answers = [], []
    for k in range(ROUNDS):
        begun = perf_counter()
        request = MotionRequest(mode, page.content.times, {name: parameter.value * (1 + 1e-4 * k)})
        result, initial = run(page.content, request)
        runs.append(perf_counter() - begun)
        answer(page.content, result, initial, page.choices)
        answers.append(perf_counter() - begun)
    return len(result), 1e3 * min(runs), 1e3 * min(answers)


if __name__ == "__main__":
    main()
