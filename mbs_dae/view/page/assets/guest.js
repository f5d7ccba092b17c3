// A page in a frame of another one: it tells how high it is, as a number, and takes light or dark from there.

const LEAST = 400; // pixels

export function hosted(theme) {
  if (window.parent === window) return;
  // The drawing keeps to the height that the frame has at first: it must not grow with a frame that grows with it.
  document.documentElement.dataset.framed = "";
  document.documentElement.style.setProperty("--tall", `${Math.max(LEAST, window.innerHeight)}px`);
  let before = 0;
  new ResizeObserver(() => {
    const value = Math.ceil(document.body.getBoundingClientRect().height);
    if (value !== before) window.parent.postMessage({ mbs: "height", value }, "*");
    before = value;
  }).observe(document.body);
  window.addEventListener("message", ({ source, data }) => {
    if (source !== window.parent || data?.mbs !== "theme") return;
    if (data.value === "light" || data.value === "dark") theme(data.value);
  });
}
