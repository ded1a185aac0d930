/* Numbers of the page: unpacked, and as text. */

/** Reads base64 of LEB128: n + 1 for a number n, and 0 with a length for a run of zeros. */
export function unpackNumbers(text, count) {
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

/** A time to the minute, or as exact as intervals of so many milliseconds. */
export function timeText(millis, intervalMs) {
  const whole = intervalMs % 1000 === 0 ? 19 : 23;
  const length = intervalMs % 60000 === 0 ? 16 : whole;
  return new Date(millis).toISOString().slice(0, length).replace('T', ' ');
}

/** `a minute`, `5 minutes`, `0.5 seconds`. */
export function intervalText(millis) {
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
export function valueText(metric, value) {
  if (metric !== 'bytes') return numberText(value);
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
  let [size, unit] = [value, 0];
  while (size >= 1000 && unit < units.length - 1) {
    size /= 1024;
    unit++;
  }
  return `${size >= 10 || unit === 0 ? Math.round(size) : size.toFixed(1)} ${units[unit]}`;
}

/** `1,234 writes`, `1 write`, `1.2 MiB`. */
export function amountText(metric, value) {
  if (metric === 'bytes') return valueText(metric, value);
  return `${numberText(value)} ${Math.round(value) === 1 ? metric.slice(0, -1) : metric}`;
}

export function numberText(value) {
  return Math.round(value).toLocaleString('en');
}

/** `1 error`, `2 errors`. */
export function countText(count, noun) {
  return `${numberText(count)} ${noun}${count === 1 ? '' : 's'}`;
}
