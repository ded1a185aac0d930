/** `rowsmith schema` beyond families: settings, keys, plans by id, and steps of other tools. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEngine } from '../../src/engines/index.js';
import type { Engine } from '../../src/data/store/index.js';
import { openOverOurServer } from '../engines/bigtable/live-backends.js';
import { command, type CommandResult } from '../support/command.js';

const entities = join(__dirname, 'rows/entities.ts');
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

interface Project {
  readonly folder: string;
  readonly run: (line: string) => Promise<CommandResult>;
}

function project(url: string, tables = '{}'): Project {
  const folder = mkdtempSync(join(tmpdir(), 'rowsmith-plan-'));
  folders.push(folder);
  writeFileSync(
    join(folder, 'rowsmith.config.cjs'),
    `const { Order, Device, Reading } = require(${JSON.stringify(entities)});
module.exports = { entities: [Order, Device, Reading], url: ${JSON.stringify(url)}, tables: ${tables} };\n`,
  );
  return { folder, run: (line) => command(folder, line.split(' ')) };
}

interface PlanJson {
  readonly id: string;
  readonly exists: boolean;
  readonly changes: readonly { readonly kind: string; readonly table: string }[];
  readonly steps: readonly { readonly safety: string; readonly consequence: string }[];
  readonly manual: readonly {
    readonly object: string;
    readonly name: string;
    readonly command: string;
  }[];
}
const planOf = ({ out }: CommandResult): PlanJson => JSON.parse(out) as PlanJson;

test('a directory that does not exist, or is empty: the plan creates everything and nothing is created', async () => {
  const { folder, run } = project('file:./data');
  const plan = await run('schema plan --json');
  expect(plan).toMatchObject({ status: 3, err: '' });
  const { id, exists, changes, steps, manual } = planOf(plan);
  expect([exists, manual]).toEqual([false, []]);
  expect(new Set(changes.map(({ kind }) => kind))).toEqual(new Set(['createTable']));
  expect(steps).toHaveLength(changes.length);
  expect(existsSync(join(folder, 'data'))).toBe(false);
  mkdirSync(join(folder, 'data'));
  expect(planOf(await run('schema plan --json'))).toMatchObject({ id, exists: false });
  expect(await run(`schema apply --plan ${id}`)).toMatchObject({ status: 0, err: '' });
  expect(await run('schema plan')).toMatchObject({ status: 0 });
});

test('a plan by its id: not applied after somebody else has changed a table', async () => {
  const { folder, run } = project('file:./data');
  await run('schema apply');
  const change = async (family: string): Promise<void> => {
    const engine = await openEngine(`file:${join(folder, 'data')}`);
    const [{ name }] = await engine.listTables();
    await engine.modifyFamilies(name, [{ kind: 'create', family, schema: {} }]);
    await engine.close();
  };
  const { id } = planOf(await run('schema plan --json'));
  await change('other');
  const stopped = await run(`schema apply --plan ${id}`);
  expect(stopped.err).toContain(`this is no longer plan ${id}; nothing was changed`);
  expect(stopped.out).toContain(
    'Destructive: never made by this command\n  keep    family other of',
  );
  expect(stopped.status).toBe(3);
  const next = planOf(await run('schema plan --json'));
  expect(next.id).not.toBe(id);
  expect(await run(`schema apply --plan ${next.id}`)).toMatchObject({ status: 0 });
});

test('settings that an embedded database does not have are named, and do not make a difference', async () => {
  const { run } = project(
    'file:./data',
    "{ orders: { deletionProtection: true, changeStream: '3d', automatedBackup: true, rowKeySchema: true } }",
  );
  const { status, out } = await run('schema apply');
  expect(status).toBe(0);
  expect(out).toContain('  set     deletionProtection of orders  off -> on\n');
  const plan = await run('schema plan');
  expect(plan.status).toBe(0);
  for (const [option, name] of [
    ['changeStream', 'change streams'],
    ['automatedBackup', 'automated backups'],
    ['rowKeySchema', 'row key schemas'],
  ]) {
    expect(plan.out).toContain(`  skip    ${option} of orders`);
    expect(plan.out).toContain(`This database does not offer ${name}: nothing is set.`);
  }
});

test.each([
  ['{ order: {} }', "tables: no entity has the table 'order'", "did you mean 'orders'?"],
  [
    '{ orders: { protected: true } }',
    "tables.orders: there is no setting 'protected'",
    'deletionProtection',
  ],
  [
    "{ orders: { changeStream: '8d' } }",
    'tables.orders.changeStream is the string "8d"',
    "'1d' to '7d'",
  ],
  ['{ orders: { changeStream: true } }', 'tables.orders.changeStream is', "'1d' to '7d'"],
  ["{ orders: { automatedBackup: '1d' } }", 'tables.orders.automatedBackup is', "'3d' to '90d'"],
  [
    "{ orders: { deletionProtection: 'yes' } }",
    'tables.orders.deletionProtection is',
    'true or false',
  ],
  ['{ orders: 1 }', 'tables.orders is', 'deletionProtection'],
  ['[]', 'tables is', 'deletionProtection'],
])('settings that cannot be: %s', async (tables, problem, fix) => {
  const { folder, run } = project('file:./data', tables);
  const { status, err } = await run('schema apply');
  expect(status).toBe(1);
  expect(err).toContain(problem);
  expect(err).toContain(fix);
  expect(existsSync(join(folder, 'data'))).toBe(false);
});

describe('live, our server', () => {
  let live: { engine: Engine; address: string; close: () => Promise<void> };
  beforeEach(async () => {
    live = await openOverOurServer();
    process.env.BIGTABLE_EMULATOR_HOST = live.address;
  });
  afterEach(async () => {
    delete process.env.BIGTABLE_EMULATOR_HOST;
    await live.close();
  });
  const url = 'bigtable://p/instance-1';

  test('views and bundles are listed with commands, as not applied, and make no difference', async () => {
    const { run } = project(url);
    await run('schema apply');
    const plan = await run('schema plan');
    expect(plan.status).toBe(0);
    expect(plan.out).toContain('Not applied by this command, and not compared with the instance\n');
    expect(plan.out).toContain(
      'rowsmith generate sql && gcloud bigtable logical-views create Order --project=p --instance=instance-1 --query="$(cat generated/views/Order.sql)"',
    );
    const { manual } = planOf(await run('schema plan --json'));
    expect(
      manual
        .filter(({ object }) => object === 'logical view')
        .map(({ name }) => name)
        .sort(),
    ).toEqual(['Device', 'Order', 'Reading']);
  });

  test('a row key schema: the plan names the check, and apply needs it unless the table is empty', async () => {
    const { run } = project(url);
    await run('schema apply');
    const withSchema = project(url, '{ orders: { rowKeySchema: true } }');
    // Nothing to verify in an empty table.
    expect(await withSchema.run('schema apply')).toMatchObject({ status: 0 });
    const stored = async () =>
      (await live.engine.listTables()).find(({ name }) => name === 'orders');
    expect((await stored())?.rowKeySchema).toBeDefined();
    await live.engine.updateTable('orders', { rowKeySchema: null });
    await run('put Order shop=oslo n=1 status=open --yes');
    const plan = await withSchema.run('schema plan');
    expect(plan.status).toBe(3);
    expect(plan.out).toContain(
      'Before: apply --verify-keys reads all keys of orders, as keys verify does',
    );
    const refused = await withSchema.run('schema apply');
    expect(refused.status).toBe(1);
    expect(refused.err).toContain('their keys were not verified');
    expect(refused.err).toContain('--verify-keys');
    expect(await withSchema.run('schema apply --verify-keys')).toMatchObject({
      status: 0,
      out: expect.stringMatching(/orders: 1 row: 1 Order.*: ok\n/),
    });
    expect((await stored())?.rowKeySchema).toBeDefined();
    await live.engine.updateTable('orders', { rowKeySchema: null });
    await live.engine.mutateRow('orders', {
      key: Buffer.from('oslo'),
      mutations: [
        {
          kind: 'setCell',
          family: 'm',
          qualifier: Buffer.from('x'),
          timestamp: 1000,
          value: Buffer.of(),
        },
      ],
    });
    const failed = await withSchema.run('schema apply --verify-keys');
    expect(failed.status).toBe(3);
    expect(failed.err).toContain('1 key of orders cannot be decoded; nothing was changed');
  });
});

test('gc --explain: usage, a missing table, and figures of a database on disk', async () => {
  const { folder, run } = project('file:./data');
  expect(await run('gc')).toMatchObject({ status: 2, err: expect.stringContaining('--explain') });
  for (const share of ['0', '1.1', 'x'])
    expect(await run(`gc --explain --share ${share}`)).toMatchObject({ status: 2 });
  expect(await run('gc --explain Nobody')).toMatchObject({ status: 2 });
  expect(await run('gc --explain')).toMatchObject({
    status: 1,
    err: expect.stringContaining('there is no such directory'),
  });
  expect(existsSync(join(folder, 'data'))).toBe(false);
  await run('schema apply');
  await run('put Order shop=oslo n=1 status=open --yes');
  const { status, out } = await run('gc --explain Order');
  expect(status).toBe(0);
  expect(out).toMatch(/^orders: 1 row\n +family +rule +stored +due now/);
  const json = JSON.parse((await run('gc --explain Order --json')).out) as {
    tables: { families: { stored: { cells: { value: number } } }[] }[];
  };
  expect(json).toMatchObject({
    url: `file:${folder}/data`,
    tables: [{ table: 'orders', share: 1 }],
  });
  const [{ families }] = json.tables;
  expect(families.reduce((sum, { stored }) => sum + stored.cells.value, 0)).toBeGreaterThan(0);
});
