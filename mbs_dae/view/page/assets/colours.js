// Colours of the paper: those of the drawing on white, and lighter ones on dark.

const PAPER = { light: "#ffffff", dark: "#15191d" };
const SWAPPED = {
  "#333333": "#dfe3e6", "#7A7A7A": "#98a2aa", "#5F6B73": "#a9b6be", "#C4C4C4": "#59646d", white: "#15191d",
  "#A23B4A": "#ec8694", "#6A4C93": "#b79be0", "#0072B2": "#4aa8e0", "#D55E00": "#f0813a", "#009E73": "#2fc79d",
};

export function paletteOf(theme) {
  const known = new Map();
  const shown = (colour) => (theme === "dark" ? SWAPPED[colour] ?? colour : colour);
  return {
    theme,
    paper: PAPER[theme],
    grid: theme === "dark" ? "#2b3238" : "#e6e9eb",
    ink: theme === "dark" ? "#dfe3e6" : "#333333",
    shadow: theme === "dark" ? "rgba(0,0,0,0.45)" : "rgba(20,30,40,0.13)",
    shown,
    rgb(colour) {
      if (!known.has(colour)) known.set(colour, parts(shown(colour)));
      return known.get(colour);
    },
    lit(colour, bright, alpha) {
      const [red, green, blue] = this.rgb(colour).map((part) => Math.round(part * bright));
      return `rgba(${red},${green},${blue},${alpha})`;
    },
    faded(colour, alpha) {
      return this.lit(colour, 1, alpha);
    },
  };
}

function parts(colour) {
  const hex = colour === "white" ? "#ffffff" : colour;
  return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
}
