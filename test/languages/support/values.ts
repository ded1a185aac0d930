/** Values of TypeScript in the tagged form of driver.py, and errors in words of Python. */
import { isRowsmithError, toHex } from '../../../src/base/index.js';

/** A value; `kind` is the kind of its segment or column, which decides on numbers and text. */
export function tagged(value: unknown, kind: string): unknown {
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'bigint') return { $int: String(value) };
  if (typeof value === 'number') return taggedNumber(value, kind);
  if (typeof value === 'string') return taggedText(value, kind);
  if (value instanceof Date) return { $time: value.getTime() };
  if (value instanceof Uint8Array) return { $bytes: toHex(value) };
  throw new TypeError(`no tagged form of ${String(value)}`);
}

function taggedNumber(value: number, kind: string): unknown {
  const isFraction = ['float', 'double'].includes(kind) || !Number.isInteger(value);
  if (!isFraction) return { $int: String(value + 0) };
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  return { $float: toHex(new Uint8Array(view.buffer)) };
}

function taggedText(value: string, kind: string): unknown {
  if (kind === 'decimal' && /^-?\d+(\.\d+)?$/.test(value)) return { $decimal: value };
  if (kind === 'date' && /^\d{4}-\d\d-\d\d$/.test(value)) return { $date: value };
  return value;
}

/** The words of Python for what TypeScript says. */
function inPython(text: string): string {
  return text
    .replace(/\b(the|a) Date\b/g, 'a datetime')
    .replace(/is null\b/, 'is None')
    .replace(/\ba bigint, such as 42n/, 'an int, such as 42')
    .replace(/\ba bigint\b/g, 'an int')
    .replace('a Uint8Array or a Buffer', 'bytes')
    .replace('true or false', 'True or False')
    .replace('4,096 bytes', '4096 bytes')
    .replace(/not decimal text/, 'not a Decimal')
    .replace(/^pass text such as '([\d.]+)'$/, 'pass one such as Decimal("$1")')
    .replace(', see String.prototype.isWellFormed', '');
}

/** A refusal of TypeScript as Python gives it. */
export function refusalOf(call: () => unknown): Record<string, unknown> {
  try {
    call();
  } catch (error) {
    if (!isRowsmithError(error)) throw error;
    const { property = null, problem = '', fix = '' } = error.details;
    return {
      code: error.code,
      property,
      problem: inPython(problem).replace('4096 bytes of', '4,096 bytes of'),
      fix: inPython(fix),
    };
  }
  throw new Error('TypeScript does not refuse it');
}
