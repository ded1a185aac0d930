/**
 * Checks of what callers hand in, and Bigtable's limits. What passes is copied: the caller may use
 * its buffers again at once.
 */
import { RowsmithError, type ErrorDetails } from '../../errors.js';
import type {
  CheckAndMutate,
  Mutation,
  ReadModifyWriteRule,
  RowMutation,
  ReadOptions,
  ReadPlan,
  Micros,
  Granularity,
} from '../../store/index.js';
/** Bigtable's limits, in bytes and mutations (cloud.google.com/bigtable/quotas). */
export const limits = {
  key: 4096,
  qualifier: 16_384,
  value: 100 * 1024 * 1024,
  row: 256 * 1024 * 1024,
  mutations: 100_000,
} as const;

const int64Min = -(2n ** 63n);
const int64Max = 2n ** 63n - 1n;

/** An error for an argument: what is wrong with it, and what to write instead. */
export function invalid(
  property: string,
  problem: string,
  fix: string,
  details: ErrorDetails = {},
): RowsmithError {
  return new RowsmithError('INVALID_ARGUMENT', { property, problem, fix, ...details });
}

/** A copy of a row key that may be stored. */
export function checkedKey(key: Uint8Array): Uint8Array {
  const copy = checkedBytes(key, 'key', limits.key);
  if (copy.length === 0)
    throw invalid('key', 'row keys must be non-empty', 'give a key of 1 to 4,096 bytes');
  return copy;
}

/**
 * A row mutation that may be applied as far as the schema is not concerned, with its own copy of
 * all bytes.
 */
export function checkedRow(row: RowMutation, granularity: Granularity): RowMutation {
  const key = checkedKey(row.key);
  if (row.mutations.length === 0)
    throw invalid(
      'mutations',
      'a row mutation needs at least one mutation',
      'leave the row out, or say what to do with it',
    );
  checkMutationCount(row.mutations.length);
  return {
    key,
    mutations: row.mutations.map((mutation) => checkedMutation(mutation, granularity)),
  };
}

/** Refuses more mutations than one request may hold. */
export function checkMutationCount(count: number): void {
  if (count <= limits.mutations) return;
  const problem = `${count} mutations, the limit is ${limits.mutations}`;
  throw new RowsmithError('LIMIT_EXCEEDED', {
    property: 'mutations',
    problem,
    fix: 'split the request',
  });
}

/** A check-and-mutate that may be applied as far as its predicate is not concerned. */
export function checkedCheck(
  check: CheckAndMutate,
  granularity: Granularity,
): Required<Omit<CheckAndMutate, 'predicate'>> {
  const { onTrue = [], onFalse = [] } = check;
  if (onTrue.length === 0 && onFalse.length === 0)
    throw invalid('onTrue', 'neither branch has a mutation', 'give onTrue, onFalse or both');
  checkMutationCount(Math.max(onTrue.length, onFalse.length));
  const checked = (mutation: Mutation) => checkedMutation(mutation, granularity);
  return { key: checkedKey(check.key), onTrue: onTrue.map(checked), onFalse: onFalse.map(checked) };
}

/** Rules of a read-modify-write that may be applied. */
export function checkedRules(rules: readonly ReadModifyWriteRule[]): ReadModifyWriteRule[] {
  if (rules.length === 0)
    throw invalid('rules', 'at least one rule is needed', 'give an increment or an append');
  checkMutationCount(rules.length);
  return rules.map((rule) => {
    const qualifier = checkedBytes(rule.qualifier, 'qualifier', limits.qualifier);
    switch (rule.kind) {
      case 'increment':
        return { ...rule, qualifier, amount: checkedInt64(rule.amount, 'amount') };
      case 'append':
        return { ...rule, qualifier, value: checkedBytes(rule.value, 'value', limits.value) };
      default:
        throw unknownKind('rules', rule);
    }
  });
}

/** Bytes that a row mutation brings, for the size of a commit. */
export function mutationBytes(mutations: readonly Mutation[]): number {
  let bytes = 0;
  for (const mutation of mutations) if (mutation.kind === 'setCell') bytes += mutation.value.length;
  return bytes;
}

/** Refuses a plan that cannot be run as it is, whatever its filter. */
export function checkPlan(plan: ReadPlan, options: ReadOptions): void {
  if (plan.limit !== undefined) checkCount(plan.limit, 'limit');
  if (options.pageRows !== undefined) checkCount(options.pageRows, 'pageRows');
}

/** Refuses what is not a whole number of at least `least`. */
export function checkCount(count: number, property: string, least = 1): void {
  if (!Number.isSafeInteger(count) || count < least)
    throw invalid(
      property,
      `must be a whole number of at least ${least}`,
      `give ${least} or more`,
      { value: count },
    );
}

