/** `rowsmith backup`, `restore` and `verify`. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { everyKey } from '../../src/base/index.js';
import { collectRows, type Engine } from '../../src/data/store/index.js';
import { openEngine } from '../../src/engines/index.js';
import { command } from '../support/command.js';

let folder = '';
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'rowsmith-backup-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const run = (args: string) => command(folder, args.split(' '));
const path = (name: string): string => join(folder, name);

async function write(engine: Engine, ...keys: readonly string[]): Promise<void> {
  for (const key of keys)
    await engine.mutateRow('t', {
      key: Buffer.from(key),
      mutations: [
        {
          kind: 'setCell',
          family: 'f',
          qualifier: new Uint8Array(),
          timestamp: 1000n,
          value: Buffer.from(`value of ${key}`),
        },
      ],
    });
}

async function created(): Promise<Engine> {
  const engine = await openEngine(`file:${path('data')}`);
  await engine.createTable({ name: 't', families: new Map([['f', {}]]) });
  await write(engine, 'a', 'b');
  return engine;
}

async function keysIn(name: string): Promise<string[]> {
  const engine = await openEngine(`file:${path(name)}`);
  const rows = await collectRows(
    engine.readRows({ table: 't', ranges: [everyKey], reversed: false }),
  );
  await engine.close();
  return rows.map(({ key }) => Buffer.from(key).toString());
}

test('a database that is open is copied, verified and restored', async () => {
  const engine = await created();
  const copied = await run('backup copy --json --url file:./data');
  expect(copied).toMatchObject({ status: 0, err: '' });
  expect(JSON.parse(copied.out)).toMatchObject({ directory: path('copy'), tables: 1 });
  await write(engine, 'c');
  await engine.close();
  expect(await run('verify --url file:./copy')).toMatchObject({ status: 0 });
  expect(await run('restore copy restored')).toMatchObject({ status: 0 });
  expect(await keysIn('restored')).toEqual(['a', 'b']);
  expect(await keysIn('copy')).toEqual(['a', 'b']);
  expect(await keysIn('data')).toEqual(['a', 'b', 'c']);
});

test('nothing is overwritten', async () => {
  await (await created()).close();
  mkdirSync(path('full'));
  writeFileSync(path('full/note.txt'), 'kept');
  const refused = await run('backup full --url file:./data');
  expect(refused.status).toBe(1);
  expect(refused.err).toContain('is not empty');
  expect(readdirSync(path('full'))).toEqual(['note.txt']);
  expect((await run('backup')).status).toBe(2);
  expect((await run('restore missing target')).status).toBe(1);
  expect(readdirSync(folder)).not.toContain('target');
  const inside = await run('backup data --url file:./data');
  expect(inside.err).toContain('is in the directory of the database');
});

test('a damaged file is named, and not copied', async () => {
  await (await created()).close();
  expect((await run('backup copy --url file:./data')).status).toBe(0);
  const [table] = readdirSync(path('copy')).filter((name) => name.startsWith('table.'));
  const bytes = readFileSync(path(`copy/${table}`));
  bytes[150] ^= 1;
  writeFileSync(path(`copy/${table}`), bytes);
  const found = await run('verify --url file:./copy');
  expect(found.status).toBe(1);
  expect(found.err).toContain(table);
  expect((await run('restore copy restored')).err).toContain('is damaged');
  expect(readdirSync(folder)).not.toContain('restored');
});

test('databases without files have neither', async () => {
  for (const args of ['backup copy --url memory:', 'verify --url memory:'])
    expect((await run(args)).status).not.toBe(0);
});
