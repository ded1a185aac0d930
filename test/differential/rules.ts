/**
 * Permitted differences between a target and the oracle: each rule has a name, its source, and what
 * it does. Rules that were never needed are listed in the summary of a run. "data-model.md" is
 * docs/data-model.md, and "inmem.go" is the source of Google's emulator
 * (googleapis/google-cloud-go, bigtable/bttest).
 */
import type { FamilySchema, Filter, Mutation, RowMutation } from '../../src/data/store/index.js';
import { breaksTies, contains, countsAcrossFamilies, labelsThenStrips } from './filter-analysis.js';
import type { History, Operation } from './operation.js';
import {
  emptyKeyNotLast,
  validSamples,
  type PlainCell,
  type PlainRow,
  type TargetResponse,
} from './target-response.js';
import type { Target } from './targets.js';

type Families = ReadonlyMap<string, FamilySchema>;

/** The input of a rule. */
export interface RuleContext {
  readonly target: Target['kind'];
  readonly operation: Operation;
  /** The response of the oracle. */
  readonly expected: TargetResponse;
  /** The families of the table before the operation. */
  readonly families: Families;
}

/** The operation that is sent to a target, and the expected response. */
export interface TargetRequest {
  readonly operation: Operation;
  readonly expected: TargetResponse;
}

interface Rule {
  readonly name: string;
  readonly source: string;
  readonly targets: readonly Target['kind'][];
}
/** Withholds a whole history from the target. */
export type HistoryRule = Rule & { readonly applies: (history: History) => boolean };
/** Withholds a row mutation that the oracle rejects: the target would apply it, at least partly. */
export type RowRule = Rule & {
  readonly applies: (row: RowMutation, families: Families, entry: boolean) => boolean;
};
/**
 * Withholds an operation from the target (`request` is undefined), or replaces it. Returns
 * undefined if the rule does not apply.
 */
export type RequestRule = Rule & {
  /** Later rules apply to the replaced operation. */
  readonly thenOthers?: true;
  readonly rewrite: (
    context: RuleContext,
  ) => { readonly request: TargetRequest | undefined } | undefined;
};
/** Tolerates any response to an operation with such a filter; needed if the response differs. */
export type ToleranceRule = Rule & {
  readonly applies: (filter: Filter, families: Families) => boolean;
};
/** Normalizes both responses before they are compared. */
export type NormalizationRule = Rule & {
  readonly normalize: (response: TargetResponse, context: RuleContext) => TargetResponse;
};

const emulatorOnly: Rule['targets'] = ['emulator'];
const isError = (response: TargetResponse): response is { readonly code: number } =>
  'code' in response;
const someFamily = (
  families: History['families'],
  test: (schema: FamilySchema) => boolean,
): boolean => Object.values(families).some(test);

export const historyRules: readonly HistoryRule[] = [
  {
    name: 'the emulator uses its own clock',
    source: 'inmem.go, newTimestamp: time.Now',
    targets: emulatorOnly,
    applies: ({ clock }) => clock === true,
  },
  {
    name: 'garbage is collected at random times',
    source:
      'data-model.md J1, J7; inmem.go, gcloop: every 500 to 1500 ms, and only after ModifyColumnFamilies',
    targets: emulatorOnly,
    applies: ({ families }) => someFamily(families, ({ gc }) => gc !== undefined),
  },
  {
    name: 'sum is the only aggregate',
    source: 'data-model.md K1',
    targets: emulatorOnly,
    applies: ({ families }) =>
      someFamily(families, ({ aggregate }) => aggregate === 'min' || aggregate === 'max'),
  },
  {
    name: 'microsecond granularity is not supported',
    source:
      'data-model.md A8b; table.proto (2026), Table.TimestampGranularity.MICROS; inmem.go, validTimestamp',
    targets: emulatorOnly,
    applies: ({ granularity }) => granularity === 'micros',
  },
];

const isWholeMillis = (time: number | bigint | undefined): boolean =>
  time === undefined || (BigInt(time) >= 0n && BigInt(time) % 1000n === 0n);
const isInvalidRange = (start: number | bigint = 0, end: number | bigint = 0): boolean =>
  BigInt(end) !== 0n && BigInt(start) >= BigInt(end);
