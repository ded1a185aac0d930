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
  type FaultTexts,
} from '../../../base/index.js';
import type { Micros } from '../row.js';

/** Checks a row key: 1 to 4,096 bytes. */
export function checkRowKey(key: Uint8Array): void {
  checkBytes(key, 'key', maxRowKeyBytes);
  if (key.length === 0) throw invalidArgument('key', faults.emptyRowKey);
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
  if (!(bytes instanceof Uint8Array)) throw invalidArgument(property, faults.notBytes);
  if (bytes.length <= max) return;
  throw new RowsmithError('LIMIT_EXCEEDED', {
    property,
    ...faults.bytesTooLong(bytes.length, max),
  });
}

/** Checks the mutations of one row: at least one, and not more than a request may contain. */
export function checkMutations(mutations: readonly unknown[]): void {
  if (mutations.length === 0) throw invalidArgument('mutations', faults.rowWithoutMutations);
  checkMutationCount(mutations.length);
}

/** Checks the number of mutations of one request. */
export function checkMutationCount(count: number): void {
  if (count <= maxMutations) return;
  throw new RowsmithError('LIMIT_EXCEEDED', {
    property: 'mutations',
    ...faults.tooManyMutations(count),
  });
}

/** Checks a bigint in the range of an int64. */
export function checkInt64(value: bigint, property: string): void {
  if (typeof value === 'bigint' && value >= minInt64 && value <= maxInt64) return;
  throw invalidArgument(property, faults.notAnInt64, { value });
}

/** Checks a timestamp: a safe integer, or a bigint in the range of an int64. */
export function checkMicros(value: Micros, property = 'timestamp'): void {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return;
  if (typeof value === 'bigint' && value >= minInt64 && value <= maxInt64) return;
  throw invalidArgument(property, faults.notMicroseconds, { value });
}

/** Checks an integer of at least `min`. */
export function checkInteger(count: number, property: string, min = 1): void {
  if (Number.isSafeInteger(count) && count >= min) return;
  throw invalidArgument(property, faults.notAWholeNumber(min), { value: count });
}

/** A mutation, rule, filter or change with an unknown `kind`. */
export function unknownKindError(property: string, value: never): RowsmithError {
  const { kind } = value as { readonly kind?: unknown };
  return invalidArgument(
    property,
    faults.unknownKind(typeof kind === 'string' ? `'${kind}'` : valueText(kind)),
  );
}

const faults = {
  emptyRowKey: { problem: 'row keys must be non-empty', fix: 'give a key of 1 to 4,096 bytes' },
  notBytes: {
    problem: 'must be a Uint8Array',
    fix: 'encode text with new TextEncoder().encode(text)',
  },
  bytesTooLong: (length: number, max: number) => ({
    problem: `${length} bytes, the limit is ${max}`,
    fix: 'shorten it, or spread it over several rows',
  }),
  rowWithoutMutations: {
    problem: 'a row mutation needs at least one mutation',
    fix: 'omit the row, or pass its mutations',
  },
  tooManyMutations: (count: number) => ({
    problem: `${count} mutations, the limit is ${maxMutations}`,
    fix: 'split the request',
  }),
  notAnInt64: {
    problem: 'must be a bigint in the range of an int64',
    fix: 'give a bigint from -(2n ** 63n) to 2n ** 63n - 1n',
  },
  notMicroseconds: {
    problem: 'must be a safe integer, or a bigint in the range of an int64',
    fix: 'give microseconds as a bigint',
  },
  notAWholeNumber: (min: number) => ({
    problem: `must be a whole number of at least ${min}`,
    fix: `give ${min} or more`,
  }),
  unknownKind: (text: string) => ({
    problem: `unknown kind ${text}`,
    fix: 'use one of the kinds of its type',
  }),
} satisfies FaultTexts;
