// A page that plays what was computed.

import { begin } from "./page.js";
import { posesOf } from "./poses.js";

begin(posesOf);