const isAggregate = (families: Families, family: string): boolean =>
  families.get(family)?.aggregate !== undefined;
const someMutation =
  (test: (mutation: Mutation, families: Families) => boolean): RowRule['applies'] =>
  ({ mutations }, families) =>
    mutations.some((mutation) => test(mutation, families));

/** The first rule that applies is recorded. */
export const rowRules: readonly RowRule[] = [
  {
    name: 'size limits are not enforced',
    source: 'data-model.md A9; bigtable.proto, data.proto',
    targets: emulatorOnly,
    applies: ({ key, mutations }) =>
      key.length > 4096 ||
      mutations.some((one) => 'qualifier' in one && one.qualifier.length > 16_384),
  },
  {
    name: 'an entry without mutations succeeds',
    source: 'data-model.md A5; bigtable.proto, MutateRowsRequest.Entry.mutations',
    targets: emulatorOnly,
    applies: ({ mutations }, _families, entry) => entry && mutations.length === 0,
  },
  {
    name: 'timestamp ranges of deletions are checked only if the column exists',
    source: 'data-model.md B4; inmem.go, applyMutations',
    targets: emulatorOnly,
    applies: someMutation(
      (one) =>
        one.kind === 'deleteFromColumn' &&
        (!isWholeMillis(one.start) ||
          !isWholeMillis(one.end) ||
          isInvalidRange(one.start, one.end)),
    ),
  },
  {
    name: 'deleting from an unknown family succeeds',
    source: 'data-model.md A2; inmem.go, applyMutations',
    targets: emulatorOnly,
    applies: someMutation(
      (one, families) => one.kind === 'deleteFromFamily' && !families.has(one.family),
    ),
  },
  {
    name: 'mutations are not checked against the family type',
    source:
      'data-model.md K4: SetCell on an aggregate family succeeds, a short state crashes the process',
    targets: emulatorOnly,
    applies: someMutation((one, families) => {
      if (one.kind === 'setCell') return isAggregate(families, one.family);
      if (one.kind === 'addToCell') return !isAggregate(families, one.family);
      if (one.kind !== 'mergeToCell') return false;
      return !isAggregate(families, one.family) || one.input?.length !== 8;
    }),
  },
  {
    name: 'timestamps of aggregate mutations are not checked',
    source: 'data-model.md K5',
    targets: emulatorOnly,
    applies: someMutation(
      (one) =>
        (one.kind === 'addToCell' || one.kind === 'mergeToCell') && !isWholeMillis(one.timestamp),
    ),
  },
  {
    name: 'a rejected row is partially applied',
    source: 'data-model.md A3, A4; bigtable.proto: applied atomically; inmem.go, applyMutations',
    targets: emulatorOnly,
    applies: ({ mutations }) => mutations.length > 1,
  },
];

const exceeds = (bytes: Uint8Array | undefined, maxLength: number): boolean =>
  bytes !== undefined && bytes.length > maxLength;
/** A request rule that withholds the operations that match. */
const withholdWhen =
  (matches: (context: RuleContext) => boolean): RequestRule['rewrite'] =>
  (context) => {
    if (!matches(context)) return undefined;
    return { request: undefined };
  };

/** The mutation with its timestamp truncated as a table of milliseconds does. */
function truncatedMutation(mutation: Mutation): Mutation {
  if (mutation.kind !== 'setCell' || mutation.truncate !== true) return mutation;
  const { truncate: _truncate, ...cell } = mutation;
  const micros = BigInt(cell.timestamp);
  return micros < 0n ? cell : { ...cell, timestamp: micros - (micros % 1000n) };
}

/** For a valid merge of NULL, a deletion that deletes nothing. */
function withoutNull(mutation: Mutation, families: Families): Mutation {
  if (mutation.kind !== 'mergeToCell' || mutation.input !== null) return mutation;
  const { family, qualifier, timestamp } = mutation;
  if (!isAggregate(families, family) || !isWholeMillis(timestamp)) return mutation;
  const start = 9_000_000_000_000_000_000n;
  return { kind: 'deleteFromColumn', family, qualifier, start, end: start + 1000n };
}

