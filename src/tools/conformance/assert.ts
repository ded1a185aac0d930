/** Assertions of conformance cases: a failed one tells what was expected and what was found. */
import { type ErrorCode, latin1Text, RowsmithError } from '../../base/index.js';

/** A guarantee that does not hold. Both values are texts, which a report can show. */
export class Difference extends Error {
  constructor(
    readonly expected: string,
    readonly found: string,
    /** The step of the case, if it has many. */
    readonly step?: string,
  ) {
    const where = step === undefined ? '' : `${step}\n`;
    super(`${where}expected: ${expected}\nfound:    ${found}`);
  }
}

/** Throws Difference unless both values have the same text. */
export function equal(found: unknown, expected: unknown, step?: string): void {
  const texts = [shownValue(expected), shownValue(found)] as const;
  if (texts[0] !== texts[1]) throw new Difference(...texts, step);
}

/** Codes of errors that say nothing about the guarantees of an engine. */
const outages: readonly ErrorCode[] = ['UNAVAILABLE', 'QUOTA_EXCEEDED', 'PERMISSION_DENIED'];

/** Whether an error prevents a case from being judged. */
export function isOutage(error: unknown): boolean {
  return error instanceof RowsmithError && outages.includes(error.code);
}

/** Throws Difference unless the promise rejects with an error of this code. */
export async function rejects(promise: Promise<unknown>, code: ErrorCode): Promise<void> {
  const expected = `an error with the code ${code}`;
  let value: unknown;
  try {
    value = await promise;
  } catch (error) {
    if (error instanceof RowsmithError && error.code === code) return;
    if (isOutage(error)) throw error;
    throw new Difference(expected, errorLine(error));
  }
  const result = value === undefined ? '' : `, with ${shownValue(value)}`;
  throw new Difference(expected, `success${result}`);
}

/** An error in one line: its code, and what it says of this case. */
export function errorLine(error: unknown): string {
  if (!(error instanceof RowsmithError)) return String(error);
  const { problem } = error.details;
  return problem === undefined ? error.code : `${error.code}: ${problem}`;
}

/** A value as text. Equal values have equal texts; properties that are undefined are left out. */
export function shownValue(value: unknown): string {
  const text = JSON.stringify(value, replacer) ?? 'undefined';
  // JSON escapes only the control characters below the space.
  return text.replaceAll(/[\x7f-\x9f]/g, (char) => `\\x${char.charCodeAt(0).toString(16)}`);
}

function replacer(this: unknown, key: string, value: unknown): unknown {
  if (value === undefined && Array.isArray(this)) return 'undefined';
  if (typeof value === 'bigint') return `${value}n`;
  if (value instanceof Map) return [...(value as ReadonlyMap<unknown, unknown>)];
  // Not the value, which is another object for a Buffer.
  const bytes = (this as Readonly<Record<string, unknown>>)[key];
  return bytes instanceof Uint8Array ? latin1Text(bytes) : value;
}
