/**
 * Writes of embedded engines are one transaction. They leave what the protocol of several requests
 * leaves, which the other program here uses: it has no transactions, like one over a server.
 */
import { openMemoryEngine } from '../../../src/engines/local/index.js';
import type { Database } from '../../../src/entities/repository/database/database.js';
import { DelegatingEngine } from '../../support/delegating-engine.js';
import fc from '../../support/fast-check.js';
import { program, readAll, start, Stopping, Task, Watched } from './jobs.js';

type Call = (db: Database) => Promise<unknown>;

const key = fc.constantFrom(1, 2, 3).map((id) => ({ team: 'a', at: new Date(start + id), id }));
const values = fc.record(
  {
    status: fc.constantFrom('open', 'paid'),
    code: fc.constantFrom('x', 'y'),
    points: fc.integer({ min: -3, max: 3 }),
    note: fc.constantFrom('n', 'm'),
  },
  { requiredKeys: [] },
);
const nulls = fc.record(
  { status: fc.constant(null), points: fc.constant(null), code: fc.constant(null) },
  { requiredKeys: [] },
);
const tasks = (db: Database) => db.repository(Task);
const entity = (db: Database, each: object): Task => tasks(db).create(each as Task);
const calls: fc.Arbitrary<Call> = fc.oneof(
  fc.record({ key, values }).map(({ key: k, values: v }): Call => {
    return (db) => tasks(db).insert(entity(db, { ...k, note: 'new', ...v }));
  }),
  fc.record({ key, changes: fc.oneof(values, nulls) }).map(({ key: k, changes }): Call => {
    return (db) => tasks(db).patch(k, changes);
  }),
  fc.record({ key, changes: values }).map(({ key: k, changes }): Call => {
    return (db) => tasks(db).patch(k, changes, { if: { equals: { status: 'open' } } });
  }),
  fc.record({ key, by: fc.integer({ min: -2, max: 2 }) }).map(({ key: k, by }): Call => {
    return (db) => tasks(db).append(k, { note: String(by) });
  }),
  key.map(
    (k): Call =>
      (db) =>
        tasks(db).delete(k),
  ),
  // Which row of one call gets a unique value is open.
  fc
    .array(fc.record({ key, values: values.map(({ code: _, ...rest }) => rest) }), {
      minLength: 1,
      maxLength: 3,
    })
    .map((all): Call => {
      return (db) =>
        tasks(db).patchMany(all.map((each) => ({ key: each.key, changes: each.values })));
    }),
  fc.constantFrom('open', 'paid').map(
    (status): Call =>
      (db) =>
        tasks(db).index('byStatus').prefix({ status }).delete(),
  ),
);

/** What a call ended with. */
async function outcome(call: Promise<unknown>): Promise<unknown> {
  try {
    const { failures } = ((await call) ?? {}) as { failures?: { error: { code: string } }[] };
    return failures?.map(({ error }) => error.code) ?? 'done';
  } catch (error) {
    return (error as { readonly code: string }).code;
  }
}

test('transactions and requests leave the same, alone and in turns', async () => {
  const script = fc.array(fc.tuple(calls, fc.boolean()), { minLength: 1, maxLength: 25 });
  const run = fc.asyncProperty(script, async (steps) => {
    const engines = await Promise.all([0, 1, 2].map(() => openMemoryEngine()));
    const programs = engines.map((engine) => ({
      atOnce: program(engine),
      requests: program(new DelegatingEngine(engine)),
    }));
    for (const { atOnce } of programs) await atOnce.admin.apply();
    for (const [call, isAtOnce] of steps) {
      const outcomes = [
        await outcome(call(programs[0].atOnce)),
        await outcome(call(programs[1].requests)),
        await outcome(call(isAtOnce ? programs[2].atOnce : programs[2].requests)),
      ];
      expect(outcomes.slice(1)).toEqual([outcomes[0], outcomes[0]]);
    }
    const [first, ...rest] = await Promise.all(programs.map(({ atOnce }) => readAll(atOnce, Task)));
    for (const other of rest) expect(other).toEqual(first);
    expect(first).toMatchObject({ findings: [] });
    for (const engine of engines) await engine.close();
  });
  await fc.assert(run, { numRuns: Number(process.env.RUNS ?? 8) });
}, 600_000);

test('programs of both kinds at the same time', async () => {
  const script = fc.array(fc.array(calls, { minLength: 2, maxLength: 4 }), {
    minLength: 1,
    maxLength: 8,
  });
  const run = fc.asyncProperty(script, async (steps) => {
    const engine = await openMemoryEngine();
    const programs = [program(engine), program(new DelegatingEngine(engine))];
    await programs[0].admin.apply();
    for (const together of steps)
      await Promise.all(together.map((call, i) => outcome(call(programs[i % 2]))));
    expect(await readAll(programs[0], Task)).toMatchObject({ findings: [] });
    await engine.close();
  });
  await fc.assert(run, { numRuns: Number(process.env.RUNS ?? 8) });
}, 600_000);

describe('a write runs the protocol after its transaction did nothing', () => {
  const key = { team: 'a', at: new Date(start), id: 1 };
  let engine: Watched;
  let db: Database;
  beforeEach(async () => {
    engine = new Watched(await openMemoryEngine());
    db = program(engine);
    await db.admin.apply();
  });
  afterEach(() => engine.close());

  /** Writes, and returns the requests of the write. */
  async function requestsOf(write: () => Promise<unknown>): Promise<readonly string[]> {
    engine.calls.length = 0;
    await write();
    const calls = [...engine.calls];
    expect(await readAll(db, Task)).toMatchObject({ findings: [] });
    return calls;
  }

  test('otherwise it is one call', async () => {
    const save = () => tasks(db).save(entity(db, { ...key, points: 1 }));
    expect(await requestsOf(save)).toEqual(['transact']);
  });

  test('for a key that shares a pair of the store with other keys', async () => {
    const long = { ...key, team: 'a'.repeat(2100), points: 1 };
    const calls = await requestsOf(() => tasks(db).save(entity(db, long)));
    expect(calls).toContain('checkAndMutateRow');
    expect(await tasks(db).rollup('daily').scanAll().all()).toMatchObject([{ rows: 1, sum: 1 }]);
  });

  test('while a mark of a program that stopped is in the bucket', async () => {
    const stopping = new Stopping(engine);
    await tasks(program(stopping)).save(entity(db, { ...key, points: 1 }));
    const next = { ...key, id: 2, points: 2 };
    const calls = await requestsOf(() => tasks(db).save(entity(db, next)));
    expect(calls).toContain('checkAndMutateRow');
    expect(await tasks(db).rollup('daily').scanAll().all()).toMatchObject([{ rows: 2, sum: 3 }]);
  });
});