/** Replaces mutations, and leaves other rules to apply. */
const replaceMutations =
  (replace: (mutation: Mutation, families: Families) => Mutation): RequestRule['rewrite'] =>
  ({ operation, expected, families }) => {
    let replaced = false;
    const all = (mutations: readonly Mutation[]): Mutation[] =>
      mutations.map((mutation) => {
        const other = replace(mutation, families);
        replaced ||= other !== mutation;
        return other;
      });
    const rewritten = withMutations(operation, all);
    if (!replaced) return undefined;
    return { request: { operation: rewritten, expected } };
  };

function withMutations(
  operation: Operation,
  replace: (mutations: readonly Mutation[]) => readonly Mutation[],
): Operation {
  switch (operation.kind) {
    case 'mutateRow':
      return { ...operation, mutations: replace(operation.mutations) };
    case 'mutateRows':
      return {
        ...operation,
        rows: operation.rows.map((row) => ({ ...row, mutations: replace(row.mutations) })),
      };
    case 'check':
      return {
        ...operation,
        onTrue: replace(operation.onTrue),
        onFalse: replace(operation.onFalse),
      };
    default:
      return operation;
  }
}

/** The first rule that applies decides, unless it has `thenOthers`. */
export const requestRules: readonly RequestRule[] = [
  {
    name: 'timestamps of the client are not truncated',
    source: 'data-model.md A8c; data.proto, 2026, Mutation.timestamp_origin',
    targets: emulatorOnly,
    thenOthers: true,
    rewrite: replaceMutations(truncatedMutation),
  },
  {
    name: 'merging NULL is rejected',
    source: 'data-model.md K3b; data.proto, Mutation.MergeToCell.input',
    targets: emulatorOnly,
    thenOthers: true,
    rewrite: replaceMutations(withoutNull),
  },
  {
    name: 'an empty row key in a read is rejected',
    source: 'data-model.md E3b; an engine finds no row for it',
    targets: ['server'],
    rewrite: ({ operation }) => {
      if (operation.kind !== 'read') return undefined;
      if (!operation.keys.some((key) => key.length === 0)) return undefined;
      return { request: { operation, expected: { code: 3 } } };
    },
  },
  {
    name: 'MutateRows without mutations is rejected as a whole',
    source:
      'bigtable.proto, MutateRowsRequest.entries: at least one entry must be specified, and at most 100,000 mutations in total; the Engine interface returns an error for each row',
    targets: ['server', 'emulator'],
    rewrite: ({ operation, expected }) => {
      if (operation.kind !== 'mutateRows' || isError(expected)) return undefined;
      if (operation.rows.some(({ mutations }) => mutations.length > 0)) return undefined;
      return { request: { operation, expected: { code: 3 } } };
    },
  },
  {
    name: 'CheckAndMutateRow without mutations succeeds',
    source: 'data-model.md D1; bigtable.proto, CheckAndMutateRowRequest',
    targets: emulatorOnly,
    rewrite: withholdWhen(
      ({ operation, expected }) =>
        operation.kind === 'check' &&
        isError(expected) &&
        operation.onTrue.length + operation.onFalse.length === 0,
    ),
  },
  {
    name: 'CheckAndMutateRow validates only what it executes',
    source:
      'data-model.md D6, H6; inmem.go, CheckAndMutateRow: filters and branches are validated cell by cell, and the other branch not at all',
    targets: emulatorOnly,
    rewrite: withholdWhen(
      ({ operation, expected }) => operation.kind === 'check' && isError(expected),
    ),
  },
  {
    name: 'ReadModifyWriteRow accepts an empty row key',
    source: 'data-model.md A1; bigtable.proto: non-empty',
    targets: emulatorOnly,
    rewrite: withholdWhen(
      ({ operation }) => operation.kind === 'modify' && operation.key.length === 0,
    ),
  },
  {
    name: 'ReadModifyWriteRow without rules succeeds',
    source: 'data-model.md C9',
    targets: emulatorOnly,
    rewrite: withholdWhen(
      ({ operation }) => operation.kind === 'modify' && operation.rules.length === 0,
    ),
  },
  {
    name: 'ReadModifyWriteRow checks neither sizes nor family types',
    source: 'data-model.md A9, K4',
    targets: emulatorOnly,
    rewrite: withholdWhen(
      ({ operation, families }) =>
        operation.kind === 'modify' &&
        (exceeds(operation.key, 4096) ||
          operation.rules.some(
            (one) => exceeds(one.qualifier, 16_384) || isAggregate(families, one.family),
          )),
    ),
  },
  {
    name: 'a rejected ReadModifyWriteRow is partially applied',
    source: 'data-model.md C5; bigtable.proto, data.proto: or the entire request will fail',
    targets: emulatorOnly,
    rewrite: withholdWhen(
      ({ operation, expected }) =>
        operation.kind === 'modify' && isError(expected) && operation.rules.length > 1,
    ),
  },
  {
    name: 'an empty prefix drops all rows',
    source: 'data-model.md B9; bigtable_table_admin.proto: prefix cannot be zero length',
    targets: emulatorOnly,
    rewrite: withholdWhen(
      ({ operation }) =>
        operation.kind === 'drop' &&
        operation.target.kind === 'prefix' &&
        operation.target.prefix.length === 0,
    ),
  },
  {
    name: 'a rejected ModifyColumnFamilies is partially applied',
    source: 'data-model.md L3b; bigtable_table_admin.proto, ModifyColumnFamilies: atomically',
    targets: emulatorOnly,
    rewrite: withholdWhen(
      ({ operation, expected }) =>
        operation.kind === 'families' && isError(expected) && operation.changes.length > 1,
    ),
  },
  {
    name: 'the size of row keys in reads is not checked',
    source: 'data-model.md A9',
    targets: emulatorOnly,
    rewrite: withholdWhen(({ operation, expected }) => {
      if (operation.kind !== 'read' || !isError(expected)) return false;
      const bounds = operation.ranges.flatMap(({ start, end }) => [start?.key, end?.key]);
      return [...operation.keys, ...bounds].some((key) => exceeds(key, 4096));
    }),
  },
  {
    name: 'a negative limit returns no rows',
    source: 'data-model.md E4',
    targets: emulatorOnly,
    rewrite: withholdWhen(
      ({ operation }) => operation.kind === 'read' && (operation.limit ?? 0) < 0,
    ),
  },
  {
    name: 'a range that ends with the inclusive empty key is not rejected as inverted',
    source:
      'data-model.md E3; data.proto, RowRange: only an end that is not set is the infinite key; the emulator returns no rows',
    targets: emulatorOnly,
    rewrite: withholdWhen(
      ({ operation, expected }) =>
        operation.kind === 'read' &&
        isError(expected) &&
        operation.ranges.some(({ end }) => end !== undefined && !end.open && end.key.length === 0),
    ),
  },
  {
    name: 'filters are validated only when they are applied to a cell',
    source:
      'data-model.md F4 (a negative offset crashes the process), G3, G9, H6, H7, I2, I3, I5; inmem.go, filterRow',
    targets: emulatorOnly,
    rewrite: withholdWhen(
      ({ operation, expected }) =>
        operation.kind === 'read' && isError(expected) && operation.filter !== undefined,
    ),
  },
];

