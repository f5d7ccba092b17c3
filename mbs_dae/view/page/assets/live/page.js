// A page that solves: it is dragged by its bodies, and parameters change while it moves.

import { dials } from "./dials.js";
import { taken } from "./hand.js";
import { begin } from "../page.js";
import { solvedPoses } from "./solved.js";

begin((page, arrays) => solvedPoses(page, arrays, kinematics), (view) => {
  const { live } = view.page;
  const show = dials(view, kinematics.names.parameters.filter(({ said, moves }) => moves || live.shapes.includes(said)));
  view.taken = (x, y) => taken(view, x, y);
  document.getElementById("keys").prepend("Drag a body, and time follows. ");
  window.mbs.kinematics = kinematics;
  work(view, show);
});

// The table is made between frames.
function work(view, show) {
  if (view.poses.work()) {
    view.remade();
    show();
  }
  requestAnimationFrame(() => work(view, show));
}
