/* Moving pages in frames: each tells its height, and is told whether the site is light or dark. */
"use strict";
{
  const LOWEST = 200, HIGHEST = 2000;
  const frames = () => [...document.querySelectorAll(".moving iframe")];
  const dark = matchMedia("(prefers-color-scheme: dark)");

  /* The reader's choice; without one, that of the system. */
  const theme = () => {
    const chosen = document.body.dataset.theme;
    return chosen === "light" || chosen === "dark" ? chosen : dark.matches ? "dark" : "light";
  };
  const tell = (frame) => frame.contentWindow?.postMessage({ mbs: "theme", value: theme() }, "*");
  const tellAll = () => frames().forEach(tell);

  addEventListener("message", ({ source, data }) => {
    if (data?.mbs !== "height" || !Number.isFinite(data.value)) return;
    const frame = frames().find((one) => one.contentWindow === source);
    if (frame) frame.style.height = `${Math.min(Math.max(data.value, LOWEST), HIGHEST)}px`;
  });

  addEventListener("DOMContentLoaded", () => {
    for (const frame of frames()) frame.addEventListener("load", () => tell(frame));
    tellAll(); /* those that were loaded before */
    new MutationObserver(tellAll).observe(document.body, { attributeFilter: ["data-theme"] });
    dark.addEventListener("change", tellAll);
  });
}