export const toleranceRules: readonly ToleranceRule[] = [
  {
    name: 'sink is ignored',
    source: 'data-model.md G8; data.proto, RowFilter.sink; inmem.go, includeCell',
    targets: emulatorOnly,
    applies: (filter) => contains(filter, ['sink']),
  },
  {
    name: 'row samples are random',
    source: 'data.proto, RowFilter.row_sample_filter; our engines use the random number 0.5 here',
    targets: emulatorOnly,
    applies: (filter) => contains(filter, ['rowSample']),
  },
  {
    name: 'value bitmasks are ignored',
    source: 'data-model.md G13; data.proto (2026), ValueBitmask',
    targets: emulatorOnly,
    applies: (filter) => contains(filter, ['valueBitmask']),
  },
  {
    name: 'stripping values removes labels',
    source: 'data-model.md G9; inmem.go, modifyCell',
    targets: emulatorOnly,
    applies: labelsThenStrips,
  },
  {
    name: 'cells of several families are counted in random order',
    source: 'data-model.md F1, F2; inmem.go, filterRow: range r.families',
    targets: emulatorOnly,
    applies: countsAcrossFamilies,
  },
  {
    name: 'more than twelve equal cells are counted in any order',
    source:
      'inmem.go, filterRow: sort.Sort is stable only up to twelve elements (Go, sort.insertionSort)',
    targets: emulatorOnly,
    applies: (filter) => breaksTies(filter, true),
  },
];

