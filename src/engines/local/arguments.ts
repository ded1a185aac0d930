/**
 * Checks the arguments of calls, including Bigtable's limits, and copies them: callers may reuse
 * their buffers at once.
 */
import { invalidArgument, maxInt64, minTokenBytes, type FaultTexts } from '../../base/index.js';
import {
  checkInteger,
  checkInt64,
  checkMicros,
  checkMutationCount,
  checkMutations,
  checkQualifier,
  checkRowKey,
  checkValue,
  unknownKindError,
  type CheckAndMutate,
  type Mutation,
  type ReadModifyWriteRule,
  type RowMutation,
  type ReadOptions,
  type ReadPlan,
  type Micros,
  type Granularity,
} from '../../data/store/index.js';

/** Returns a copy of a valid row key. */
export function checkedKey(key: Uint8Array): Uint8Array {
  checkRowKey(key);
  return Buffer.from(key);
}

/** Returns a copy of a row mutation, valid except that its families are not checked. */
export function checkedRow(row: RowMutation, granularity: Granularity): RowMutation {
  const key = checkedKey(row.key);
  checkMutations(row.mutations);
  const mutations = row.mutations.map((mutation) => checkedMutation(mutation, granularity));
  if (row.token === undefined) return { key, mutations };
  return { key, mutations, token: checkedToken(row.token) };
}

function checkedToken(token: Uint8Array): Uint8Array {
  if (token instanceof Uint8Array && token.length >= minTokenBytes) return Buffer.from(token);
  throw invalidArgument('token', faults.tokenTooShort);
}

/** Returns a copy of a check-and-mutate without its predicate; its families are not checked. */
export function checkedCheck(
  check: CheckAndMutate,
  granularity: Granularity,
): Required<Omit<CheckAndMutate, 'predicate'>> {
  const { onTrue = [], onFalse = [] } = check;
  if (onTrue.length === 0 && onFalse.length === 0)
    throw invalidArgument('onTrue', faults.emptyBranches);
  checkMutationCount(Math.max(onTrue.length, onFalse.length));
  const checked = (mutation: Mutation) => checkedMutation(mutation, granularity);
  return { key: checkedKey(check.key), onTrue: onTrue.map(checked), onFalse: onFalse.map(checked) };
}

/** Returns a copy of the rules of a read-modify-write; their families are not checked. */
export function checkedRules(rules: readonly ReadModifyWriteRule[]): ReadModifyWriteRule[] {
  if (rules.length === 0) throw invalidArgument('rules', faults.emptyRules);
  checkMutationCount(rules.length);
  return rules.map((rule) => {
    const qualifier = checkedQualifier(rule.qualifier);
    switch (rule.kind) {
      case 'increment':
        return { ...rule, qualifier, amount: checkedInt64(rule.amount, 'amount') };
      case 'append':
        return { ...rule, qualifier, value: checkedValue(rule.value) };
      default:
        throw unknownKindError('rules', rule);
    }
  });
}

/** Bytes of the values in mutations, which count towards the size of a commit. */
export function mutationBytes(mutations: readonly Mutation[]): number {
  let bytes = 0;
  for (const mutation of mutations) if (mutation.kind === 'setCell') bytes += mutation.value.length;
  return bytes;
}

/** Rejects a plan or options with invalid bounds. The filter is not checked. */
export function checkPlan(plan: ReadPlan, options: ReadOptions): void {
  if (plan.limit !== undefined) checkInteger(plan.limit, 'limit');
  if (options.pageRows !== undefined) checkInteger(options.pageRows, 'pageRows');
}

