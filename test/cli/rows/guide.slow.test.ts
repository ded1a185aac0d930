/** docs/guide/shell.md: its commands print what it shows, and do what the commands of cbt do. */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { everyKey, latin1Text } from '../../../src/base/index.js';
import { open } from '../../../src/index.js';
import { collectRows, type Engine } from '../../../src/data/store/index.js';
import { openOverOurServer } from '../../engines/bigtable/live-backends.js';
import { root } from '../../support/built-package.js';
import { command } from '../../support/command.js';

const guide = readFileSync(join(root, 'docs/guide/shell.md'), 'utf8');
const url = 'bigtable://p/instance-1';

/** A project with the entity of the guide, over our server with the rows of the guide. */
interface GuideProject {
  readonly folder: string;
  /** The engine that the server serves. */
  readonly backend: Engine;
  readonly run: (words: readonly string[], isTTY: boolean) => ReturnType<typeof command>;
  readonly close: () => Promise<void>;
}

async function openGuide(): Promise<GuideProject> {
  const folder = mkdtempSync(join(tmpdir(), 'rowsmith-guide-'));
  writeFileSync(join(folder, 'order.ts'), /```ts\n(.*?)```/s.exec(guide)![1]);
  writeFileSync(
    join(folder, 'rowsmith.config.cjs'),
    `module.exports = { entities: [require('./order.ts').Order], url: '${url}' };`,
  );
  // cbt needs a file of credentials, or it asks gcloud.
  writeFileSync(join(folder, 'credentials.json'), '{}');
  const server = await openOverOurServer();
  process.env.BIGTABLE_EMULATOR_HOST = server.address;

  const { Order } = require(join(folder, 'order.ts')) as { readonly Order: never };
  let now = Date.UTC(2026, 10, 20, 12);
  const db = await open(url, { entities: [Order], clock: () => now });
  await db.admin.apply();
  const orders = db.repository(Order) as unknown as {
    create(init: object): object;
    save(entity: object): Promise<void>;
  };
  const save = (init: object) => orders.save(orders.create(init));
  await save({ shop: 'oslo', n: 1, status: 'open', total: '12.50' });
  now += 60_000;
  await save({ shop: 'oslo', n: 1, status: 'paid', total: '12.50' });
  const tags = new Map([['size', 'large']]);
  await save({ shop: 'oslo', n: 2, status: 'open', total: '3.00', tags });
  await save({ shop: 'oslo', n: 3, status: 'failed', total: '4.20' });
  await save({ shop: 'rome', n: 1, status: 'paid', total: '7.00' });
  await db.close();
  return {
    folder,
    backend: server.backend,
    run: (words, isTTY) => command(folder, words, { isTTY, columns: 100, env: { NO_COLOR: '1' } }),
    close: async () => {
      delete process.env.BIGTABLE_EMULATOR_HOST;
      await server.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** The words of a line, as a shell without expansions finds them. */
function shellWords(line: string): string[] {
  return [...line.matchAll(/(?:'[^']*'|[^\s'])+/g)].map(([word]) => word.replaceAll("'", ''));
}

test('the commands print what the guide shows', async () => {
  const project = await openGuide();
  const blocks = [...guide.matchAll(/```text\n(.*?)```/gs)].map(([, text]) => text);
  const shown = blocks.join('');
  let printed = '';
  for (const [, line] of shown.matchAll(/^\$ npx rowsmith (.*)$/gm)) {
    const isPiped = line.endsWith(' | cat');
    const words = shellWords(line.replace(' | cat', ''));
    const { out } = await project.run(words, !isPiped);
    printed += `$ npx rowsmith ${line}\n${out}`;
  }
  expect(printed).toBe(shown);
  await project.close();
});

const pairs = [...guide.matchAll(/^\| `(cbt [^`]*)` \| `(rowsmith [^`]*)` \|$/gm)].map(
  ([, cbt, rowsmith]): [string, string] => [cbt, rowsmith],
);
/** Without commands that are tested elsewhere: import, and what is not about rows. */
const tested = pairs.filter(([, line]) => !/ (import|describe) /.test(line));

test('the table names every command of cbt on rows', () => {
  const named = new Set(pairs.map(([cbt]) => cbt.split(' ')[1]));
  expect([...named].sort()).toEqual([
    'addtocell',
    'count',
    'deleteallrows',
    'deletecolumn',
    'deleterow',
    'import',
    'lookup',
    'ls',
    'read',
    'set',
  ]);
});

if (spawnSync('cbt', ['version']).error !== undefined) {
  if (process.env.CI_REQUIRE_EMULATOR === '1')
    test('cbt is installed', () => expect('cbt').toBe('installed'));
  else {
    console.warn('SKIPPED: cbt is not on the PATH');
    test.skip('cbt', () => undefined);
  }
} else {
  test.each(tested)('%s: %s', async (cbtLine, line) => {
    // The same rows twice, because a write changes them.
    const theirs = await openGuide();
    const theirOutput = await cbt(theirs.folder, shellWords(cbtLine).slice(1));
    const stored = await cells(theirs.backend);
    await theirs.close();
    const ours = await openGuide();
    const { status, out, err } = await ours.run(shellWords(line).slice(1), false);
    expect({ status, err: err.replace(/.*rows\/s\n/, '') }).toEqual({ status: 0, err: '' });
    expect(await cells(ours.backend)).toEqual(stored);
    await ours.close();
    const [, name] = shellWords(cbtLine);
    if (name === 'count') expect(out).toBe(theirOutput);
    // With keys-only cbt prints cells without values.
    const isKey = (text: string) => !cbtLine.includes('keys-only') || !text.includes(' ');
    if (name === 'read' || name === 'lookup')
      expect(ourCells(out)).toEqual(cbtCells(theirOutput).filter(isKey));
    if (name === 'ls')
      expect((JSON.parse(out) as { table: string }).table).toBe(theirOutput.trim());
  });
}

function cbt(folder: string, args: readonly string[]): Promise<string> {
  const flags = ['-creds', join(folder, 'credentials.json'), '-project', 'p'];
  return new Promise((resolve, reject) => {
    const all = [...flags, '-instance', 'instance-1', ...args];
    execFile('cbt', all, { timeout: 60_000, env: { ...process.env } }, (error, stdout, stderr) =>
      error === null ? resolve(stdout) : reject(new Error(stderr)),
    );
  });
}

/** Newest cells of a table, without timestamps, which are the times of the writes. */
async function cells(engine: Engine): Promise<readonly string[]> {
  const [{ name: table }] = await engine.listTables();
  const filter = { kind: 'cellsPerColumn', count: 1 } as const;
  const read = engine.readRows({ table, ranges: [everyKey], reversed: false, filter });
  return (await collectRows(read)).flatMap(({ key, cells: all }) =>
    all.map(
      ({ family, qualifier, value }) =>
        `${latin1Text(key)} ${family}:${latin1Text(qualifier)} ${latin1Text(value)}`,
    ),
  );
}

/** Rows that cbt prints: each key, and its cells. */
function cbtCells(output: string): readonly string[] {
  const rows: string[] = [];
  let key = '';
  let column: string | undefined;
  for (const line of output.split('\n')) {
    if (line.startsWith('---') || line.trim() === '') continue;
    if (line.startsWith('    ')) rows.push(`${key} ${column} ${JSON.parse(line.trim()) as string}`);
    else if (line.startsWith('  ')) column = line.trim().split(/ +@/)[0];
    else rows.push((key = line.trim()));
  }
  return rows;
}

interface RawRow {
  readonly key: string;
  readonly cells: readonly { readonly [name in 'family' | 'qualifier' | 'value']: string }[];
}

/** The same of JSON Lines: of stored cells, or of entities. */
function ourCells(output: string): readonly string[] {
  const lines = output.split('\n').filter((line) => line !== '');
  return lines.flatMap((line) => {
    const row = JSON.parse(line) as RawRow & Record<string, unknown>;
    if (row.cells !== undefined)
      return [
        row.key,
        ...row.cells.map(
          ({ family, qualifier, value }) =>
            `${row.key} ${family}:${qualifier} ${Buffer.from(value, 'base64').toString('latin1')}`,
        ),
      ];
    const { shop, n, tags, ...columns } = row as Record<string, unknown>;
    const key = `${String(shop)}#${String(n).padStart(4, '0')}`;
    const entries = Object.entries(tags ?? {}).map(([name, value]) => [`t:${name}`, value]);
    const values = Object.entries(columns).map(([name, value]) => [`m:${name}`, value]);
    return [key, ...[...values, ...entries].map(([name, value]) => `${key} ${name} ${value}`)];
  });
}
