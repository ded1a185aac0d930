/**
 * Checks of what callers hand in, and Bigtable's limits. What passes is copied: the caller may use
 * its buffers again at once.
 */
import { maxInt64 } from '../../base/index.js';
import { invalidArgument, type RowsmithError } from '../../errors.js';
import {
  checkCount,
  checkInt64,
  checkMicros,
  checkMutationCount,
  checkMutations,
  checkQualifier,
  checkRowKey,
  checkValue,
  type CheckAndMutate,
  type Mutation,
  type ReadModifyWriteRule,
  type RowMutation,
  type ReadOptions,
  type ReadPlan,
  type Micros,
  type Granularity,
} from '../../store/index.js';
/** A copy of a row key that may be stored. */
export function checkedKey(key: Uint8Array): Uint8Array {
  checkRowKey(key);
  return Buffer.from(key);
}

/**
 * A row mutation that may be applied as far as the schema is not concerned, with its own copy of
 * all bytes.
 */
export function checkedRow(row: RowMutation, granularity: Granularity): RowMutation {
  const key = checkedKey(row.key);
  checkMutations(row.mutations);
  return {
    key,
    mutations: row.mutations.map((mutation) => checkedMutation(mutation, granularity)),
  };
}

/** A check-and-mutate that may be applied as far as its predicate is not concerned. */
export function checkedCheck(
  check: CheckAndMutate,
  granularity: Granularity,
): Required<Omit<CheckAndMutate, 'predicate'>> {
  const { onTrue = [], onFalse = [] } = check;
  if (onTrue.length === 0 && onFalse.length === 0)
    throw invalidArgument(
      'onTrue',
      'neither branch has a mutation',
      'give onTrue, onFalse or both',
    );
  checkMutationCount(Math.max(onTrue.length, onFalse.length));
  const checked = (mutation: Mutation) => checkedMutation(mutation, granularity);
  return { key: checkedKey(check.key), onTrue: onTrue.map(checked), onFalse: onFalse.map(checked) };
}

/** Rules of a read-modify-write that may be applied. */
export function checkedRules(rules: readonly ReadModifyWriteRule[]): ReadModifyWriteRule[] {
  if (rules.length === 0)
    throw invalidArgument('rules', 'at least one rule is needed', 'give an increment or an append');
  checkMutationCount(rules.length);
  return rules.map((rule) => {
    const qualifier = checkedQualifier(rule.qualifier);
    switch (rule.kind) {
      case 'increment':
        return { ...rule, qualifier, amount: checkedInt64(rule.amount, 'amount') };
      case 'append':
        return { ...rule, qualifier, value: checkedValue(rule.value) };
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

function checkedMutation(mutation: Mutation, granularity: Granularity): Mutation {
  switch (mutation.kind) {
    case 'setCell':
      return {
        kind: 'setCell',
        family: mutation.family,
        qualifier: checkedQualifier(mutation.qualifier),
        timestamp: checkedTimestamp(mutation.timestamp, granularity, true),
        value: checkedValue(mutation.value),
      };
    case 'addToCell':
      return {
        kind: 'addToCell',
        family: mutation.family,
        qualifier: checkedQualifier(mutation.qualifier),
        timestamp: checkedTimestamp(mutation.timestamp, granularity),
        input: checkedInt64(mutation.input, 'input'),
      };
    case 'mergeToCell': {
      const input = checkedValue(mutation.input, 'input');
      if (input.length !== 8)
        throw invalidArgument(
          'input',
          `the state of an aggregate of int64 has 8 bytes, not ${input.length}`,
          'give a big-endian int64',
        );
      return {
        kind: 'mergeToCell',
        family: mutation.family,
        qualifier: checkedQualifier(mutation.qualifier),
        timestamp: checkedTimestamp(mutation.timestamp, granularity),
        input,
      };
    }
    case 'deleteFromColumn': {
      const { start, end } = checkedBounds(mutation.start, mutation.end, granularity);
      if (end !== 0n && start >= end)
        throw invalidArgument(
          'end',
          'the range of timestamps is empty or inverted',
          'give start before end; without an end it is open',
        );
      return {
        kind: 'deleteFromColumn',
        family: mutation.family,
        qualifier: checkedQualifier(mutation.qualifier),
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

function checkedQualifier(qualifier: Uint8Array): Uint8Array {
  checkQualifier(qualifier);
  return Buffer.from(qualifier);
}

function checkedValue(value: Uint8Array, property = 'value'): Uint8Array {
  checkValue(value, property);
  return Buffer.from(value);
}

/**
 * As a bigint that is not negative, and a whole millisecond unless the table has microseconds; or
 * -1 where the server's clock is allowed.
 */
function checkedTimestamp(value: Micros, granularity: Granularity, server = false): bigint {
  checkMicros(value);
  const micros = BigInt(value);
  if (server && micros === -1n) return micros;
  if (micros < 0n || micros > maxInt64) {
    throw invalidArgument(
      'timestamp',
      'must be an int64 that is not negative',
      'give microseconds since 1970; only setCell takes -1, for the clock of the server',
      { value: micros },
    );
  }
  if (granularity === 'millis' && micros % 1000n !== 0n) {
    throw invalidArgument(
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
  checkInt64(value, property);
  return value;
}

/** An error for plain data of a kind that is not known here. */
export function unknownKind(property: string, value: never): RowsmithError {
  return invalidArgument(
    property,
    `unknown kind '${String((value as { kind?: unknown }).kind)}'`,
    'use one of the kinds of its type',
  );
}
