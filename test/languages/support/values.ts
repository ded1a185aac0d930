/** Values of TypeScript in the tagged form of driver.py and of Python's answers, and the words of Python. */
import { toHex } from '../../../src/base/index.js';
import { sorted } from './language.js';

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

/** What decides on the form of a column's values. */
interface TaggedColumn {
  readonly kind: string;
  readonly codec: { readonly kind: string; encode(value: never): Uint8Array };
  readonly message?: { readonly name: string } | undefined;
  readonly qualifiers?: { readonly type: { readonly kind: string } };
}

/** The value of a column: versions, entries of a map, a message as its bytes, or a scalar. */
export function taggedColumn(value: unknown, column: TaggedColumn): unknown {
  const { kind, qualifiers } = column;
  if (kind === 'versions' && Array.isArray(value))
    return (value as { at: unknown; value: unknown }[]).map((each) => ({
      $version: [tagged(each.at, 'timestamp'), taggedCell(each.value, column)],
    }));
  if (kind === 'columnMap' && value instanceof Map) {
    const entries = [...(value as Map<unknown, unknown>)];
    const keyKind = qualifiers!.type.kind;
    return {
      $map: entries.map(([key, each]) => [tagged(key, keyKind), taggedCell(each, column)]),
    };
  }
  return taggedCell(value, column);
}

function taggedCell(value: unknown, { codec, message }: TaggedColumn): unknown {
  if (codec.kind === 'json') return { $json: value };
  if (message !== undefined && typeof value === 'object' && value !== null)
    return { $message: [message.name, toHex(codec.encode(value as never))] };
  return tagged(value, codec.kind);
}

/**
 * A row in the form of the driver's answers, which show JSON and messages otherwise. An empty map or
 * list is left out if `expected` does not name it.
 */
export function answeredRow(
  row: Readonly<Record<string, unknown>>,
  expected: object = row,
): Record<string, unknown> {
  const isEmpty = (value: unknown): boolean =>
    value === null || ['[]', '{"$map":[]}'].includes(JSON.stringify(value));
  const given = Object.entries(row).filter(([name, value]) => name in expected || !isEmpty(value));
  const wanted = expected as Readonly<Record<string, unknown>>;
  return Object.fromEntries(given.map(([name, value]) => [name, answered(value, wanted[name])]));
}

function answered(value: unknown, expected: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (typeof expected === 'object' && expected !== null && '$json' in expected)
    return sortedMaps('$json' in value ? answeredJson(value.$json) : value);
  const wanted = (expected ?? {}) as Readonly<Record<string, unknown>>;
  if (Array.isArray(value)) return value.map((each, i) => answered(each, wanted[i]));
  if ('$message' in value && Array.isArray(value.$message))
    return { $message: value.$message.at(-1) as unknown };
  return Object.fromEntries(
    Object.entries(value).map(([tag, each]) => [tag, answered(each, wanted[tag])]),
  );
}

function answeredJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(answeredJson);
  if (typeof value !== 'object' || value === null) return tagged(value, 'json');
  return { $map: Object.entries(value).map(([name, each]) => [name, answeredJson(each)]) };
}

/** JSON has no order of members. */
function sortedMaps(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedMaps);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([tag, each]) => [tag, sortedMaps(each)] as const);
  return Object.fromEntries(
    entries.map(([tag, each]) => [tag, tag === '$map' ? sorted(each as unknown[]) : each]),
  );
}

/** The words of Python for what TypeScript says. */
export function inPython(text: string): string {
  return text
    .replace(/\b(the|a) Date\b/g, 'a datetime')
    .replace(/is null\b/, 'is None')
    .replace(/\ba bigint, such as 42n/, 'an int, such as 42')
    .replace(/\ba bigint\b/g, 'an int')
    .replace('a Uint8Array or a Buffer', 'bytes')
    .replace('a Uint8Array', 'bytes')
    .replace(/\bthe bigint (-?\d+)n\b/, 'the number $1')
    .replace(/(T[\d:]+)\.000Z/, '$1+00:00')
    .replace(
      /^the value is not (a version with a valid )Date( since 1970 as `at`)$/,
      'expected $1time$2, got a Version',
    )
    .replace('true or false', 'True or False')
    .replace('4,096 bytes', '4096 bytes')
    .replace('4096 bytes of', '4,096 bytes of')
    .replace('a datetime cannot represent', 'a datetime of Rowsmith does not represent')
    .replace(/(does not contain JSON): .*/, '$1')
    .replace(/not decimal text/, 'not a Decimal')
    .replace(/^pass text such as '([\d.]+)'$/, 'pass one such as Decimal("$1")')
    .replace(', see String.prototype.isWellFormed', '');
}
