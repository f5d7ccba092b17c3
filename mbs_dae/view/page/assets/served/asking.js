// Questions to the core, one at a time. What is asked meanwhile waits, and of several questions the last one; one that is
// not answered soon is overtaken: its connection is closed, and the core drops it.

import { unpacked, unpackMeshes } from "../numbers.js";

const LATE = 300; // milliseconds after which a newer question overtakes
const LONG = 150; // milliseconds after which it is said that the core computes

export async function posted(what, question, signal) {
  const headers = { "Content-Type": "application/json" };
  const response = await fetch(what, { method: "POST", headers, body: JSON.stringify(question), signal });
  return response.json();
}

// `answered` gets an answer and its arrays, `failed` is told where none comes, `busy` whether one waits for long.
export function asker({ answered, failed, busy }) {
  const own = { flight: null, waiting: null, overtaking: 0, said: 0 };

  function ask(question) {
    own.waiting = question;
    if (!own.flight) send();
    else own.overtaking ||= setTimeout(overtake, Math.max(0, own.flight.begun + LATE - performance.now()));
  }

  function overtake() {
    own.overtaking = 0;
    if (own.waiting && own.flight) send();
  }

  async function send() {
    own.flight?.stop.abort();
    const flight = { begun: performance.now(), stop: new AbortController() };
    const question = own.waiting;
    Object.assign(own, { flight, waiting: null });
    own.said ||= setTimeout(() => busy(true), LONG);
    const answer = await posted("run", question, flight.stop.signal).catch(() => null);
    const arrays = answer?.page && (await unpacked(answer.page.arrays));
    if (own.flight !== flight) return;
    if (arrays) unpackMeshes(answer.page, arrays);
    own.flight = null;
    if (own.waiting) send();
    else rest();
    if (answer) answered(answer, arrays);
    else failed();
  }

  function rest() {
    clearTimeout(own.said);
    own.said = 0;
    busy(false);
  }

  // Nobody wants to know any more.
  function drop() {
    own.flight?.stop.abort();
    Object.assign(own, { flight: null, waiting: null });
    rest();
  }

  return { ask, drop, get idle() { return !own.flight; } };
}
