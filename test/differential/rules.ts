/**
 * Where a peer may answer otherwise than the reference engine, and why: each rule is a name, its
 * source, and what it does. A rule that never applied is named in the summary of a run. "inmem.go"
 * is the source of Google's emulator (googleapis/google-cloud-go, bigtable/bttest).
 */
/* eslint max-len: off -- a rule is a line */
import type { FamilySchema, Filter, Mutation, RowMutation } from '../../src/store/index.js';
import { emptyKeyBefore, type Answer, type PlainRow } from './answer.js';
import { breaksTies, countsAcrossFamilies, holds, labelsThenStrips } from './filter-facts.js';
import type { History, Operation } from './operation.js';
import type { Peer } from './targets.js';

/** What a rule looks at. */
export interface Situation {
  readonly peer: Peer['kind'];
  readonly operation: Operation;
  /** What the reference engine answered. */
  readonly expected: Answer;
  /** The table's families as they were before the operation. */
  readonly families: ReadonlyMap<string, FamilySchema>;
}

/** What is asked of a peer instead, and what it has to answer; nothing where it is not asked. */
export interface Ask {
  readonly operation: Operation;
  readonly expected: Answer;
}

interface Named {
  readonly name: string;
  readonly source: string;
  readonly peers: readonly Peer['kind'][];
}
/** The whole history is kept from the peer. */
export type TableRule = Named & { readonly applies: (history: History) => boolean };
/** A row mutation that we refuse is kept from the peer: it would apply it, or a part of it. */
export type RowRule = Named & {
  readonly applies: (
    row: RowMutation,
    families: ReadonlyMap<string, FamilySchema>,
    entry: boolean,
  ) => boolean;
};
/**
 * The operation is kept from the peer, or another is sent in its place; undefined where the rule
 * does not apply.
 */
export type AskRule = Named & {
  readonly asks: (situation: Situation) => { readonly ask: Ask | undefined } | undefined;
};
/**
 * The operation is sent; an answer that differs is the rule's, and an equal one shows that the rule
 * was not needed.
 */
export type ExcuseRule = Named & {
  readonly applies: (filter: Filter, families: ReadonlyMap<string, FamilySchema>) => boolean;
};
/** Both answers are brought into one form, the expected one first. */
export type FormRule = Named & { readonly form: (answer: Answer, situation: Situation) => Answer };

const google: Named['peers'] = ['emulator'];
const anyOf = (
  families: ReadonlyMap<string, FamilySchema> | History['families'],
  test: (schema: FamilySchema) => boolean,
): boolean =>
  (families instanceof Map ? [...families.values()] : Object.values(families)).some(test);
const refused = (answer: Answer): answer is { readonly code: number } => 'code' in answer;

export const tableRules: readonly TableRule[] = [
  {
    name: 'the clock is its own',
    source: 'inmem.go, newTimestamp: time.Now',
    peers: google,
    applies: ({ clock }) => clock === true,
  },
  {
    name: 'garbage is collected by chance',
    source:
      'FIDELITY.md J1, J7; inmem.go, gcloop: every 500 to 1500 ms, and only after ModifyColumnFamilies',
    peers: google,
    applies: ({ families }) => anyOf(families, ({ gc }) => gc !== undefined),
  },
  {
    name: 'sums are the only aggregates',
    source: 'FIDELITY.md K1',
    peers: google,
    applies: ({ families }) =>
      anyOf(families, ({ aggregate }) => aggregate === 'min' || aggregate === 'max'),
  },
  {
    name: 'no granularity of microseconds',
    source:
      'FIDELITY.md A8; table.proto (2026), Table.TimestampGranularity.MICROS; inmem.go, validTimestamp',
    peers: google,
    applies: ({ granularity }) => granularity === 'micros',
  },
];

const whole = (time: number | bigint | undefined): boolean =>
  time === undefined || (BigInt(time) >= 0n && BigInt(time) % 1000n === 0n);
const any =
  (
    test: (mutation: Mutation, families: ReadonlyMap<string, FamilySchema>) => boolean,
  ): RowRule['applies'] =>
  ({ mutations }, families) =>
    mutations.some((mutation) => test(mutation, families));
