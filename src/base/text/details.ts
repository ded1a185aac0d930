/** Details of errors as text and as JSON. */

/** Longer details are truncated in `explain()`, in UTF-16 units; `details` keeps them whole. */
const maxDetailChars = 500;

/** A detail as text of limited length. */
export function detailText(value: unknown): string {
  const json = jsonDetail(value);
  const text = typeof json === 'string' ? json : JSON.stringify(json);
  if (text.length <= maxDetailChars) return text;
  return `${text.slice(0, maxDetailChars)}... (${text.length} characters)`;
}

/**
 * The value in a form that JSON can represent. Details can hold anything a caller passed in, so
 * this never throws: an error while formatting must not hide the original one.
 */
export function jsonDetail(value: unknown): unknown {
  try {
    const text = JSON.stringify(value, bigintToText);
    if (text === undefined) return String(value);
    return JSON.parse(text);
  } catch {
    return Object.prototype.toString.call(value);
  }
}

function bigintToText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}n` : value;
}
