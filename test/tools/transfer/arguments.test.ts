/** Arguments that only JavaScript can pass are typed errors, and nothing is read or written. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, open } from '../../../src/index.js';
import { exportRows, importRows, migrate } from '../../../src/tools/index.js';
import { Reading } from '../../entities/repository/support/entities.js';

let db: Database;
let folder: string;
beforeEach(async () => {
  db = await open('memory:', { entities: [Reading] });
  folder = mkdtempSync(join(tmpdir(), 'rowsmith-arguments-'));
});
afterEach(async () => {
  await db.close();
  rmSync(folder, { recursive: true });
});
const file = () => join(folder, 'out.jsonl');
const model = () => db.repository(Reading).model;
const options = { format: 'jsonl' };

test.each<[string, string, () => unknown[]]>([
  ['no engine', 'engine', () => [undefined, model(), file(), options]],
  ['a database', 'engine', () => [db, model(), file(), options]],
  ['no model', 'model', () => [db.engine, undefined, file(), options]],
  ['a class', 'model', () => [db.engine, Reading, file(), options]],
  ['no options', 'options', () => [db.engine, model(), file()]],
  ['null for options', 'options', () => [db.engine, model(), file(), null]],
])('export and import: %s', async (_what, property, make) => {
  for (const call of [exportRows, importRows] as ((...args: never[]) => Promise<unknown>)[])
    await expect(call(...(make() as never[]))).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: { property },
    });
  expect(existsSync(file())).toBe(false);
});

test('export: no target', async () => {
  for (const to of [undefined, null, 1, '', {}])
    await expect(
      exportRows(db.engine, model(), to as never, { format: 'csv' }),
    ).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', details: { property: 'to' } });
});

test('migrate: no engine, no migration', async () => {
  for (const [args, property] of [
    [[db, { from: Reading, to: Reading }], 'engine'],
    [[db.engine, undefined], 'migration'],
  ] as const)
    await expect(migrate(...(args as never as [never, never]))).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: { property },
    });
});