const aggregate = (families: ReadonlyMap<string, FamilySchema>, family: string): boolean =>
  families.get(family)?.aggregate !== undefined;

/** In this order: the first that applies is the reason. */
export const rowRules: readonly RowRule[] = [
  {
    name: 'no limits of size',
    source: 'FIDELITY.md A9; bigtable.proto, data.proto',
    peers: google,
    applies: ({ key, mutations }) =>
      key.length > 4096 ||
      mutations.some((one) => 'qualifier' in one && one.qualifier.length > 16_384),
  },
  {
    name: 'an entry without mutations is OK',
    source: 'FIDELITY.md A5; bigtable.proto, MutateRowsRequest.Entry.mutations',
    peers: google,
    applies: ({ mutations }, _families, entry) => entry && mutations.length === 0,
  },
  {
    name: 'ranges of deletions are looked at only where there is a column',
    source: 'FIDELITY.md B4; inmem.go, applyMutations',
    peers: google,
    applies: any(
      (one) =>
        one.kind === 'deleteFromColumn' &&
        (!whole(one.start) ||
          !whole(one.end) ||
          (BigInt(one.end ?? 0) !== 0n && BigInt(one.start ?? 0) >= BigInt(one.end ?? 0))),
    ),
  },
  {
    name: 'deleting from an unknown family is OK',
    source: 'FIDELITY.md A2; inmem.go, applyMutations',
    peers: google,
    applies: any((one, families) => one.kind === 'deleteFromFamily' && !families.has(one.family)),
  },
  {
    name: 'mutations are not held to their kind of family',
    source: 'FIDELITY.md K4: SetCell on an aggregate is accepted, a short state ends the process',
    peers: google,
    applies: any(
      (one, families) =>
        (one.kind === 'setCell' && aggregate(families, one.family)) ||
        ((one.kind === 'addToCell' || one.kind === 'mergeToCell') &&
          (!aggregate(families, one.family) ||
            (one.kind === 'mergeToCell' && one.input.length !== 8))),
    ),
  },
  {
    name: 'timestamps of aggregates are not looked at',
    source: 'FIDELITY.md K5',
    peers: google,
    applies: any(
      (one) => (one.kind === 'addToCell' || one.kind === 'mergeToCell') && !whole(one.timestamp),
    ),
  },
  {
    name: 'a refused row is half applied',
    source: 'FIDELITY.md A3, A4; bigtable.proto: applied atomically; inmem.go, applyMutations',
    peers: google,
    applies: ({ mutations }) => mutations.length > 1,
  },
];

const nothing = { ask: undefined } as const;
const long = (bytes: Uint8Array | undefined, most: number): boolean =>
  bytes !== undefined && bytes.length > most;

