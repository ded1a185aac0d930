/**
 * Checks of the arguments of engine calls, shared by the engines and the protocol. What they throw
 * is INVALID_ARGUMENT or LIMIT_EXCEEDED, with `property` naming the argument.
 */
import {
  maxCellBytes,
  maxInt64,
  maxMutations,
  maxQualifierBytes,
  maxRowKeyBytes,
  minInt64,
} from '../base/index.js';
import { invalidArgument, RowsmithError } from '../errors.js';
import type { Micros } from './row.js';

/** Rejects what is not the key of a row: 1 to 4,096 bytes. */
export function checkRowKey(key: Uint8Array): void {
  checkBytes(key, 'key', maxRowKeyBytes);
  if (key.length === 0)
    throw invalidArgument('key', 'row keys must be non-empty', 'give a key of 1 to 4,096 bytes');
}

/** Rejects what is not a column qualifier: up to 16 KiB. */
export function checkQualifier(qualifier: Uint8Array): void {
  checkBytes(qualifier, 'qualifier', maxQualifierBytes);
}

/** Rejects what is not the value of a cell: up to 100 MiB. */
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

/** Rejects a row mutation that changes nothing, or more than one request may. */
export function checkMutations(mutations: readonly unknown[]): void {
  if (mutations.length === 0)
    throw invalidArgument(
      'mutations',
      'a row mutation needs at least one mutation',
      'leave the row out, or give its mutations',
    );
  checkMutationCount(mutations.length);
}

/** Rejects more mutations than one request may hold. */
export function checkMutationCount(count: number): void {
  if (count <= maxMutations) return;
  throw new RowsmithError('LIMIT_EXCEEDED', {
    property: 'mutations',
    problem: `${count} mutations, the limit is ${maxMutations}`,
    fix: 'split the request',
  });
}

/** Rejects what is not a bigint that an int64 holds. */
export function checkInt64(value: bigint, property: string): void {
  if (typeof value === 'bigint' && value >= minInt64 && value <= maxInt64) return;
  throw invalidArgument(
    property,
    'must be a bigint in the range of an int64',
    'give a bigint from -(2n ** 63n) to 2n ** 63n - 1n',
    { value },
  );
}

/** Rejects a timestamp that is neither a safe integer nor a bigint that an int64 holds. */
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

/** Rejects what is not a whole number of at least `min`. */
export function checkCount(count: number, property: string, min = 1): void {
  if (Number.isSafeInteger(count) && count >= min) return;
  throw invalidArgument(
    property,
    `must be a whole number of at least ${min}`,
    `give ${min} or more`,
    { value: count },
  );
}
