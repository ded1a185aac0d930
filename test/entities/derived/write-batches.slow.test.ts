/** Bulk writes of embedded engines: the rows of a batch, with what follows from them, in one commit. */
import { everyKey, type RowsmithError } from '../../../src/base/index.js';
import { openMemoryEngine } from '../../../src/engines/local/index.js';
import type { Database } from '../../../src/entities/repository/database/database.js';
import { collectRows, type Mutation } from '../../../src/data/store/index.js';
import { DelegatingEngine } from '../../support/delegating-engine.js';
import fc from '../../support/fast-check.js';
import { Job, program, readAll, start, Stopping, Watched } from './jobs.js';

type Values = Partial<Job>;

const jobs = (db: Database) => db.repository(Job);
const keyOf = (id: number, team = 'a') => ({ team, at: new Date(start + id), id });
const job = (db: Database, id: number, values: Values): Job =>
  jobs(db).create({ ...keyOf(id), ...values });

const id = fc.integer({ min: 1, max: 5 });
const values: fc.Arbitrary<Values> = fc.record(
  {
    status: fc.constantFrom('open', 'paid'),
    points: fc.integer({ min: -3, max: 3 }),
    note: fc.constantFrom('n', 'm'),
  },
  { requiredKeys: [] },
);
const nulls = fc.record({ status: fc.constant(null), points: fc.constant(null) });
const bulk = <T>(each: fc.Arbitrary<T>) => fc.array(each, { minLength: 1, maxLength: 8 });
type Call = (db: Database) => Promise<{ readonly failures: readonly { error: RowsmithError }[] }>;
const calls: fc.Arbitrary<Call> = fc.oneof(
  bulk(fc.tuple(id, values)).map((all): Call => {
    return (db) => jobs(db).saveMany(all.map(([n, given]) => job(db, n, given)));
  }),
  bulk(fc.tuple(id, fc.oneof(values, nulls))).map((all): Call => {
    return (db) =>
      jobs(db).patchMany(
        all.map(([n, changes]) => ({ key: keyOf(n), changes: changes as Values })),
      );
  }),
  bulk(id).map(
    (all): Call =>
      (db) =>
        jobs(db).deleteMany(all.map((n) => keyOf(n))),
  ),
  // A value that a row keeps, so that it is open to none of the rows of one call who has it.
  fc.tuple(id, fc.constantFrom('x', 'y')).map(([n, code]): Call => {
    return (db) => jobs(db).patchMany([{ key: keyOf(n), changes: { code } }]);
  }),
);

test('batches and single requests leave the same', async () => {
  const run = fc.asyncProperty(bulk(calls), async (steps) => {
    const engines = await Promise.all([openMemoryEngine(), openMemoryEngine()]);
    const atOnce = program(engines[0]);
    const requests = program(new DelegatingEngine(engines[1]));
    for (const db of [atOnce, requests]) await db.admin.apply();
    for (const call of steps) {
      const [one, other] = [await call(atOnce), await call(requests)];
      const codes = ({ failures }: Awaited<ReturnType<Call>>) => failures.map((f) => f.error.code);
      expect(codes(one)).toEqual(codes(other));
    }
    const left = await readAll(atOnce, Job);
    expect(left).toEqual(await readAll(requests, Job));
    expect(left).toMatchObject({ findings: [] });
    for (const engine of engines) await engine.close();
  });
  await fc.assert(run, { numRuns: Number(process.env.RUNS ?? 8) });
}, 600_000);