/** In this order: the first that applies decides. */
export const askRules: readonly AskRule[] = [
  {
    name: 'an empty MutateRows is refused as a whole',
    source:
      'bigtable.proto, MutateRowsRequest.entries: at least one entry must be specified, and at most 100,000 mutations in total; the Engine interface answers by row',
    peers: ['server', 'emulator'],
    asks: ({ operation, expected }) =>
      operation.kind === 'mutateRows' &&
      operation.rows.every(({ mutations }) => mutations.length === 0) &&
      !refused(expected)
        ? { ask: { operation, expected: { code: 3 } } }
        : undefined,
  },
  {
    name: 'a check without mutations is OK',
    source: 'FIDELITY.md D1; bigtable.proto, CheckAndMutateRowRequest',
    peers: google,
    asks: ({ operation, expected }) =>
      operation.kind === 'check' &&
      refused(expected) &&
      operation.onTrue.length + operation.onFalse.length === 0
        ? nothing
        : undefined,
  },
  {
    name: 'a check looks at what it comes to',
    source:
      'FIDELITY.md D6, H6; inmem.go, CheckAndMutateRow: filters and branches are looked at cell by cell, and the other branch never',
    peers: google,
    asks: ({ operation, expected }) =>
      operation.kind === 'check' && refused(expected) ? nothing : undefined,
  },
  {
    name: 'a read-modify-write takes an empty key',
    source: 'FIDELITY.md A1; bigtable.proto: non-empty',
    peers: google,
    asks: ({ operation }) =>
      operation.kind === 'modify' && operation.key.length === 0 ? nothing : undefined,
  },
  {
    name: 'a read-modify-write without rules is OK',
    source: 'FIDELITY.md C9',
    peers: google,
    asks: ({ operation }) =>
      operation.kind === 'modify' && operation.rules.length === 0 ? nothing : undefined,
  },
  {
    name: 'a read-modify-write has no limits and no kinds of family',
    source: 'FIDELITY.md A9, K4',
    peers: google,
    asks: ({ operation, families }) =>
      operation.kind === 'modify' &&
      (long(operation.key, 4096) ||
        operation.rules.some(
          (one) => long(one.qualifier, 16_384) || aggregate(families, one.family),
        ))
        ? nothing
        : undefined,
  },
  {
    name: 'a refused read-modify-write is half applied',
    source: 'FIDELITY.md C5; bigtable.proto: or the entire request will fail',
    peers: google,
    asks: ({ operation, expected }) =>
      operation.kind === 'modify' && refused(expected) && operation.rules.length > 1
        ? nothing
        : undefined,
  },
  {
    name: 'an empty prefix drops all rows',
    source: 'FIDELITY.md B9; bigtable_table_admin.proto: prefix cannot be zero length',
    peers: google,
    asks: ({ operation }) =>
      operation.kind === 'drop' &&
      operation.target.kind === 'prefix' &&
      operation.target.prefix.length === 0
        ? nothing
        : undefined,
  },
  {
    name: 'a refused change of families is half applied',
    source: 'FIDELITY.md L3b; bigtable_table_admin.proto, ModifyColumnFamilies: atomically',
    peers: google,
    asks: ({ operation, expected }) =>
      operation.kind === 'families' && refused(expected) && operation.changes.length > 1
        ? nothing
        : undefined,
  },
  {
    name: 'bounds of reads have no limit of size',
    source: 'FIDELITY.md A9',
    peers: google,
    asks: ({ operation, expected }) =>
      operation.kind === 'read' &&
      refused(expected) &&
      [
        ...operation.keys,
        ...operation.ranges.flatMap(({ start, end }) => [start?.key, end?.key]),
      ].some((key) => long(key, 4096))
        ? nothing
        : undefined,
  },
  {
    name: 'a negative limit gives no rows',
    source: 'FIDELITY.md E4',
    peers: google,
    asks: ({ operation }) =>
      operation.kind === 'read' && (operation.limit ?? 0) < 0 ? nothing : undefined,
  },
  {
    name: 'a range that ends with the closed empty key is not found inverted',
    source:
      'bigtable.proto, RowRange: only an end that is not set is the infinite key; E: it answers no rows',
    peers: google,
    asks: ({ operation, expected }) =>
      operation.kind === 'read' &&
      refused(expected) &&
      operation.ranges.some(({ end }) => end !== undefined && !end.open && end.key.length === 0)
        ? nothing
        : undefined,
  },
  {
    name: 'a filter is looked at only where it meets a cell',
    source:
      'FIDELITY.md F4 (a negative offset ends the process), G3, G9, H6, H7, I2, I3, I5; inmem.go, filterRow',
    peers: google,
    asks: ({ operation, expected }) =>
      operation.kind === 'read' && refused(expected) && operation.filter !== undefined
        ? nothing
        : undefined,
  },
];

export const excuseRules: readonly ExcuseRule[] = [
  {
    name: 'sink is ignored',
    source: 'FIDELITY.md G8; data.proto, RowFilter.sink; inmem.go, includeCell',
    peers: google,
    applies: (filter) => holds(filter, ['sink']),
  },
  {
    name: 'rows are sampled by chance',
    source: 'data.proto, RowFilter.row_sample_filter; ours draw 0.5 here',
    peers: google,
    applies: (filter) => holds(filter, ['rowSample']),
  },
  {
    name: 'bitmasks are ignored',
    source: 'FIDELITY.md G13; data.proto (2026), ValueBitmask',
    peers: google,
    applies: (filter) => holds(filter, ['valueBitmask']),
  },
  {
    name: 'stripping takes labels',
    source: 'FIDELITY.md G9; inmem.go, modifyCell',
    peers: google,
    applies: labelsThenStrips,
  },
  {
    name: 'cells of several families are counted in the order of a Go map',
    source: 'FIDELITY.md F1, F2; inmem.go, filterRow: range r.families',
    peers: google,
    applies: countsAcrossFamilies,
  },
  {
    name: 'ties of more than twelve cells are counted in any order',
    source:
      'inmem.go, filterRow: sort.Sort is stable up to twelve elements only (Go, sort.insertionSort)',
    peers: google,
    applies: (filter) => breaksTies(filter, true),
  },
];

