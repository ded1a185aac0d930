/**
 * Cases of docs/data-model.md, sections A to D and J to L: writes, deletions, garbage collection,
 * aggregates, tables.
 */
import type {
  FamilyChange,
  FamilySchema,
  GcRule,
  TableSchema,
} from '../../src/data/store/index.js';
import type { StepResult, FidelityCase, Step } from './step.js';
import {
  add,
  append,
  bytes,
  columns,
  delColumn,
  delFamily,
  delRow,
  family,
  hex,
  increment,
  merge,
  modify,
  perColumn,
  put,
  reads,
  readsRange,
  set,
  truncated,
} from './steps.js';

/** The initial time of a case, in microseconds (fidelity.ts, caseStart). */
const now = 1_700_000_000_000_000;
const minute = 60_000_000;
const day = 1440 * minute;
const versions = [1000, 2000, 3000, 4000].map((time) => set('a', 'q', `${time / 1000}`, time));
const invalid = (...mutations: Parameters<typeof put>[1]) =>
  put('k', mutations, 'INVALID_ARGUMENT');
const check = (
  key: string,
  step: Omit<Step & { op: 'check' }, 'op' | 'key'>,
  result: StepResult,
): readonly [Step, StepResult] => [{ op: 'check', key: bytes(key), ...step }, result];
const families = (result: StepResult, ...changes: FamilyChange[]): readonly [Step, StepResult] => [
  { op: 'families', changes },
  result,
];
const create = (
  result: StepResult,
  schema: Omit<TableSchema, 'families'>,
  ...tableFamilies: [string, FamilySchema][]
): readonly [Step, StepResult] => [
  { op: 'createTable', schema: { ...schema, families: new Map(tableFamilies) } },
  result,
];
const rule = (gc: GcRule): readonly [string, FamilySchema] => ['f', { gc }];
const compact: readonly [Step, StepResult] = [{ op: 'compact' }, undefined];
const noSamples: readonly [Step, StepResult] = [{ op: 'sample' }, ['@0']];

const maxVersions = (count: number): GcRule => ({ kind: 'maxVersions', versions: count });
const maxAge = (micros: number): GcRule => ({ kind: 'maxAge', micros });
const union = (...rules: GcRule[]): GcRule => ({ kind: 'union', rules });
const intersection = (...rules: GcRule[]): GcRule => ({ kind: 'intersection', rules });
const ages = { new: minute, new2: 2 * minute, new3: 3 * minute, old: 2 * day, ancient: 60 * day };
const aged = put(
  'r',
  Object.entries(ages).map(([text, age]) => set('g', 'q', text, now - age)),
);
const remaining = (...texts: (keyof typeof ages)[]) =>
  reads([`r{${texts.map((text) => `g:q@${now - ages[text]}=${text}`).join(' ')}}`]);
const all = remaining('new', 'new2', 'new3', 'old', 'ancient');
const counters = {
  sum: { aggregate: 'sum' },
  min: { aggregate: 'min' },
  max: { aggregate: 'max' },
  a: {},
} as const;
const state = (text: string): string => Buffer.from(hex(text)).toString('latin1');

