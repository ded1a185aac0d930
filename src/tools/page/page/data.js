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

/** A time to the minute, or as exact as intervals of so many milliseconds. */
function timeText(millis, intervalMs) {
  const whole = intervalMs % 1000 === 0 ? 19 : 23;
  const length = intervalMs % 60000 === 0 ? 16 : whole;
  return new Date(millis).toISOString().slice(0, length).replace('T', ' ');
}

/** `a minute`, `5 minutes`, `0.5 seconds`. */
function intervalText(millis) {
  const units = [
    [86400000, 'day'],
    [3600000, 'hour'],
    [60000, 'minute'],
    [1000, 'second'],
  ];
  const [size, unit] = units.find(([each]) => millis % each === 0) ?? units[3];
  const count = millis / size;
  if (count === 1) return unit === 'hour' ? 'an hour' : `a ${unit}`;
  return `${count.toLocaleString('en')} ${unit}s`;
}

/** A value of a metric: `1,234`, or `1.2 MiB` of bytes. */
function valueText(metric, value) {
  if (metric !== 'bytes') return numberText(value);
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
  let [size, unit] = [value, 0];
  while (size >= 1000 && unit < units.length - 1) {
    size /= 1024;
    unit++;
  }
  return `${size >= 10 || unit === 0 ? Math.round(size) : size.toFixed(1)} ${units[unit]}`;
}

function numberText(value) {
  return Math.round(value).toLocaleString('en');
}

/** `device=a, at=...`, or the bytes of the key. */
function keyText(bucket) {
  if (bucket.segments.length === 0) return bucket.key;
  return bucket.segments.map(([name, value]) => `${name}=${value}`).join(', ');
}
