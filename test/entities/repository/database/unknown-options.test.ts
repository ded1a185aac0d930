/** Options that do not exist, which only JavaScript can pass, are rejected and not ignored. */
import { type Database, open } from '../../../../src/index.js';
import { exportRows, importRows } from '../../../../src/tools/index.js';
import { startServer } from '../../../../src/server/index.js';
import { openEngine } from '../../../../src/storage.js';
import { testDatabase } from '../../../../src/tools/testing/index.js';
import { Reading } from '../support/entities.js';

/** Calls with any argument. */
type Untyped = Record<string, (...args: unknown[]) => Promise<unknown>>;

let db: Database;
const key = { tenant: 't', device: 'd', n: 1 };
beforeEach(async () => void (db = await open('memory:', { entities: [Reading] })));
afterEach(() => db.close());

const readings = () => db.repository(Reading);
const untyped = () => readings() as unknown as Untyped;
const entity = () => readings().create({ ...key, value: 1 });

test.each<[string, string, () => Promise<unknown>]>([
  ['save', 'iff', () => untyped().save(entity(), { iff: { exists: true } })],
  ['insert', 'if', () => untyped().insert(entity(), { if: { exists: false } })],
  ['patch', 'condition', () => untyped().patch(key, { value: 1 }, { condition: {} })],
  ['delete', 'is', () => untyped().delete(key, { is: {} })],
  ['get', 'limit', () => untyped().get(key, { limit: 1 })],
  ['getMany', 'where', () => untyped().getMany([key], { where: {} })],
  ['exists', 'versions', () => untyped().exists(key, { versions: 1 })],
  ['history', 'limits', () => untyped().history(key, 'value', { limits: 1 })],
  ['saveMany', 'batch', () => untyped().saveMany([entity()], { batch: 1 })],
  ['deleteMany', 'if', () => untyped().deleteMany([key], { if: {} })],
  ['increment', 'by', () => untyped().increment(key, 'hits', 1n, { by: 2 })],
  ['first', 'limit', () => (readings().scanAll() as unknown as Untyped).first({ limit: 1 })],
  ['all', 'limit', () => (readings().scanAll() as unknown as Untyped).all({ limit: 1 })],
  ['count', 'limit', () => (readings().scanAll() as unknown as Untyped).count({ limit: 1 })],
  ['page', 'limit', () => (readings().scanAll() as unknown as Untyped).page({ size: 1, limit: 1 })],
  ['open', 'verfy', () => open('memory:', { entities: [Reading], verfy: true } as never)],
  ['openEngine', 'entities', () => openEngine('memory:', { entities: [Reading] } as never)],
  ['testDatabase', 'clock', () => testDatabase([Reading], { clock: Date.now } as never)],
  ['apply', 'allowLoss', () => db.admin.apply({ allowLoss: true } as never)],
  ['startServer', 'prt', () => startServer(db.engine, { prt: 1 } as never)],
  [
    'exportRows',
    'prefix',
    () =>
      exportRows(db.engine, readings().model, '/nowhere', {
        format: 'jsonl',
        prefix: { tenant: 't' },
      } as never),
  ],
  [
    'importRows',
    'skip',
    () =>
      importRows(db.engine, readings().model, '/nowhere', { format: 'jsonl', skip: 1 } as never),
  ],
])('%s has no option %s', async (call, option, run) => {
  await expect(run()).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    details: { property: option, problem: `${call}() has no option '${option}'` },
  });
  expect(await readings().scanAll().count()).toBe(0);
});

test('a misspelt option is corrected', async () => {
  await expect(untyped().saveMany([], { batchRow: 1 })).rejects.toMatchObject({
    details: { entity: 'Reading', fix: "did you mean 'batchRows'?" },
  });
});

test('options that are not an object are rejected', async () => {
  await expect(untyped().save(entity(), 5)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
});

test('misspelt options of observe are rejected', async () => {
  await expect(
    open('memory:', { entities: [Reading], observe: { logs: true } as never }),
  ).rejects.toMatchObject({ details: { property: 'logs', fix: "did you mean 'log'?" } });
});

const calls: [string, (options: unknown) => Promise<unknown>][] = [
  ['save', (options) => untyped().save(entity(), options)],
  ['save if', (options) => untyped().save(entity(), { if: { exists: false }, ...(options as {}) })],
  ['insert', (options) => untyped().insert(entity(), options)],
  ['patch', (options) => untyped().patch(key, { value: 1 }, options)],
  ['delete', (options) => untyped().delete(key, options)],
  ['get', (options) => untyped().get(key, options)],
  ['getMany', (options) => untyped().getMany([key], options)],
  ['exists', (options) => untyped().exists(key, options)],
  ['history', (options) => untyped().history(key, 'value', options)],
  ['saveMany', (options) => untyped().saveMany([entity()], options)],
  ['deleteMany', (options) => untyped().deleteMany([key], options)],
  ['increment', (options) => untyped().increment(key, 'hits', 1n, options)],
  ['all', (options) => (readings().scanAll() as unknown as Untyped).all(options)],
];

test.each(calls)(
  '%s rejects a signal that is none, before it does anything',
  async (_call, run) => {
    for (const signal of [null, 1, 'x', {}, new AbortController()])
      await expect(run({ signal })).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
        details: { entity: 'Reading', property: 'signal' },
      });
    expect(await readings().scanAll().count()).toBe(0);
  },
);

test('signal() of a query rejects what is no signal', () => {
  for (const signal of [null, 1, {}])
    expect(() =>
      readings()
        .scanAll()
        .signal(signal as never),
    ).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }) as Error);
});

test('onProgress must be a function, before anything is written', async () => {
  await expect(untyped().saveMany([entity()], { onProgress: true })).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    details: { property: 'onProgress' },
  });
  expect(await readings().scanAll().count()).toBe(0);
});

test('the grace period of a server is checked', async () => {
  const server = await startServer(db.engine);
  for (const graceMs of [-1, NaN, Infinity, 2 ** 31, 'x'])
    await expect(server.close({ graceMs } as never)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: { property: 'graceMs' },
    });
  await expect(server.close({ grace: 1 } as never)).rejects.toMatchObject({
    details: { fix: "did you mean 'graceMs'?" },
  });
  await server.close({ graceMs: 0 });
});