/** Sections A to D and J to L. */
export const writeCases: readonly FidelityCase[] = [
  {
    id: 'A1',
    title: 'an empty row key is rejected',
    emulatorDifference:
      'ReadModifyWriteRow stores the row; an entry of MutateRows returns INTERNAL (data.proto: non-empty)',
    steps: [
      put('', [set('a', 'q', 'v')], 'INVALID_ARGUMENT'),
      [
        {
          op: 'mutateRows',
          rows: [
            { key: bytes(''), mutations: [set('a', 'q', 'v')] },
            { key: bytes('k'), mutations: [set('a', 'q', 'v')] },
          ],
        },
        ['INVALID_ARGUMENT', 'OK'],
      ],
      check('', { onFalse: [set('a', 'q', 'v')] }, 'INVALID_ARGUMENT'),
      modify('', [increment('q', 1n)], 'INVALID_ARGUMENT'),
      reads(['k{a:q@1000=v}']),
    ],
  },
  {
    id: 'A2',
    title: 'an unknown family is NOT_FOUND',
    emulatorDifference: 'UNKNOWN; DeleteFromFamily succeeds (java-bigtable 32)',
    steps: [
      put('k', [set('zz', 'q', 'v')], 'FAMILY_NOT_FOUND'),
      put('k', [delColumn('q', undefined, undefined, 'zz')], 'FAMILY_NOT_FOUND'),
      put('k', [delFamily('zz')], 'FAMILY_NOT_FOUND'),
      modify('k', [increment('q', 1n, 'zz')], 'FAMILY_NOT_FOUND'),
      reads([]),
    ],
  },
  {
    id: 'A3',
    title: 'a rejected row mutation has no effect',
    emulatorDifference:
      'applies the mutations before the rejected one (bigtable.proto: atomically)',
    steps: [put('k', [set('a', 'q', 'v1'), set('zz', 'q', 'x')], 'FAMILY_NOT_FOUND'), reads([])],
  },
  {
    id: 'A4',
    title: 'entries of MutateRows are independent',
    emulatorDifference: 'applies part of the rejected entry',
    steps: [
      [
        {
          op: 'mutateRows',
          rows: [
            ['m1', 'a'],
            ['m2', 'zz'],
            ['m3', 'a'],
          ].map(([key, name]) => ({
            key: bytes(key),
            mutations: [set('a', 'q', '1'), set(name, 'r', '2')],
          })),
        },
        ['OK', 'FAMILY_NOT_FOUND', 'OK'],
      ],
      reads(['m1{a:q@1000=1 a:r@1000=2}', 'm3{a:q@1000=1 a:r@1000=2}']),
    ],
  },
  {
    id: 'A5',
    title: 'an entry without mutations is rejected',
    emulatorDifference: 'succeeds (bigtable.proto: at least one mutation)',
    steps: [
      [
        {
          op: 'mutateRows',
          rows: [
            { key: bytes('z1'), mutations: [] },
            { key: bytes('z2'), mutations: [set('a', 'q', 'v')] },
          ],
        },
        ['INVALID_ARGUMENT', 'OK'],
      ],
      put('z', [], 'INVALID_ARGUMENT'),
    ],
  },
  {
    id: 'A6',
    title: 'mutations are applied in order',
    steps: [
      put('k', [set('a', 'q', 'x'), delColumn('q'), set('a', 'q', 'y', 2000)]),
      reads(['k{a:q@2000=y}']),
      put('k', [delRow, set('b', 'q', 'new', 500_000)]),
      reads(['k{b:q@500000=new}']),
      put('k', [set('a', 'q', 'x'), delRow]),
      reads([]),
    ],
  },
  {
    id: 'A8',
    title: 'timestamps are whole milliseconds, or the time of the server',
    emulatorDifference: 'returns UNKNOWN for invalid timestamps',
    steps: [
      invalid(set('a', 'q', 'v', -2)),
      invalid(set('a', 'q', 'v', 1001)),
      invalid(set('a', 'q', 'v', 9223372036854775807n)),
      put('k', [
        set('a', 'now', 'v', -1),
        set('a', 'last', 'v', 9223372036854775000n),
        set('a', 'zero', 'v', 0),
      ]),
      reads([`k{a:last@9223372036854775000=v a:now@${now}=v a:zero@0=v}`]),
    ],
  },
  {
    id: 'A8b',
    title: 'with microsecond granularity any timestamp is accepted',
    granularity: 'micros',
    emulatorDifference: 'does not support it (table.proto, 2026)',
    steps: [
      put('k', [set('a', 'q', 'v', 1001), set('a', 'q', 'w', 1002)]),
      reads(['k{a:q@1002=w a:q@1001=v}']),
      reads(['k{a:q@1001=v}'], { kind: 'timestampRange', start: 1001, end: 1002 }),
      put('k', [delColumn('q', 1002, 1003)]),
      reads(['k{a:q@1001=v}']),
    ],
  },
  {
    id: 'A8c',
    title: 'a timestamp that the client generated is truncated to the granularity',
    emulatorDifference: 'does not support it (data.proto, 2026)',
    steps: [
      put('row', [truncated('a', 'q', 'v', 1001), truncated('a', 'p', 'v', 2999n)]),
      [
        {
          op: 'mutateRows',
          rows: [
            { key: bytes('rows1'), mutations: [truncated('a', 'q', 'v', 1001)] },
            { key: bytes('rows2'), mutations: [truncated('a', 'q', 'v', -2)] },
            { key: bytes('rows3'), mutations: [truncated('a', 'q', 'v', 5999), delFamily('b')] },
          ],
        },
        ['OK', 'INVALID_ARGUMENT', 'OK'],
      ],
      check('true', { onFalse: [truncated('a', 'q', 'v', 1001), set('b', 'q', 'w')] }, false),
      check('true', { onTrue: [truncated('a', 'r', 'v', 9223372036854775807n)] }, true),
      put('now', [truncated('a', 'q', 'v', -1)]),
      invalid(truncated('a', 'q', 'v', -2)),
      reads([
        `now{a:q@${now}=v}`,
        'row{a:p@2000=v a:q@1000=v}',
        'rows1{a:q@1000=v}',
        'rows3{a:q@5000=v}',
        'true{a:q@1000=v a:r@9223372036854775000=v b:q@1000=w}',
      ]),
    ],
  },
  {
    id: 'A8d',
    title: 'microsecond granularity keeps a timestamp that the client generated',
    granularity: 'micros',
    emulatorDifference: 'does not support it (data.proto, 2026)',
    steps: [put('k', [truncated('a', 'q', 'v', 1001)]), reads(['k{a:q@1001=v}'])],
  },
  {
    id: 'A9',
    title: 'row keys, qualifiers and mutations are limited',
    emulatorDifference: 'enforces none (bigtable.proto)',
    steps: [
      put('k'.repeat(4096), [set('a', 'q', 'v')]),
      put('k'.repeat(4097), [set('a', 'q', 'v')], 'LIMIT_EXCEEDED'),
      put('q', [set('a', 'q'.repeat(16_384), 'v')]),
      put('q', [set('a', 'q'.repeat(16_385), 'v')], 'LIMIT_EXCEEDED'),
      put(
        'm',
        new Array<ReturnType<typeof set>>(100_001).fill(set('a', 'q', 'v')),
        'LIMIT_EXCEEDED',
      ),
    ],
  },
  {
    id: 'A10',
    title: 'an empty qualifier and an empty value are valid',
    steps: [put('k', [set('a', '', '')]), reads(['k{a:@1000=}'])],
  },

  {
    id: 'B1',
    title: 'cells of a column are deleted by timestamp range',
    steps: [
      put('x', [...versions, delColumn('q', 2000, 4000)]),
      reads(['x{a:q@4000=4 a:q@1000=1}']),
    ],
  },
  {
    id: 'B3',
    title: 'a bound of 0 is unbounded',
    steps: [
      put('x', [...versions, delColumn('q', 0, 3000)]),
      put('y', [...versions, delColumn('q', 3000, 0)]),
      reads(['x{a:q@4000=4 a:q@3000=3}', 'y{a:q@2000=2 a:q@1000=1}']),
    ],
  },
  {
    id: 'B4',
    title: 'invalid ranges are rejected whether or not the row exists',
    emulatorDifference: 'succeeds if the row does not exist, otherwise UNKNOWN',
    steps: [
      [3000, 1000],
      [2000, 2000],
      [-1000, 1000],
      [1500, 2500],
    ].map(([start, end]) => invalid(delColumn('q', start, end))),
  },
  {
    id: 'B5',
    title: 'deleting what does not exist creates no row',
    emulatorDifference: 'SampleRowKeys returns the row that never existed',
    steps: [
      put('k', [delRow]),
      put('k', [delColumn('q')]),
      put('k', [delFamily('a')]),
      reads([]),
      noSamples,
    ],
  },
  {
    id: 'B6',
    title: 'a row disappears with its last cell',
    steps: [
      put('k', [set('a', 'q', 'v')]),
      put('k', [delColumn('q')]),
      reads([]),
      check('k', { onFalse: [set('a', 'q', 'new')] }, false),
      reads(['k{a:q@1000=new}']),
    ],
  },
  {
    id: 'B8',
    title: 'a deletion does not mask later writes',
    steps: [
      put('x1', [set('a', 'q', 'v', 5000)]),
      put('x1', [delRow]),
      put('x1', [set('a', 'q', 'back', 1000)]),
      reads(['x1{a:q@1000=back}']),
    ],
  },
  {
    id: 'B9',
    title: 'rows are dropped by prefix',
    emulatorDifference:
      'an empty prefix deletes all rows (bigtable_table_admin.proto: cannot be zero length)',
    steps: [
      ...['x1', 'x2', 'y', '\xfe', '\xff\xff', '\xff\xff\x01'].map((key) =>
        put(key, [set('a', 'q', 'v')]),
      ),
      [{ op: 'drop', target: { kind: 'prefix', prefix: bytes('x') } }, undefined],
      [{ op: 'drop', target: { kind: 'prefix', prefix: hex('ffff') } }, undefined],
      reads(['y{a:q@1000=v}', '\xfe{a:q@1000=v}']),
      [{ op: 'drop', target: { kind: 'prefix', prefix: bytes('') } }, 'INVALID_ARGUMENT'],
      [{ op: 'drop', target: { kind: 'all' } }, undefined],
      reads([]),
    ],
  },

  {
    id: 'C1',
    title: 'an increment starts at 0 and may become negative',
    steps: [
      modify('k', [increment('n', 5n)], [`k{a:n@${now}=${state('0000000000000005')}}`]),
      modify('k', [increment('n', -7n)], [`k{a:n@${now}=${state('fffffffffffffffe')}}`]),
    ],
  },
  {
    id: 'C2',
    title: 'the response contains only changed cells',
    steps: [
      put('k', [set('a', 'other', 'v')]),
      modify('k', [append('s', 'abc')], [`k{a:s@${now}=abc}`]),
      modify('k', [append('s', 'def')], [`k{a:s@${now}=abcdef}`]),
    ],
  },
  {
    id: 'C3',
    title: 'incrementing a value that is not 8 bytes long fails; appends may create an integer',
    emulatorDifference: 'returns UNKNOWN',
    steps: [
      put('k', [set('a', 'n', 'abcdef'), set('a', 'e', '')]),
      modify('k', [increment('n', 1n)], 'FAILED_PRECONDITION'),
      modify('k', [append('x', 'y'), increment('e', 1n)], 'FAILED_PRECONDITION'),
      reads(['k{a:e@1000= a:n@1000=abcdef}']),
      modify(
        'm',
        [append('n', state('000000')), append('n', state('0000000011')), increment('n', 8n)],
        [`m{a:n@${now}=${state('0000000000000019')}}`],
      ),
    ],
  },
  {
    id: 'C5',
    title: 'if one rule is rejected, none is applied',
    emulatorDifference: 'applies the first rule',
    steps: [modify('k', [append('s', 'A'), append('s', 'B', 'zz')], 'FAMILY_NOT_FOUND'), reads([])],
  },
  {
    id: 'C7',
    title: 'a later change is a new version',
    steps: [
      modify('k', [append('s', 'A')], [`k{a:s@${now}=A}`]),
      [{ op: 'wait', ms: 1 }, undefined],
      modify('k', [append('s', 'B')], [`k{a:s@${now + 1000}=AB}`]),
      reads([`k{a:s@${now + 1000}=AB a:s@${now}=A}`]),
    ],
  },
  {
    id: 'C9',
    title: 'a request without rules is rejected and creates no row',
    emulatorDifference: 'succeeds (bigtable.proto: at least one)',
    steps: [
      modify('k', [], 'INVALID_ARGUMENT'),
      modify(
        'k',
        [{ kind: 'magic', family: 'a', qualifier: bytes('q') } as never],
        'INVALID_ARGUMENT',
      ),
      reads([]),
      noSamples,
    ],
  },

  {
    id: 'D1',
    title: 'a check without mutations is rejected',
    emulatorDifference: 'succeeds (bigtable.proto)',
    steps: [check('k', {}, 'INVALID_ARGUMENT')],
  },
  {
    id: 'D2',
    title: 'without a predicate, the row is checked for cells',
    steps: [
      check('k', { onTrue: [set('a', 't', 'v')], onFalse: [set('a', 'f', 'v')] }, false),
      check('k', { onTrue: [set('a', 't', 'v')], onFalse: [set('a', 'f', 'v')] }, true),
      reads(['k{a:f@1000=v a:t@1000=v}']),
    ],
  },
  {
    id: 'D4',
    title: 'the selected branch may be empty',
    steps: [
      put('k', [set('a', 'q', 'v')]),
      check('k', { predicate: columns('[q,q]'), onFalse: [delRow] }, true),
      reads(['k{a:q@1000=v}']),
    ],
  },
  {
    id: 'D6',
    title: 'a rejected branch has no effect',
    emulatorDifference: 'applies the mutations before the rejected one',
    steps: [
      check(
        'k',
        { predicate: family('a'), onFalse: [set('a', 'q', 'v'), set('zz', 'q', 'v')] },
        'FAMILY_NOT_FOUND',
      ),
      reads([]),
    ],
  },
  {
    id: 'D6b',
    title: 'the branch that is not taken is validated, too',
    emulatorDifference: 'ignores that branch',
    steps: [
      put('k', [set('a', 'q', 'v')]),
      check(
        'k',
        { onTrue: [set('a', 'q', 'w')], onFalse: [set('zz', 'q', 'v')] },
        'FAMILY_NOT_FOUND',
      ),
      check(
        'none',
        { onTrue: [set('zz', 'q', 'v')], onFalse: [set('a', 'q', 'w')] },
        'FAMILY_NOT_FOUND',
      ),
      reads(['k{a:q@1000=v}']),
    ],
  },

  {
    id: 'J1',
    title: 'expired versions are readable until garbage is collected',
    gc: 'lazy',
    families: { g: { gc: maxVersions(1) } },
    emulatorDifference: 'never applies rules set when the table is created',
    steps: [aged, all, compact, remaining('new')],
  },
  {
    id: 'J1b',
    title: 'in the mode onRead expired versions are hidden immediately',
    families: { g: { gc: maxVersions(1) } },
    steps: [aged, remaining('new')],
  },
  {
    id: 'J2',
    title: 'a union collects what any of its rules collects',
    gc: 'manual',
    families: { g: { gc: union(maxVersions(2), maxAge(day)) } },
    steps: [aged, all, compact, remaining('new', 'new2')],
  },
  {
    id: 'J3',
    title: 'an intersection collects what all of its rules collect',
    gc: 'lazy',
    families: { g: { gc: intersection(maxVersions(1), maxAge(day)) } },
    steps: [aged, compact, remaining('new', 'new2', 'new3')],
  },
  {
    id: 'J4',
    title: 'rules nest',
    gc: 'lazy',
    families: { g: { gc: union(maxAge(30 * day), intersection(maxVersions(2), maxAge(day))) } },
    steps: [aged, compact, remaining('new', 'new2', 'new3')],
  },
  {
    id: 'J5',
    title: 'empty rules keep everything, invalid rules are rejected',
    gc: 'lazy',
    families: { g: { gc: union() } },
    emulatorDifference: 'accepts 0 versions and ages below a millisecond (table.proto, GcRule)',
    steps: [
      aged,
      compact,
      all,
      families(undefined, { kind: 'update', family: 'g', gc: intersection() }),
      compact,
      all,
      ...[
        maxVersions(0),
        maxVersions(-1),
        maxAge(999),
        union(maxVersions(0)),
        union(...new Array<GcRule>(126).fill(maxVersions(1))),
      ].map((gc) =>
        families('INVALID_ARGUMENT', { kind: 'create', family: 'f', schema: rule(gc)[1] }),
      ),
      families(undefined, {
        kind: 'create',
        family: 'f',
        schema: { gc: union(...new Array<GcRule>(120).fill(maxVersions(1))) },
      }),
    ],
  },
  {
    id: 'J6',
    title: 'a row does not exist once all of its cells have been collected',
    gc: 'lazy',
    families: { g: { gc: maxAge(day) } },
    steps: [
      put('k1', [set('g', 'q', 'old', now - 2 * day)]),
      put('k2', [set('g', 'q', 'new', now)]),
      compact,
      reads([`k2{g:q@${now}=new}`]),
      readsRange([`k2{g:q@${now}=new}`], { limit: 1 }),
      check('k1', { onFalse: [set('g', 'q', 'x', now)] }, false),
    ],
  },
  {
    id: 'J6b',
    title: 'a row is not sampled once all of its cells have been collected',
    gc: 'lazy',
    families: { g: { gc: maxAge(day) } },
    steps: [put('k1', [set('g', 'q', 'old', now - 2 * day)]), compact, reads([]), noSamples],
  },
  {
    id: 'J7',
    title: 'a collected column that is rewritten has one cell',
    gc: 'lazy',
    families: { g: { gc: maxAge(day) } },
    emulatorDifference: 'returns two equal cells',
    steps: [
      put('k', [set('g', 'q', 'old', now - 2 * day)]),
      compact,
      put('k', [set('g', 'q', 'new', now)]),
      reads([`k{g:q@${now}=new}`]),
    ],
  },
  {
    id: 'J9',
    title:
      'a new rule applies to existing cells at the next collection; removing it restores nothing',
    gc: 'lazy',
    families: { g: {} },
    steps: [
      aged,
      families(undefined, { kind: 'update', family: 'g', gc: maxVersions(2) }),
      all,
      compact,
      remaining('new', 'new2'),
      families(undefined, { kind: 'update', family: 'g', gc: undefined }),
      compact,
      remaining('new', 'new2'),
    ],
  },
  {
    id: 'J9b',
    title: 'in the mode onRead a relaxed rule restores no hidden cells',
    families: { g: { gc: maxVersions(1) } },
    steps: [
      aged,
      remaining('new'),
      families(undefined, { kind: 'update', family: 'g', gc: undefined }),
      remaining('new'),
    ],
  },

  {
    id: 'K1',
    title: 'sum, min and max of int64',
    families: counters,
    emulatorDifference: 'supports only sum',
    steps: [
      ...[5n, -7n, 3n].map((input) =>
        put('k', [add('sum', input), add('min', input), add('max', input)]),
      ),
      reads([
        `k{max:q@1000=${state('0000000000000005')} min:q@1000=${state('fffffffffffffff9')} sum:q@1000=${state('0000000000000001')}}`,
      ]),
    ],
  },
  {
    id: 'K3',
    title: 'states are merged',
    families: counters,
    emulatorDifference: 'families in random order, as in E1',
    steps: [
      put('k', [merge('sum', hex('000000000000000a')), merge('sum', hex('fffffffffffffffd'))]),
      put('k', [merge('min', hex('0000000000000001')), merge('min', hex('fffffffffffffffd'))]),
      reads([`k{min:q@1000=${state('fffffffffffffffd')} sum:q@1000=${state('0000000000000007')}}`]),
    ],
  },
  {
    id: 'K3b',
    title: 'merging NULL has no effect',
    emulatorDifference: 'rejects NULL (data.proto, Mutation.MergeToCell.input)',
    families: counters,
    steps: [
      put('k', [merge('sum', null)]),
      reads([]),
      put('k', [add('sum', 5n), merge('sum', null)]),
      put('k', [merge('sum', null)]),
      reads([`k{sum:q@1000=${state('0000000000000005')}}`]),
      invalid(merge('a', null)),
      put('k', [merge('zz', null)], 'FAMILY_NOT_FOUND'),
    ],
  },
  {
    id: 'K4',
    title: 'mutations must match the type of the family, and states have 8 bytes',
    families: counters,
    emulatorDifference: 'accepts SetCell and ReadModifyWriteRow; a short state crashes the process',
    steps: [
      invalid(add('a', 1n)),
      invalid(merge('a', hex('0000000000000001'))),
      invalid(set('sum', 'q', 'v')),
      modify('k', [increment('q', 1n, 'sum')], 'INVALID_ARGUMENT'),
      invalid(merge('sum', hex('01'))),
      invalid(add('sum', 'text' as never)),
      invalid(add('sum', undefined as never)),
      reads([]),
    ],
  },
  {
    id: 'K5',
    title: 'the timestamp is part of the identity of an aggregate cell',
    families: counters,
    emulatorDifference: 'accepts fractions of a millisecond',
    steps: [
      invalid(add('sum', 1n, -1)),
      invalid(add('sum', 1n, 1500)),
      put('k', [add('sum', 1n, 1000), add('sum', 2n, 2000)]),
      reads([`k{sum:q@2000=${state('0000000000000002')}}`], perColumn(1)),
    ],
  },
  {
    id: 'K7',
    title: 'changing the rule of a family keeps its type',
    families: counters,
    steps: [
      families(undefined, { kind: 'update', family: 'sum', gc: maxVersions(1) }),
      [{ op: 'schema' }, { ...counters, sum: { aggregate: 'sum', gc: maxVersions(1) } }],
    ],
  },
  {
    id: 'K8',
    title: 'an unsupported aggregate is rejected, and its family not created',
    emulatorDifference: 'creates the family',
    steps: [
      families('UNSUPPORTED', {
        kind: 'create',
        family: 'h',
        schema: { aggregate: 'hll' as never },
      }),
    ],
  },

  {
    id: 'L2',
    title: 'names of families and tables',
    emulatorDifference: 'accepts all names (table.proto)',
    steps: [
      ...['', '-f', 'f:g', 'f'.repeat(65), 'fé'].map((name) =>
        families('INVALID_ARGUMENT', { kind: 'create', family: name, schema: {} }),
      ),
      families(undefined, { kind: 'create', family: '_-.9'.padEnd(64, 'f'), schema: {} }),
      ...['', '.t', 't'.repeat(51), 'a b'].map((name) => create('INVALID_ARGUMENT', { name })),
      create(undefined, { name: '_-.9'.padEnd(50, 't') }),
      create('INVALID_ARGUMENT', { name: 'u' }, ['-f', {}]),
    ],
  },
  {
    id: 'L3',
    title: 'existing, missing and protected tables',
    steps: [
      create('TABLE_EXISTS', { name: 't' }),
      [{ op: 'deleteTable', table: 'none' }, 'TABLE_NOT_FOUND'],
      [{ op: 'updateTable', deletionProtection: true }, undefined],
      [{ op: 'deleteTable', table: 't' }, 'FAILED_PRECONDITION'],
      families(
        'FAILED_PRECONDITION',
        { kind: 'create', family: 'c', schema: {} },
        { kind: 'drop', family: 'b' },
      ),
      [{ op: 'schema' }, { a: {}, b: {} }],
      [{ op: 'updateTable', deletionProtection: false }, undefined],
      families(undefined, { kind: 'drop', family: 'b' }),
      [{ op: 'deleteTable', table: 't' }, undefined],
      reads('TABLE_NOT_FOUND'),
      put('k', [set('a', 'q', 'v')], 'TABLE_NOT_FOUND'),
    ],
  },
  {
    id: 'L3b',
    title: 'changes of families are applied together or not at all',
    emulatorDifference: 'returns UNKNOWN',
    steps: [
      families(
        'FAMILY_NOT_FOUND',
        { kind: 'create', family: 'c', schema: {} },
        { kind: 'drop', family: 'none' },
      ),
      [{ op: 'schema' }, { a: {}, b: {} }],
    ],
  },
  {
    id: 'L4',
    title: 'consistency tokens',
    steps: [
      [{ op: 'token' }, true],
      [{ op: 'token', bogus: 'nonsense' }, 'INVALID_ARGUMENT'],
    ],
  },
];