function checkedMutation(mutation: Mutation, granularity: Granularity): Mutation {
  switch (mutation.kind) {
    case 'setCell':
      return {
        kind: 'setCell',
        family: mutation.family,
        qualifier: checkedQualifier(mutation.qualifier),
        timestamp: checkedSetTimestamp(mutation, granularity),
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
      const input = checkedState(mutation.input);
      return {
        kind: 'mergeToCell',
        family: mutation.family,
        qualifier: checkedQualifier(mutation.qualifier),
        timestamp: checkedTimestamp(mutation.timestamp, granularity),
        input,
      };
    }
    case 'deleteFromColumn': {
      const { start, end } = checkedTimestampRange(mutation.start, mutation.end, granularity);
      if (end !== undefined && start >= end)
        throw invalidArgument('end', faults.emptyTimestampRange);
      const qualifier = checkedQualifier(mutation.qualifier);
      return { kind: 'deleteFromColumn', family: mutation.family, qualifier, start, end };
    }
    case 'deleteFromFamily':
      return { kind: 'deleteFromFamily', family: mutation.family };
    case 'deleteFromRow':
      return { kind: 'deleteFromRow' };
    default:
      throw unknownKindError('mutations', mutation);
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

/** Returns a copy of the state of an aggregate, which may be null. */
function checkedState(state: Uint8Array | null): Uint8Array | null {
  if (state === null) return null;
  const input = checkedValue(state, 'input');
  if (input.length !== 8) throw invalidArgument('input', faults.wrongStateLength(input.length));
  return input;
}

/** True for the timestamp -1 of setCell, which stands for the time of the commit. */
export function isCommitTime(timestamp: Micros): boolean {
  return timestamp === -1 || timestamp === -1n;
}

function checkedSetTimestamp(
  { timestamp, truncate }: Extract<Mutation, { kind: 'setCell' }>,
  granularity: Granularity,
): bigint {
  if (isCommitTime(timestamp)) return -1n;
  if (truncate !== true || granularity === 'micros')
    return checkedTimestamp(timestamp, granularity);
  const micros = checkedTimestamp(timestamp, 'micros');
  return micros - (micros % 1000n);
}

/**
 * Returns the timestamp as a bigint. In tables of granularity `millis` it must be a millisecond.
 */
function checkedTimestamp(value: Micros, granularity: Granularity): bigint {
  checkMicros(value);
  const micros = BigInt(value);
  if (micros < 0n || micros > maxInt64) {
    throw invalidArgument('timestamp', faults.negativeTimestamp, { value: micros });
  }
  if (granularity === 'millis' && micros % 1000n !== 0n) {
    throw invalidArgument('timestamp', faults.notWholeMilliseconds, { value: micros });
  }
  return micros;
}

/** Returns both bounds as bigints. As in Bigtable's messages, an end of 0 is no bound. */
export function checkedTimestampRange(
  start: Micros | undefined,
  end: Micros | undefined,
  granularity: Granularity,
): { readonly start: bigint; readonly end: bigint | undefined } {
  const startMicros = start === undefined ? 0n : checkedTimestamp(start, granularity);
  const endMicros = end === undefined ? 0n : checkedTimestamp(end, granularity);
  return { start: startMicros, end: endMicros === 0n ? undefined : endMicros };
}

function checkedInt64(value: bigint, property: string): bigint {
  checkInt64(value, property);
  return value;
}

const faults = {
  tokenTooShort: {
    problem: `must be a Uint8Array of at least ${minTokenBytes} bytes`,
    fix: 'give a random token to each write, and the same one to its retries',
  },
  emptyBranches: { problem: 'neither branch has a mutation', fix: 'give onTrue, onFalse or both' },
  emptyRules: { problem: 'at least one rule is needed', fix: 'give an increment or an append' },
  emptyTimestampRange: {
    problem: 'the range of timestamps is empty or inverted',
    fix: 'give start before end; without an end it is open',
  },
  wrongStateLength: (length: number) => ({
    problem: `the state of an aggregate of int64 has 8 bytes, not ${length}`,
    fix: 'give a big-endian int64, or null to merge nothing',
  }),
  negativeTimestamp: {
    problem: 'must be an int64 that is not negative',
    fix: 'give microseconds since 1970; only setCell takes -1, for the clock of the server',
  },
  notWholeMilliseconds: {
    problem: 'must be a multiple of 1,000 microseconds',
    fix: "round it to milliseconds, or create the table with granularity: 'micros'",
  },
} satisfies FaultTexts;