function checkedMutation(mutation: Mutation, granularity: Granularity): Mutation {
  switch (mutation.kind) {
    case 'setCell':
      return {
        kind: 'setCell',
        family: mutation.family,
        qualifier: checkedBytes(mutation.qualifier, 'qualifier', limits.qualifier),
        timestamp: checkedTimestamp(mutation.timestamp, granularity, true),
        value: checkedBytes(mutation.value, 'value', limits.value),
      };
    case 'addToCell':
      return {
        kind: 'addToCell',
        family: mutation.family,
        qualifier: checkedBytes(mutation.qualifier, 'qualifier', limits.qualifier),
        timestamp: checkedTimestamp(mutation.timestamp, granularity),
        input: checkedInt64(mutation.input, 'input'),
      };
    case 'mergeToCell': {
      const input = checkedBytes(mutation.input, 'input', limits.value);
      if (input.length !== 8)
        throw invalid(
          'input',
          `the state of an aggregate of int64 has 8 bytes, not ${input.length}`,
          'give a big-endian int64',
        );
      return {
        kind: 'mergeToCell',
        family: mutation.family,
        qualifier: checkedBytes(mutation.qualifier, 'qualifier', limits.qualifier),
        timestamp: checkedTimestamp(mutation.timestamp, granularity),
        input,
      };
    }
    case 'deleteFromColumn': {
      const { start, end } = checkedBounds(mutation.start, mutation.end, granularity);
      if (end !== 0n && start >= end)
        throw invalid(
          'end',
          'the range of timestamps is empty or inverted',
          'give start before end; without an end it is open',
        );
      return {
        kind: 'deleteFromColumn',
        family: mutation.family,
        qualifier: checkedBytes(mutation.qualifier, 'qualifier', limits.qualifier),
        start,
        ...(end === 0n ? {} : { end }),
      };
    }
    case 'deleteFromFamily':
      return { kind: 'deleteFromFamily', family: mutation.family };
    case 'deleteFromRow':
      return { kind: 'deleteFromRow' };
    default:
      throw unknownKind('mutations', mutation);
  }
}

function checkedBytes(bytes: Uint8Array, property: string, most: number): Uint8Array {
  if (!(bytes instanceof Uint8Array))
    throw invalid(
      property,
      'must be a Uint8Array',
      'encode text with new TextEncoder().encode(text)',
    );
  if (bytes.length > most) {
    throw new RowsmithError('LIMIT_EXCEEDED', {
      property,
      problem: `${bytes.length} bytes, the limit is ${most}`,
      fix: 'shorten it, or spread it over several rows',
    });
  }
  return Buffer.from(bytes);
}

/**
 * As a bigint that is not negative, and a whole millisecond unless the table has microseconds; or
 * -1 where the server's clock is allowed.
 */
function checkedTimestamp(value: Micros, granularity: Granularity, server = false): bigint {
  const micros = asBigint(value, 'timestamp');
  if (server && micros === -1n) return micros;
  if (micros < 0n || micros > int64Max) {
    throw invalid(
      'timestamp',
      'must be an int64 that is not negative',
      'give microseconds since 1970; only setCell takes -1, for the clock of the server',
      { value: micros },
    );
  }
  if (granularity === 'millis' && micros % 1000n !== 0n) {
    throw invalid(
      'timestamp',
      'must be a multiple of 1,000 microseconds',
      "round it to milliseconds, or create the table with granularity: 'micros'",
      { value: micros },
    );
  }
  return micros;
}

/** Both bounds as bigints; 0 for an end that is open, as in Bigtable's messages. */
export function checkedBounds(
  start: Micros | undefined,
  end: Micros | undefined,
  granularity: Granularity,
): { readonly start: bigint; readonly end: bigint } {
  return {
    start: checkedTimestamp(start ?? 0n, granularity),
    end: checkedTimestamp(end ?? 0n, granularity),
  };
}

function checkedInt64(value: bigint, property: string): bigint {
  if (typeof value !== 'bigint' || value < int64Min || value > int64Max) {
    throw invalid(
      property,
      'must be a bigint in the range of an int64',
      'give a bigint from -(2n ** 63n) to 2n ** 63n - 1n',
      { value },
    );
  }
  return value;
}

function asBigint(value: Micros, property: string): bigint {
  if (typeof value === 'bigint') return value;
  if (Number.isSafeInteger(value)) return BigInt(value);
  throw invalid(property, 'must be a bigint or a safe integer', 'give microseconds as a bigint', {
    value,
  });
}

/** An error for plain data of a kind that is not known here. */
export function unknownKind(property: string, value: never): RowsmithError {
  return invalid(
    property,
    `unknown kind '${String((value as { kind?: unknown }).kind)}'`,
    'use one of the kinds of its type',
  );
}
