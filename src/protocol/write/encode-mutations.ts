/**
 * Mutations -> the API's messages (data.proto, Mutation), with their checks: the way back of
 * mutation.ts.
 */
import { CellFault } from '../../cell/index.js';
import { RowsmithError } from '../../errors.js';
import type { Micros, Mutation } from '../../store/index.js';
import { badRequest } from '../request-error.js';
import { MutationMessage } from '../messages/data-messages.js';
import type { ContentOf } from '../messages/message-type.js';

/** Bigtable's limits, in bytes and mutations (cloud.google.com/bigtable/quotas). */
export const dataLimits = {
  key: 4096,
  qualifier: 16_384,
  value: 100 * 1024 * 1024,
  mutations: 100_000,
} as const;

const int64Min = -(2n ** 63n);
const int64Max = 2n ** 63n - 1n;

/** Mutations as declared messages, for requests that hold few of them. */
export function mutationMessages(
  mutations: readonly Mutation[],
): ContentOf<typeof MutationMessage>[] {
  return mutations.map(mutationMessage);
}

/** Refuses a key that no row has. */
export function checkKey(key: Uint8Array): void {
  checkBytes(key, 'key', dataLimits.key);
  if (key.length === 0) throw badRequest('key', 'row keys must be non-empty');
}

/** Refuses no mutations, and more than a request may hold. */
export function checkMutations(mutations: readonly Mutation[]): void {
  if (mutations.length === 0)
    throw badRequest('mutations', 'a row mutation needs at least one mutation');
  if (mutations.length <= dataLimits.mutations) return;
  throw new RowsmithError('LIMIT_EXCEEDED', {
    property: 'mutations',
    problem: `${mutations.length} mutations, the limit is ${dataLimits.mutations}`,
    fix: 'split the request',
  });
}

/** Refuses bytes that are none, or too many. */
export function checkBytes(bytes: Uint8Array, property: string, most: number): void {
  if (!(bytes instanceof Uint8Array)) throw badRequest(property, 'must be a Uint8Array');
  if (bytes.length > most)
    throw new RowsmithError('LIMIT_EXCEEDED', {
      property,
      problem: `${bytes.length} bytes, the limit is ${most}`,
    });
}

/** The bytes of a mutation. */
export function encodeMutation(mutation: Mutation): Uint8Array {
  try {
    return MutationMessage.encode(mutationMessage(mutation));
  } catch (cause) {
    if (!(cause instanceof CellFault)) throw cause;
    throw new RowsmithError(
      'INVALID_ARGUMENT',
      { property: 'mutations', problem: cause.problem },
      { cause },
    );
  }
}

function mutationMessage(mutation: Mutation): ContentOf<typeof MutationMessage> {
  switch (mutation.kind) {
    case 'setCell': {
      checkBytes(mutation.value, 'value', dataLimits.value);
      return {
        setCell: {
          familyName: mutation.family,
          columnQualifier: qualifierOf(mutation),
          timestampMicros: BigInt(checkedMicros(mutation.timestamp)),
          value: mutation.value,
        },
      };
    }
    case 'deleteFromColumn': {
      const { start, end } = mutation;
      const range = {
        ...(start === undefined ? {} : { startTimestampMicros: bound(start, 'start') }),
        ...(end === undefined ? {} : { endTimestampMicros: bound(end, 'end') }),
      };
      return {
        deleteFromColumn: {
          familyName: mutation.family,
          columnQualifier: qualifierOf(mutation),
          ...(start === undefined && end === undefined ? {} : { timeRange: range }),
        },
      };
    }
    case 'deleteFromFamily':
      return { deleteFromFamily: { familyName: mutation.family } };
    case 'deleteFromRow':
      return { deleteFromRow: {} };
    case 'addToCell':
      return {
        addToCell: { ...place(mutation), input: { intValue: checkInt64(mutation.input, 'input') } },
      };
    case 'mergeToCell': {
      checkBytes(mutation.input, 'input', dataLimits.value);
      return { mergeToCell: { ...place(mutation), input: { rawValue: mutation.input } } };
    }
    default:
      throw badRequest(
        'mutations',
        `unknown kind '${String((mutation as { kind?: unknown }).kind)}'`,
      );
  }
}

function place(mutation: Extract<Mutation, { kind: 'addToCell' | 'mergeToCell' }>): {
  familyName: string;
  columnQualifier: { rawValue: Uint8Array };
  timestamp: { rawTimestampMicros: bigint };
} {
  return {
    familyName: mutation.family,
    columnQualifier: { rawValue: qualifierOf(mutation) },
    timestamp: { rawTimestampMicros: bound(mutation.timestamp, 'timestamp') },
  };
}

function qualifierOf({ qualifier }: { readonly qualifier: Uint8Array }): Uint8Array {
  checkBytes(qualifier, 'qualifier', dataLimits.qualifier);
  return qualifier;
}

/**
 * A bound of a range of timestamps, or the timestamp of an aggregate: the server's clock is not
 * among them.
 */
function bound(value: Micros, property: string): bigint {
  const micros = BigInt(checkedMicros(value));
  if (micros < 0n) throw badRequest(property, 'must be an int64 that is not negative');
  return micros;
}

/**
 * A timestamp that an int64 holds. What else is wrong with it, the server knows: the table has its
 * granularity.
 */
export function checkedMicros(value: Micros): Micros {
  if (
    typeof value === 'number'
      ? Number.isSafeInteger(value)
      : typeof value === 'bigint' && value >= int64Min && value <= int64Max
  )
    return value;
  throw badRequest('timestamp', 'must be a safe integer, or a bigint in the range of an int64');
}

/** Refuses what an int64 does not hold. */
export function checkInt64(value: bigint, property: string): bigint {
  if (typeof value === 'bigint' && value >= int64Min && value <= int64Max) return value;
  throw badRequest(property, 'must be a bigint in the range of an int64');
}
