/** Commands and a directory that does not exist yet: only commands that write rows create it. */
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { project, type Shop } from './rows/shop.js';

let shop: Shop;
let untouched: readonly string[] = [];
beforeEach(() => {
  shop = project('file:./new/data');
  writeFileSync(join(shop.folder, 'row.jsonl'), '{"shop":"oslo","n":"1","status":"open"}\n');
  untouched = readdirSync(shop.folder);
});
afterEach(() => shop.close());

const row = ['Order', 'shop=oslo', 'n=1', 'status=open'];
const stored = '{"shop":"oslo","n":1,"status":"open"}\n';

// put and patch --create failed with "there is no such directory", and import created it.
describe.each([
  ['put', ['put', ...row, '--yes']],
  ['patch --create', ['patch', ...row, '--create', '--yes']],
  ['import', ['import', 'Order', 'row.jsonl']],
])('%s', (_name, args) => {
  test.each(['file:./new/data', 'file:./empty'])('creates the database of %s', async (url) => {
    const written = await shop.run([...args, '--url', url]);
    expect(written).toMatchObject({
      status: 0,
      err: expect.stringContaining(`there is no database at file:${shop.folder}`) as string,
    });
    expect((await shop.run(['scan', 'Order', '--url', url])).out).toBe(stored);
    const again = await shop.run([...args, '--url', url]);
    expect(again).toMatchObject({ status: 0 });
    expect(again.err).not.toContain('there is no database');
  });
});

test('schema apply creates it', async () => {
  expect(await shop.run(['schema', 'apply'])).toMatchObject({ status: 0 });
  expect((await shop.run(['count', 'Order'])).out).toBe('0\n');
});

test('put creates nothing until the question was answered', async () => {
  const ask = (input: string) => shop.onTerminal(['put', ...row], { input });
  const question = `there is no database at file:${join(shop.folder, 'new/data')} yet: put creates it\n`;
  const shown = { status: 0, out: expect.stringContaining('new Order shop=oslo n=1') as string };
  expect(await ask('n\n')).toEqual({
    ...shown,
    err: `${question}Write this row? [y/N] nothing was written\n`,
  });
  expect(readdirSync(shop.folder)).toEqual(untouched);
  expect(await ask('y\n')).toEqual({ ...shown, err: `${question}Write this row? [y/N] ` });
  expect((await shop.run(['scan', 'Order'])).out).toBe(stored);
});

// The database was created, and then the row was rejected.
test.each([
  ['put Order shop=oslo n=1 --yes', 'has no values outside its row key'],
  ['put Order shop=oslo n=1 CODE --yes', 'longer than the 4,096 bytes'],
  ['patch Order shop=oslo n=1 CODE --create --yes', 'longer than the 4,096 bytes'],
])('%s is rejected and creates nothing', async (line, text) => {
  const code = `code=${'x'.repeat(5_000)}`;
  const rejected = await shop.run(line.split(' ').map((word) => (word === 'CODE' ? code : word)));
  expect(rejected).toMatchObject({ status: 1, err: expect.stringContaining(text) as string });
  expect(readdirSync(shop.folder)).toEqual(untouched);
});

test.each([
  ['get Order shop=oslo n=1', 1],
  ['scan Order', 1],
  ['count Order', 1],
  ['ls', 0],
  ['ls Order', 1],
  ['explain scan Order', 0],
  ['keys verify', 1],
  ['export Order', 1],
  ['describe', 0],
  ['lint', 3],
  ['schema plan', 3],
  ['gc --explain', 1],
  ['derived list', 1],
  ['derived verify', 1],
  ['pull --table orders', 1],
  ['heatmap --table orders', 2],
  ['put Order shop=oslo n=1 status=open --dry-run', 0],
  ['patch Order shop=oslo n=1 status=open --create --dry-run', 0],
  ['delete Order shop=oslo n=1 --dry-run', 1],
  // These change rows that exist.
  ['patch Order shop=oslo n=1 status=open --yes', 1],
  ['delete Order shop=oslo --yes', 1],
  ['derived repair', 1],
  ['derived rebuild', 1],
  ['derived propagate', 1],
])('%s creates nothing', async (line, status) => {
  for (const url of [[], ['--url', 'file:./empty']]) {
    const takesUrl = !/^(describe|lint|heatmap)/.test(line);
    const result = await shop.run([...line.split(' '), ...(takesUrl ? url : [])]);
    if (url.length === 0) expect(result).toMatchObject({ status });
    expect(readdirSync(shop.folder)).toEqual(untouched);
    expect(existsSync(join(shop.folder, 'new'))).toBe(false);
    expect(readdirSync(join(shop.folder, 'empty'))).toEqual([]);
  }
});
