/**
 * Which rows of a request are encoded as records, one after another: each has its own cells only,
 * and the rows before it do not make it one that is applied as mutations, which takes longer.
 */
import {
  MutatedRow,
  type PendingRow,
  PendingRowFactory,
  PreparedRow,
} from '../../../src/engines/local/row/prepared-row.js';
import { tableState } from '../../../src/engines/local/table/table-state.js';
import type { Mutation, RowMutation } from '../../../src/data/store/index.js';

type SetCell = Extract<Mutation, { kind: 'setCell' }>;

const table = (granularity: 'millis' | 'micros') =>
  tableState(
    { id: 1, name: 't', nextFamily: 2, splitKeys: [], granularity, deletionProtection: false },
    [
      { id: 0, name: 'f', schema: {} },
      { id: 1, name: 'sums', schema: { aggregate: 'sum' } },
    ],
  );
const cell = (qualifier: string, changed: Partial<SetCell> = {}): SetCell => ({
  kind: 'setCell',
  family: 'f',
  qualifier: Buffer.from(qualifier),
  timestamp: 1000,
  value: Buffer.from('value'),
  ...changed,
});
const row = (...mutations: readonly Mutation[]): RowMutation => ({
  key: Buffer.from('key'),
  mutations,
});
const cells = (count: number, value = 'v'): SetCell[] =>
  Array.from({ length: count }, (_, i) => cell(`q${i}`, { value: Buffer.from(value) }));

const invalid = expect.objectContaining({ code: 'INVALID_ARGUMENT' }) as Error;

/** The row after other rows, which must have no effect on it. */
function created(next: RowMutation, granularity: 'millis' | 'micros' = 'millis'): PendingRow {
  const factory = new PendingRowFactory(table(granularity), 4);
  factory.create(0, row(cell('z', { timestamp: -1 }), cell('y')));
  factory.create(1, row(cell('x', { family: 'sums' })));
  expect(() => factory.create(2, row(cell('w', { timestamp: -2 })))).toThrow(invalid);
  return factory.create(3, next);
}

test('each row has its own cells and size, after hundreds of others', () => {
  const factory = new PendingRowFactory(table('millis'), 1000);
  for (let i = 0; i < 1000; i++) {
    const own = [cell(`a${i}`), cell(`b${i}`, i === 500 ? { timestamp: -1n } : {})];
    const before = factory.bytes;
    const pending = factory.create(i, row(...own));
    if (!(pending instanceof PreparedRow)) throw new Error('the row is not encoded');
    expect(pending.needsCommitTime).toBe(i === 500);
    expect(factory.bytes - before).toBe(pending.end - pending.recordStart);
    const found = pending.mutations().mutations as readonly SetCell[];
    expect(found.map(({ qualifier }) => Buffer.from(qualifier).toString())).toEqual([
      `a${i}`,
      `b${i}`,
    ]);
  }
});

test.each<[string, RowMutation, typeof PreparedRow | typeof MutatedRow]>([
  ['a cell', row(cell('q')), PreparedRow],
  ['256 cells', row(...cells(256)), PreparedRow],
  ['257 cells', row(...cells(257)), MutatedRow],
  ['cells of 12 KB', row(...cells(4, 'v'.repeat(3000))), PreparedRow],
  ['cells of 40 KB', row(...cells(10, 'v'.repeat(4000))), MutatedRow],
  ['an aggregated family', row(cell('q', { family: 'sums' })), MutatedRow],
  ['a family that does not exist', row(cell('q', { family: 'missing' })), MutatedRow],
  ['a token', { ...row(cell('q')), token: Buffer.alloc(16) }, MutatedRow],
  ['a timestamp to truncate', row(cell('q', { timestamp: 1001, truncate: true })), PreparedRow],
])('a row with %s', (_what, next, kind) => {
  expect(created(next)).toBeInstanceOf(kind);
});

test('timestamps are truncated in tables of milliseconds only', () => {
  const next = row(cell('q', { timestamp: 1_234_567n, truncate: true }));
  const times = (['millis', 'micros'] as const).map((granularity) => {
    const pending = created(next, granularity);
    expect(pending).toBeInstanceOf(PreparedRow);
    return (pending.mutations().mutations[0] as SetCell).timestamp;
  });
  expect(times).toEqual([1_234_000n, 1_234_567n]);
});

test.each<[string, RowMutation]>([
  ['no mutations', row()],
  ['an empty key', { ...row(cell('q')), key: Buffer.of() }],
  ['a negative timestamp', row(cell('q', { timestamp: -1000 }))],
])('a row with %s is rejected', (_what, next) => {
  expect(() => created(next)).toThrow(invalid);
});
