// Arrays as they were packed in Python: bytes of equal weight stand together, after differences between rows.

export async function unpacked(packed) {
  const bytes = await inflated(Uint8Array.from(atob(packed.data), (letter) => letter.charCodeAt(0)));
  const words = new Uint32Array(packed.count);
  for (let k = 0; k < words.length; k++) {
    for (let b = 0; b < 4; b++) words[k] |= bytes[b * words.length + k] << (8 * b);
  }
  const arrays = Object.fromEntries(Object.entries(packed.table).map(([name, where]) => [name, array(words, where)]));
  for (const [name, own] of Object.entries(arrays)) {
    const rest = arrays[`${name}, rest`];
    if (rest) own.data = Float64Array.from(own.data, (x, k) => x + rest.data[k]);
  }
  return arrays;
}

async function inflated(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function array(words, { at, shape }) {
  const rows = shape[0];
  const columns = shape.slice(1).reduce((product, n) => product * n, 1);
  const bits = new Uint32Array(rows * columns);
  for (let c = 0; c < columns; c++) {
    for (let r = 0, sum = 0; r < rows; r++) {
      sum = (sum + words[at + c * rows + r]) >>> 0;
      bits[r * columns + c] = sum;
    }
  }
  return { rows, columns, data: new Float32Array(bits.buffer) };
}

// Meshes stand among the arrays: their corners as whole numbers in a box.
export function unpackMeshes(page, arrays) {
  for (const piece of page.pieces) {
    if (!piece.track.mesh) continue;
    const { name, low, step } = piece.track.mesh;
    const faces = arrays[piece.faces];
    piece.track.points = Float64Array.from(arrays[name].data, (n, k) => low[k % 3] + step * n);
    piece.faces = Array.from({ length: faces.rows }, (_, k) => [...faces.data.subarray(3 * k, 3 * k + 3)]);
  }
}

// A number in SI in the unit in which it is read: `read` has this unit's word and its size in SI, if it is none of SI.
export const inUnit = (number, read) => number / (read?.size ?? 1);
export const wordOf = (read, unit) => read?.word ?? unit;

// How far x is between the rows of a rising column: a row, and the part of the way to the next one.
export function between(times, x) {
  let low = 0;
  let high = times.length - 1;
  if (high < 1 || !(x > times[0])) return [0, 0];
  if (x >= times[high]) return [high - 1, 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= x) low = middle;
    else high = middle;
  }
  const way = times[high] - times[low];
  return [low, way > 0 ? (x - times[low]) / way : 0];
}
