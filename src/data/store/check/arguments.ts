/**
 * Checks of arguments of engine calls, shared by the engines and the protocol. They throw
 * INVALID_ARGUMENT or LIMIT_EXCEEDED, with the name of the argument in `details.property`.
 */
import {
  invalidArgument,
  maxCellBytes,
  maxInt64,
  maxMutations,
  maxQualifierBytes,
  maxRowKeyBytes,
  minInt64,
  RowsmithError,
  valueText,
} from '../../../base/index.js';
import type { Micros } from '../row.js';

/** Checks a row key: 1 to 4,096 bytes. */
export function checkRowKey(key: Uint8Array): void {
  checkBytes(key, 'key', maxRowKeyBytes);
  if (key.length === 0)
    throw invalidArgument('key', 'row keys must be non-empty', 'give a key of 1 to 4,096 bytes');
}

/** Checks a column qualifier: up to 16 KiB. */
export function checkQualifier(qualifier: Uint8Array): void {
  checkBytes(qualifier, 'qualifier', maxQualifierBytes);
}

/** Checks the value of a cell: up to 100 MiB. */
export function checkValue(value: Uint8Array, property = 'value'): void {
  checkBytes(value, property, maxCellBytes);
}

function checkBytes(bytes: Uint8Array, property: string, max: number): void {
  if (!(bytes instanceof Uint8Array))
    throw invalidArgument(
      property,
      'must be a Uint8Array',
      'encode text with new TextEncoder().encode(text)',
    );
  if (bytes.length <= max) return;
  throw new RowsmithError('LIMIT_EXCEEDED', {
    property,
    problem: `${bytes.length} bytes, the limit is ${max}`,
    fix: 'shorten it, or spread it over several rows',
  });
}

/** Checks the mutations of one row: at least one, and not more than a request may contain. */
export function checkMutations(mutations: readonly unknown[]): void {
  if (mutations.length === 0)
    throw invalidArgument(
      'mutations',
      'a row mutation needs at least one mutation',
      'omit the row, or pass its mutations',
    );
  checkMutationCount(mutations.length);
}

/** Checks the number of mutations of one request. */
export function checkMutationCount(count: number): void {
  if (count <= maxMutations) return;
  throw new RowsmithError('LIMIT_EXCEEDED', {
    property: 'mutations',
    problem: `${count} mutations, the limit is ${maxMutations}`,
    fix: 'split the request',
  });
}

/** Checks a bigint in the range of an int64. */
export function checkInt64(value: bigint, property: string): void {
  if (typeof value === 'bigint' && value >= minInt64 && value <= maxInt64) return;
  throw invalidArgument(
    property,
    'must be a bigint in the range of an int64',
    'give a bigint from -(2n ** 63n) to 2n ** 63n - 1n',
    { value },
  );
}

/** Checks a timestamp: a safe integer, or a bigint in the range of an int64. */
export function checkMicros(value: Micros, property = 'timestamp'): void {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return;
  if (typeof value === 'bigint' && value >= minInt64 && value <= maxInt64) return;
  throw invalidArgument(
    property,
    'must be a safe integer, or a bigint in the range of an int64',
    'give microseconds as a bigint',
    { value },
  );
}

/** Checks an integer of at least `min`. */
export function checkCount(count: number, property: string, min = 1): void {
  if (Number.isSafeInteger(count) && count >= min) return;
  throw invalidArgument(
    property,
    `must be a whole number of at least ${min}`,
    `give ${min} or more`,
    { value: count },
  );
}

/** A mutation, rule, filter or change with an unknown `kind`. */
export function unknownKindError(property: string, value: never): RowsmithError {
  const { kind } = value as { readonly kind?: unknown };
  return invalidArgument(
    property,
    `unknown kind ${typeof kind === 'string' ? `'${kind}'` : valueText(kind)}`,
    'use one of the kinds of its type',
  );
}
