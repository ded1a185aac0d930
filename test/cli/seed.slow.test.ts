/** `rowsmith seed`: runs a seed, counts its rows, and can be run again. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from '../../src/index.js';
import { openMemoryEngine } from '../../src/engines/local/index.js';
import { startServer } from '../../src/server/index.js';
import { command } from '../support/command.js';
import { Customer, Flag, Order, shop } from '../tools/testing/factory-entities.js';

const entitiesPath = JSON.stringify(join(__dirname, '../tools/testing/factory-entities.ts'));
const testingPath = JSON.stringify(join(__dirname, '../../src/tools/testing/index.ts'));
const header = `const { Customer, Flag, Order, shop } = require(${entitiesPath});
  const { factory } = require(${testingPath});`;

let folder = '';
const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
const seedWith = (body: string) =>
  write('seed.cjs', `${header} module.exports = async (db, options) => { ${body} };`);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rowsmith-seed-'));
  write('package.json', '{}');
  write(
    'rowsmith.config.cjs',
    `${header} module.exports = { entities: shop, seed: './seed.cjs', url: 'file:./data' };`,
  );
  seedWith(`
    const customers = factory(Customer, { tenant: 't' + options.seed }, { seed: options.seed });
    const orders = factory(Order, { hits: 2n });
    for (const customer of await customers.saveMany(db, 3)) await orders.for(customer).save(db);
  `);
});
afterEach(() => rmSync(folder, { recursive: true }));

const seed = async (...args: string[]) => {
  const { status, out, err } = await command(folder, ['seed', ...args, '--json']);
  const json = status === 0 ? (JSON.parse(out) as Printed) : undefined;
  return { status, err: out + err, json };
};
interface Printed {
  readonly entities: readonly object[];
  readonly dryRun: boolean;
}
const stored = async () => {
  await using db = await open(`file:${join(folder, 'data')}`, { entities: shop });
  const customers = await db.repository(Customer).scanAll().all();
  return {
    customers: customers.map(({ revision: _, ...rest }) => rest),
    orders: await db.repository(Order).scanAll().all(),
    flags: await db.repository(Flag).scanAll().count(),
  };
};

test('writes rows, counts them by entity, and a second run leaves them as they are', async () => {
  const first = await seed();
  expect(first.json?.entities).toEqual([
    { entity: 'Customer', written: 3, deleted: 0 },
    { entity: 'Order', written: 3, deleted: 0 },
  ]);
  const rows = await stored();
  expect([rows.customers.length, rows.orders.length]).toEqual([3, 3]);
  expect((await seed()).json?.entities).toEqual(first.json?.entities);
  expect(await stored()).toEqual(rows);
  await seed('--seed', '2');
  expect((await stored()).customers).toHaveLength(6);
});

test('for people: a table and the time', async () => {
  const { out, err } = await command(folder, ['seed']);
  expect(out).toMatch(
    /entity +rows\nCustomer +3\nOrder +3\n6 rows of .*seed\.cjs in \d+\.\d s\.\n/,
  );
  expect(err).toContain('there is no database at');
});

test('--dry-run writes nothing', async () => {
  const { json } = await seed('--dry-run');
  expect(json).toMatchObject({ dryRun: true, url: 'memory:' });
  expect(json?.entities).toHaveLength(2);
  expect((await stored()).customers).toEqual([]);
});

test('counts what the writes of repositories do: inserts, patches, increments and deletions', async () => {
  seedWith(`
    const flags = db.repository(Flag);
    await flags.insert(factory(Flag).build({ on: true, kind: 'a' }));
    await flags.patch({ on: true, kind: 'a' }, { value: true });
    await flags.patch({ on: true, kind: 'b' }, { value: true });
    await flags.delete({ on: true, kind: 'b' });
    await db.scope({ on: false }).repository(Flag).patch({ kind: 'b' }, { value: true });
    await flags.insert(factory(Flag).build({ on: true, kind: 'a' })).catch(() => undefined);
  `);
  const { json } = await seed();
  expect(json?.entities).toEqual([{ entity: 'Flag', written: 2, deleted: 1 }]);
  expect((await stored()).flags).toBe(2);
});

test('an error of the seed is reported, and the rows before it are kept', async () => {
  seedWith(`
    await factory(Flag).saveMany(db, 2);
    throw new Error('no such file');
  `);
  const { status, err } = await seed();
  expect(status).toBe(1);
  expect(err).toContain('no such file');
  expect((await stored()).flags).toBe(2);
});

test('a signal stops a seed that does not heed it', async () => {
  seedWith(`
    await factory(Flag).save(db);
    setTimeout(() => process.emit('SIGTERM', 'SIGTERM'), 1);
    await new Promise(() => undefined);
  `);
  const { status, err } = await seed();
  expect(status).toBe(143);
  expect(err).toContain('The same command writes the rows that are left.');
  expect((await stored()).flags).toBe(1);
});

test('a seed that waits for ever fails when nothing is left to do', async () => {
  seedWith(`
    setTimeout(() => process.emit('beforeExit', 0), 1);
    await new Promise(() => undefined);
  `);
  const { status, err } = await seed();
  expect(status).toBe(1);
  expect(err).toMatch(/waits for a promise that nothing settles/);
  const dry = await seed('--dry-run');
  expect(dry.err).not.toContain('The same command writes');
});

test('.proto files are found from the folder of the config, wherever the seed is', async () => {
  write('place.proto', 'syntax = "proto3"; package a; message Place { string street = 1; }');
  mkdirSync(join(folder, 'seeds'));
  const library = JSON.stringify(join(__dirname, '../../src/index.ts'));
  write(
    'seeds/spots.cjs',
    `const { column, defineEntity, fromProto, packed, rowKey } = require(${library});
    const { factory } = require(${testingPath});
    class Spot {}
    const Spots = defineEntity(Spot, {
      table: 'spots', families: { m: {} }, key: rowKey('id'),
      segments: { id: { kind: 'string', maxLength: 20 } },
      columns: { place: packed('m', fromProto('place.proto', 'Place')) },
    });
    module.exports = () => factory(Spots).build();`,
  );
  expect(await seed('seeds/spots.cjs')).toMatchObject({ status: 0 });
});

test('live Bigtable needs --yes; an emulator does not', async () => {
  const { status, err } = await seed('--url', 'bigtable://p/instance-1');
  expect(status).toBe(2);
  expect(err).toMatch(/is live Bigtable.*give --yes/s);
  const engine = await openMemoryEngine({});
  const server = await startServer(engine);
  process.env.BIGTABLE_EMULATOR_HOST = server.address;
  try {
    const live = await open('bigtable://p/instance-1', { entities: shop });
    await live.admin.apply();
    await live.close();
    const { json } = await seed('--url', 'bigtable://p/instance-1');
    expect(json?.entities).toHaveLength(2);
  } finally {
    delete process.env.BIGTABLE_EMULATOR_HOST;
    await server.close();
    await engine.close();
  }
});

test('what is no seed is refused', async () => {
  write('seed.cjs', 'module.exports = { rows: 3 };');
  expect((await seed()).err).toMatch(/default export is .*not a function/);
  write('class.cjs', 'module.exports = class Seed {};');
  expect((await seed('class.cjs')).err).toMatch(/default export is a class, not a function/);
  write('generator.cjs', 'module.exports = async function* seed() {};');
  expect((await seed('generator.cjs')).err).toMatch(
    /default export is a generator, not a function/,
  );
  expect((await seed('missing.js')).err).toMatch(/there is no file .*missing\.js/);
  // Other files: the modules of those before are loaded.
  write('other.cjs', 'module.exports = () => undefined;');
  const inMemory = await seed('other.cjs', '--url', 'memory:');
  expect(inMemory.err).toContain('memory: is empty in every process');
  write('none.cjs', `${header} module.exports = { entities: shop, url: 'file:./data' };`);
  const none = await seed('--config', 'none.cjs');
  expect(none.err).toMatch(/no seed was given.*set seed: '.\/seed.ts'/s);
});