describe('a batch', () => {
  let engine: Watched;
  let db: Database;
  beforeEach(async () => {
    engine = new Watched(await openMemoryEngine());
    db = program(engine);
    await db.admin.apply();
    engine.calls.length = 0;
  });
  afterEach(async () => {
    expect(await readAll(db, Job)).toMatchObject({ findings: [] });
    await engine.close();
  });
  const many = (count: number): Job[] =>
    Array.from({ length: count }, (_, n) => job(db, n, { status: 'open', points: n }));

  test('is one transaction', async () => {
    expect(await jobs(db).saveMany(many(100))).toMatchObject({ written: 100 });
    expect(engine.calls).toEqual(['transact']);
    expect(await jobs(db).rollup('daily').scanAll().all()).toMatchObject([{ rows: 100, most: 99 }]);
  });

  test('writes rows with one key in their order', async () => {
    const rows = [1, 2, 3].map((points) => job(db, 1, { points }));
    expect(await jobs(db).saveMany(rows)).toMatchObject({ written: 3 });
    expect(await jobs(db).scanAll().all()).toMatchObject([{ points: 3 }]);
    expect(await jobs(db).rollup('daily').scanAll().all()).toMatchObject([{ rows: 1, sum: 3 }]);
  });

  test('gives a unique value to one of its rows', async () => {
    const rows = [1, 2, 3].map((n) => job(db, n, { code: n < 3 ? 'x' : 'z' }));
    const { written, failures } = await jobs(db).saveMany(rows);
    expect(written).toBe(2);
    expect(failures).toMatchObject([{ error: { code: 'UNIQUE_VIOLATION' } }]);
    expect(await jobs(db).index('byCode').scanAll().all()).toHaveLength(2);
  });

  test('writes the rows beside one that cannot be in an index', async () => {
    const rows = many(3);
    rows[1].status = 'x'.repeat(5000);
    const { written, failures } = await jobs(db).saveMany(rows);
    expect([written, failures.map(({ index: at }) => at)]).toEqual([2, [1]]);
    expect(failures[0].error.code).toBe('INVALID_KEY');
    expect(await jobs(db).scanAll().all()).toHaveLength(2);
  });

  test('takes values that rows before it give up', async () => {
    const coded = (...codes: readonly string[]): Job[] =>
      codes.map((code, n) => job(db, n, { code }));
    await jobs(db).saveMany(coded('x', 'y', 'z'));
    engine.calls.length = 0;
    expect(await jobs(db).saveMany(coded('w', 'x', 'y'))).toMatchObject({ written: 3 });
    expect(engine.calls).toEqual(['transact']);
    await Promise.all([jobs(db).delete(keyOf(1)), jobs(db).save(job(db, 3, { code: 'x' }))]);
    const holders = await jobs(db).index('byCode').scanAll().all();
    expect(holders.map(({ code, id: holder }) => [code, holder])).toEqual([
      ['w', 0],
      ['x', 3],
      ['y', 2],
    ]);
  });

  test('a value that a row gives up is free for one row', async () => {
    await jobs(db).save(job(db, 0, { code: 'x' }));
    const rows = [0, 1, 2].map((n) => job(db, n, { code: n === 0 ? 'y' : 'x' }));
    const { written, failures } = await jobs(db).saveMany(rows);
    expect(written).toBe(2);
    expect(failures).toMatchObject([{ index: 2, error: { code: 'UNIQUE_VIOLATION' } }]);
  });

  test('a row with a damaged cell fails no write beside it', async () => {
    await jobs(db).saveMany(many(1));
    const plan = { table: 'jobs', ranges: [everyKey], reversed: false };
    const [{ key }] = await collectRows(engine.readRows(plan));
    const write = (mutations: readonly Mutation[]): Promise<void> =>
      engine.mutateRow('jobs', { key, mutations });
    const status = { family: 'm', qualifier: Buffer.from('status') };
    const value = Buffer.from([0xff]);
    await write([{ kind: 'setCell', ...status, timestamp: 9e15, value }]);
    const [damaged, ...beside] = await Promise.allSettled([
      jobs(db).patch(keyOf(0), { points: 7 }),
      jobs(db).save(job(db, 1, { status: 'open' })),
      jobs(db).saveMany([job(db, 2, { points: 2 })]),
    ]);
    expect(damaged).toMatchObject({
      status: 'rejected',
      reason: { code: 'DAMAGED_CELL', details: { property: 'status', column: 'm:status' } },
    });
    expect(beside.map((each) => each.status)).toEqual(['fulfilled', 'fulfilled']);
    await write([{ kind: 'deleteFromColumn', ...status, start: 9e15 }]);
  });

  test('writes row by row after its transaction was refused', async () => {
    engine.refuses = 1;
    expect(await jobs(db).saveMany(many(3))).toMatchObject({ written: 3 });
    expect(engine.calls).toEqual(['transact', 'transact', 'transact', 'transact']);
  });

  test('is not repeated after its answer was lost: its rows may be written', async () => {
    engine.losesAnswers = true;
    const { failures } = await jobs(db).insertMany(many(2));
    engine.losesAnswers = false;
    expect(failures.map(({ error }) => error.code)).toEqual(['UNAVAILABLE', 'UNAVAILABLE']);
    expect(await jobs(db).scanAll().all()).toHaveLength(2);
  });

  test('waits for writes of its rows that are on their way', async () => {
    const [saved, batch] = [jobs(db).save(many(1)[0]), jobs(db).saveMany(many(3).reverse())];
    await Promise.all([saved, batch]);
    await Promise.all([jobs(db).saveMany(many(3)), jobs(db).patch(keyOf(1), { points: 7 })]);
    expect(await jobs(db).scanAll().all()).toMatchObject([{ points: 0 }, { points: 7 }, {}]);
  });

  test('keeps the place of rows that need more requests, before writes that follow', async () => {
    const stopping = new Stopping(engine);
    // Leaves a mark in the bucket.
    await jobs(program(stopping)).save(job(db, 4, { points: 4 }));
    await Promise.all([jobs(db).saveMany(many(3)), jobs(db).delete(keyOf(1))]);
    expect(engine.calls).toContain('checkAndMutateRow');
    expect((await jobs(db).scanAll().all()).map(({ id: each }) => each)).toEqual([0, 2, 4]);
  });
});
