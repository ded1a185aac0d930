/**
 * How lmdb is used: what LMDB.md lists and nothing else, meta pages that a lost write has left
 * behind, and files that cannot be opened.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open as lmdb } from 'lmdb';
import ts from 'typescript';
import { openDiskEngine } from '../../../src/engines/local/index.js';
import { emptyFile } from '../../../src/engines/local/kv/disk/file-meta.js';
import type { Engine } from '../../../src/data/store/index.js';
import { rejects, set, utf8 } from '../conformance.js';

const disk = join(__dirname, '../../../src/engines/local/kv/disk');
const pageSize = 8192;
let directory = '';
beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'rowsmith-lmdb-'))));
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** Names that a source file calls on lmdb's database, its environment or its table. */
function calledNames(text: string): string[] {
  const names = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const { expression, name } = node.expression;
      if (/(#database|#internals|Internals\)|\bdb|\benv)$/.test(expression.getText()))
        names.add(name.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('source.ts', text, ts.ScriptTarget.Latest, true));
  return [...names].sort();
}

test('only these files call lmdb, and LMDB.md lists what it calls', () => {
  const page = readFileSync(join(disk, 'LMDB.md'), 'utf8');
  const table = page.slice(page.indexOf('## Functions'), page.indexOf('Nothing else is called'));
  const rows = table.split('\n').filter((line) => line.startsWith('| `'));
  const listed = rows.flatMap((row) =>
    [...row.split('|')[1].matchAll(/`(\w+)`/g)].map(([, name]) => name),
  );
  const callers = ['lmdb-file.ts', 'read-buffer.ts', 'load-lmdb.ts'];
  const called = callers.flatMap((name) => calledNames(readFileSync(join(disk, name), 'utf8')));
  expect(['open', ...called].sort()).toEqual(listed.sort());
  const others = readdirSync(disk).filter(
    (name) => name.endsWith('.ts') && !callers.includes(name),
  );
  for (const name of others) {
    const text = readFileSync(join(disk, name), 'utf8');
    expect({ name, imports: /from 'lmdb'|import\('lmdb'\)/.test(text) }).toEqual({
      name,
      imports: false,
    });
    expect({ name, calls: calledNames(text) }).toEqual({ name, calls: [] });
  }
});

const file = (): string => join(directory, 'db', 'data.mdb');

async function fill(rows: number): Promise<void> {
  const engine = await openDiskEngine(join(directory, 'db'), { durability: 'relaxed' });
  const tables = await engine.listTables();
  if (tables.length === 0) await engine.createTable({ name: 't', families: new Map([['a', {}]]) });
  for (let row = 0; row < rows; row++) await write(engine, row);
  await engine.close();
}

const write = (engine: Engine, row: number): Promise<void> =>
  engine.mutateRow('t', { key: utf8(`k${row}`), mutations: [set('a', 'q', 'v'.repeat(600))] });

/** Number of the meta page that was written last. */
function newestMeta(data: Buffer): number {
  const transactionOf = (page: number): bigint => data.readBigUInt64LE(page * pageSize + 152);
  return transactionOf(0) > transactionOf(1) ? 0 : 1;
}

test('a meta page that was not written is detected by the next one, or by its trees', async () => {
  await fill(20);
  const before = readFileSync(file());
  // Each closing writes what is in the log, and so goes on by a few transactions.
  await fill(21);
  await fill(22);
  const data = readFileSync(file());
  const newest = newestMeta(data);
  // The one before the newest is as it was some transactions ago.
  const lost = Buffer.from(data);
  before.copy(lost, (1 - newest) * pageSize, (1 - newest) * pageSize, (2 - newest) * pageSize);
  writeFileSync(file(), lost);
  await rejects(openDiskEngine(join(directory, 'db')), 'CORRUPT_DATA');
  // The root page is as it was before.
  const root = Number(data.readBigUInt64LE(newest * pageSize + 136));
  const old = Buffer.from(data);
  before.copy(old, root * pageSize, root * pageSize, (root + 1) * pageSize);
  writeFileSync(file(), old);
  await rejects(openDiskEngine(join(directory, 'db')), 'CORRUPT_DATA');
  writeFileSync(file(), data);
  await (await openDiskEngine(join(directory, 'db'))).close();
});

test('a file that lmdb could not open is an error before lmdb opens it', async () => {
  await fill(3);
  const data = readFileSync(file());
  for (const size of [0, 1, pageSize, 2 * pageSize - 1]) {
    writeFileSync(file(), data.subarray(0, size));
    await rejects(openDiskEngine(join(directory, 'db')), 'CORRUPT_DATA');
  }
  rmSync(file());
  mkdirSync(file());
  await rejects(openDiskEngine(join(directory, 'db')), 'STORAGE_FAILED');
});

test('an empty file is the one that lmdb creates', async () => {
  const path = join(directory, 'empty.mdb');
  const options = { path, pageSize, noSubdir: true, overlappingSync: false, maxDbs: 1 };
  await lmdb(options).close();
  const created = readFileSync(path);
  // The size of the map, which is not used.
  for (const page of [0, 1]) created.fill(0, page * pageSize + 40, page * pageSize + 48);
  expect(emptyFile().equals(created)).toBe(true);
});