function mapRows(response: TargetResponse, change: (row: PlainRow) => PlainRow): TargetResponse {
  if (!('rows' in response)) return response;
  return { rows: response.rows.map(change) };
}

/** Maps the status codes of errors. */
function mapCodes(response: TargetResponse, change: (code: number) => number): TargetResponse {
  if (isError(response)) return { code: change(response.code) };
  if ('statuses' in response) return { statuses: response.statuses.map(change) };
  return response;
}

const compareText = (a: string, b: string): number => Number(a > b) - Number(a < b);
const compareFamilies = (a: PlainCell, b: PlainCell): number => compareText(a.family, b.family);
const compareCells = (a: PlainCell, b: PlainCell): number =>
  compareFamilies(a, b) ||
  compareText(a.qualifier, b.qualifier) ||
  Number(b.timestamp) - Number(a.timestamp) ||
  compareText(JSON.stringify(a), JSON.stringify(b));

export const normalizationRules: readonly NormalizationRule[] = [
  {
    name: 'different status codes',
    source: 'data-model.md A2, A8, B4, C3, L3b: UNKNOWN, and INTERNAL in MutateRows',
    targets: emulatorOnly,
    normalize: (response) => mapCodes(response, (code) => (code === 0 ? 0 : 3)),
  },
  {
    name: 'a rejected row with the empty key is sampled',
    source:
      'data-model.md A1, B5; bigtable.proto, SampleRowKeysResponse.row_key: the empty key is the end of the table and comes last',
    targets: emulatorOnly,
    normalize: (response) => {
      if (!('samples' in response) || response.samples !== emptyKeyNotLast) return response;
      return { ...response, samples: validSamples };
    },
  },
  {
    name: 'sample offsets count only values',
    source:
      'bigtable.proto, SampleRowKeysResponse.offset_bytes: approximate total storage space; inmem.go, row.size',
    targets: emulatorOnly,
    normalize: (response) => {
      if (!('samples' in response)) return response;
      return { ...response, hasBytes: false };
    },
  },
  {
    name: 'families that one request creates are in random order',
    source: 'data-model.md E1; data.proto: the mutual ordering of column families is not specified',
    targets: emulatorOnly,
    normalize: (response) =>
      mapRows(response, ({ key, cells }) => ({ key, cells: cells.toSorted(compareFamilies) })),
  },
  {
    name: 'more than twelve equal cells are returned in any order',
    source: 'data.proto, RowFilter.Interleave: in an unspecified order; inmem.go: sort.Sort',
    targets: emulatorOnly,
    normalize: (response, { operation }) => {
      if (operation.kind !== 'read' || operation.filter === undefined) return response;
      if (!breaksTies(operation.filter, false)) return response;
      return mapRows(response, ({ key, cells }) => ({ key, cells: cells.toSorted(compareCells) }));
    },
  },
  {
    name: 'any of several errors may be reported',
    source:
      'the Engine interface does not define which of several errors of an operation is reported; test/engines/conformance.ts checks the code of each error alone',
    targets: ['engine', 'server'],
    normalize: (response, { operation }) => {
      if (!mayHaveSeveralErrors(operation)) return response;
      return mapCodes(response, (code) => (code === 5 || code === 9 ? 3 : code));
    },
  },
];

function mayHaveSeveralErrors(operation: Operation): boolean {
  switch (operation.kind) {
    case 'mutateRow':
      return (
        operation.mutations.length > 1 ||
        operation.key.length === 0 ||
        operation.key.length > 4096 ||
        operation.mutations.some((one) => 'qualifier' in one)
      );
    case 'read':
      return operation.filter !== undefined;
    case 'families':
      return operation.changes.length > 1;
    case 'modify':
    case 'mutateRows':
    case 'check':
      return true;
    default:
      return false;
  }
}
