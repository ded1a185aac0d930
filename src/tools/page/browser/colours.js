/* Colours of values. Their luminance is monotone, so that they are readable without colour. */

const scales = {
  /* From light to dark, on white. */
  light: [
    '#fdebc8',
    '#fecf92',
    '#fda36c',
    '#f4705c',
    '#d8456c',
    '#ab337c',
    '#7d2482',
    '#511277',
    '#241252',
    '#08051d',
  ],
  /* From dark to light, on black. */
  dark: [
    '#251255',
    '#4a1079',
    '#721f81',
    '#9a2d80',
    '#c43c75',
    '#e75263',
    '#f8765c',
    '#fea772',
    '#fed799',
    '#fcfdbf',
  ],
};

function rgbOf(hex) {
  return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
}

/** 256 colours as bytes: red, green, blue of each. */
export function colourTable(theme) {
  const stops = scales[theme].map(rgbOf);
  const table = new Uint8Array(256 * 3);
  for (let level = 0; level < 256; level++) {
    const position = (level / 255) * (stops.length - 1);
    const stop = Math.min(stops.length - 2, Math.floor(position));
    for (let channel = 0; channel < 3; channel++) {
      const [from, to] = [stops[stop][channel], stops[stop + 1][channel]];
      table[level * 3 + channel] = Math.round(from + (to - from) * (position - stop));
    }
  }
  return table;
}

/**
 * The value that has the last colour, as all above it: a twentieth of the load of the busiest
 * interval. It depends on the load alone, so that even load looks even, and maps can be compared. Each step of brightness halves it.
 */
export function fullValue(map, metric, brightness) {
  const values = map.values[metric];
  const count = map.buckets.length;
  let greatest = 1;
  for (let column = 0; column < map.columns; column++) {
    let sum = 0;
    for (let bucket = 0; bucket < count; bucket++) sum += values[column * count + bucket];
    greatest = Math.max(greatest, sum);
  }
  // With few ranges each has a large share of an even load.
  const full = greatest * Math.min(1, Math.max(0.05, 3 / count));
  return Math.max(2, full / 2 ** brightness);
}

/** The level of a value above 0, on a logarithmic scale. */
export function levelOf(value, full) {
  return Math.min(255, Math.floor((255 * Math.log1p(value)) / Math.log1p(full)));
}
