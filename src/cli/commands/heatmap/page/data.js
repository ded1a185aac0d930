'use strict';

/* The data that rowsmith heatmap has embedded; heat-page.ts packs them. */

/** Reads base64 of LEB128: n + 1 for a number n, and 0 with a length for a run of zeros. */
function unpackNumbers(text, count) {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const numbers = new Float64Array(count);
  let at = 0;
  const next = () => {
    let value = 0;
    for (let factor = 1; ; factor *= 0x80) {
      const byte = bytes[at++];
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
  };
  for (let index = 0; at < bytes.length;) {
    const value = next();
    if (value === 0) index += next();
    else numbers[index++] = value - 1;
  }
  return numbers;
}

/** The page's data, with numbers as arrays: value of a bucket at column * buckets + bucket. */
function readData(json) {
  const data = JSON.parse(json);
  for (const table of data.tables) {
    const count = table.columns * table.buckets.length;
    const unpack = (metric) => unpackNumbers(table.values[metric], count);
    const values = { reads: unpack('reads'), writes: unpack('writes'), bytes: unpack('bytes') };
    values.operations = values.reads.map((reads, index) => reads + values.writes[index]);
    table.values = values;
  }
  return data;
}

function timeText(millis) {
  return new Date(millis).toISOString().slice(0, 16).replace('T', ' ');
}

function numberText(value) {
  return Math.round(value).toLocaleString('en');
}

/** `device=a, at=...`, or the bytes of the key. */
function keyText(bucket) {
  if (bucket.segments.length === 0) return bucket.key;
  return bucket.segments.map(([name, value]) => `${name}=${value}`).join(', ');
}
