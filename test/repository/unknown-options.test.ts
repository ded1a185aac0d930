/** Options that do not exist, which only JavaScript can pass, are rejected and not ignored. */
import { type Database, exportRows, importRows, open } from '../../src/index.js';
import { startServer } from '../../src/server/index.js';
import { openEngine } from '../../src/storage.js';
import { testDatabase } from '../../src/testing/index.js';
import { Reading } from './entities.js';

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
  ['get', 'asOf', () => untyped().get(key, { asOf: new Date() })],
  ['getMany', 'select', () => untyped().getMany([key], { select: ['value'] })],
  ['exists', 'versions', () => untyped().exists(key, { versions: 1 })],
  ['history', 'limits', () => untyped().history(key, 'value', { limits: 1 })],
  ['saveMany', 'batch', () => untyped().saveMany([entity()], { batch: 1 })],
  ['deleteMany', 'if', () => untyped().deleteMany([key], { if: {} })],
  ['deletePrefix', 'limit', () => untyped().deletePrefix({ tenant: 't' }, { limit: 1 })],
  ['increment', 'by', () => untyped().increment(key, 'hits', 1n, { by: 2 })],
  ['append', 'end', () => untyped().append(key, 'note', 'x', { end: 1 })],
  ['first', 'limit', () => (readings().scanAll() as unknown as Untyped).first({ limit: 1 })],
  ['all', 'limit', () => (readings().scanAll() as unknown as Untyped).all({ limit: 1 })],
  ['count', 'limit', () => (readings().scanAll() as unknown as Untyped).count({ limit: 1 })],
  ['page', 'limit', () => (readings().scanAll() as unknown as Untyped).page({ size: 1, limit: 1 })],
  ['open', 'verfy', () => open('memory:', { entities: [Reading], verfy: true } as never)],
  ['openEngine', 'entities', () => openEngine('memory:', { entities: [Reading] } as never)],
  ['testDatabase', 'clock', () => testDatabase([Reading], { clock: Date.now } as never)],
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