const rowsOf = (answer: Answer, change: (row: PlainRow) => PlainRow): Answer =>
  'rows' in answer ? { rows: answer.rows.map(change) } : answer;
const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

export const formRules: readonly FormRule[] = [
  {
    name: 'statuses of its own',
    source: 'FIDELITY.md A2, A8, B4, C3, L3b: UNKNOWN, and INTERNAL in MutateRows',
    peers: google,
    form: (answer) =>
      refused(answer)
        ? { code: 3 }
        : 'statuses' in answer
          ? { statuses: answer.statuses.map((code) => (code === 0 ? 0 : 3)) }
          : answer,
  },
  {
    name: 'a refused row under the empty key is sampled',
    source:
      'FIDELITY.md A1, B5; bigtable.proto, SampleRowKeysResponse.row_key: the empty key is the end of the table and comes last',
    peers: google,
    form: (answer) =>
      'sampled' in answer && answer.sampled === emptyKeyBefore
        ? { ...answer, sampled: 'as promised' }
        : answer,
  },
  {
    name: 'only values count as bytes of samples',
    source:
      'bigtable.proto, SampleRowKeysResponse.offset_bytes: approximate total storage space; inmem.go, row.size',
    peers: google,
    form: (answer) => ('sampled' in answer ? { ...answer, rowsBefore: false } : answer),
  },
  {
    name: 'families in the order of their creation',
    source: 'FIDELITY.md E1; data.proto: the mutual ordering of column families is not specified',
    peers: google,
    form: (answer) =>
      rowsOf(answer, ({ key, cells }) => ({
        key,
        cells: [...cells].sort((a, b) => order(a.family, b.family)),
      })),
  },
  {
    name: 'ties of more than twelve cells come in any order',
    source: 'data.proto, RowFilter.Interleave: in an unspecified order; inmem.go: sort.Sort',
    peers: google,
    form: (answer, { operation }) => {
      if (
        operation.kind !== 'read' ||
        operation.filter === undefined ||
        !breaksTies(operation.filter, false)
      )
        return answer;
      return rowsOf(answer, ({ key, cells }) => ({
        key,
        cells: [...cells].sort(
          (a, b) =>
            order(a.family, b.family) ||
            order(a.qualifier, b.qualifier) ||
            Number(b.timestamp) - Number(a.timestamp) ||
            order(JSON.stringify(a), JSON.stringify(b)),
        ),
      }));
    },
  },
  {
    name: 'of several faults any may be told',
    source:
      'test/engines/history.ts, refusalOf: which fault of an operation is told first is not promised; the conformance kit holds each alone to its code',
    peers: ['engine', 'server'],
    form: (answer, { operation }) => {
      if (!hasParts(operation)) return answer;
      const one = (code: number): number => (code === 5 || code === 9 ? 3 : code);
      return refused(answer)
        ? { code: one(answer.code) }
        : 'statuses' in answer
          ? { statuses: answer.statuses.map(one) }
          : answer;
    },
  },
];

/** Whether an operation has room for two faults. */
function hasParts(operation: Operation): boolean {
  switch (operation.kind) {
    case 'mutateRow':
      return (
        operation.mutations.length > 1 ||
        operation.key.length === 0 ||
        operation.key.length > 4096 ||
        operation.mutations.some((one) => 'qualifier' in one)
      );
    case 'modify':
      return true;
    case 'read':
      return operation.filter !== undefined;
    case 'families':
      return operation.changes.length > 1;
    case 'mutateRows':
    case 'check':
      return true;
    default:
      return false;
  }
}
