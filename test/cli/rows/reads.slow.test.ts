/** Commands that read rows, on a terminal and in a pipe: the same texts over every back end. */
import { readFileSync, writeFileSync } from 'node:fs';
import { open } from '../../../src/index.js';
import { openEngine } from '../../../src/engines/index.js';
import { expectGolden } from '../../support/golden.js';
import { Order } from './entities.js';
import { entities, project, type Shop, shops } from './shop.js';

/** Command lines; words are separated by spaces. */
const lines = [
  'ls',
  'ls Order',
  'ls Order shop=oslo',
  'ls Order shop=oslo --reverse --limit 2',
  'ls Reading tenant=acme --exact',
  'get Order shop=oslo n=3',
  'get Order {"shop":"oslo","n":3} --select status,tags',
  'get Order --key oslo#0002 --select shop',
  'get Order shop=oslo n=1 --as-of 2026-11-20T12:00:30Z',
  'get Order shop=oslo n=1 --history --select status',
  'get Order shop=oslo n=3 --history --select tags',
  'get Reading tenant=acme device=d1 at=2026-11-20T09:00:00Z --versions 1',
  'get Reading tenant=acme device=d1 at=2026-11-20T09:00:00Z --raw --versions 1',
  'get Order --index byCode code=a3 --select total',
  'get Order --index byCode code=zz',
  'get Order shop=oslo n=9',
  'scan Order',
  'scan Order --wide',
  'scan Order shop=oslo --select status --reverse --limit 2',
  'scan Order shop=oslo n=3 n=1 --select status',
  'scan Order shop=oslo shop=rome n=1 --select status',
  'scan Order shop=oslo n>=2 n<3 --select total',
  'scan Order shop=oslo --from n=2 --select total',
  'scan Order shop=oslo --to n=2 --select total',
  'scan Order --starts shop=ro --select total',
  'scan Order --where status=failed --select status',
  'scan Order --where total>9007199254740992 --select total',
  'scan Order --index byStatus status=failed --select code',
  'scan Order --index byStatus --starts status=o --select status',
  'scan Order ofShop shop=oslo',
  'scan Order range shop=oslo --from n=2 --to n=3 --select status',
  'scan Order newest shop=oslo n>=3 --select status',
  'scan Order shop=nowhere',
  'scan Device --raw',
  'scan Reading tenant=acme device=d2 --history --limit 1',
  'scan Reading tenant=acme device=d2 --as-of 2026-11-20T02:00:00Z',
  'count Order',
  'count Order shop=oslo --where status=open',
  'count Order --index byStatus status=failed',
  'count Order ofShop shop=oslo',
  'keys encode Reading tenant=a device=b at=2026-01-01',
  'keys encode Order --index byStatus status=a shop=b n=1',
  'keys encode Order shop=a n=1 --as hex',
  'keys decode acme#d1#8204859999999',
  'keys decode 61636d652364',
  'keys decode b3Nsbw== Order --as base64',
  'keys verify',
];

describe.each(shops)('$name', ({ open: openShop }) => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await openShop();
  });
  afterAll(() => shop.close());

  test('tables, lines of JSON and messages', async () => {
    const texts: string[] = [];
    for (const line of lines) {
      texts.push(shown(line, await shop.onTerminal(line.split(' '))));
      texts.push(shown(`${line} | cat`, await shop.run(line.split(' '))));
    }
    expectGolden('../cli/rows/golden/reads.txt', texts.join('\n'));
  });

  test('--json is what a pipe gets, and errors as JSON', async () => {
    for (const line of ['ls', 'scan Order', 'get Order shop=oslo n=3', 'ls Order', 'keys verify']) {
      const piped = await shop.run(line.split(' '));
      const json = await shop.onTerminal([...line.split(' '), '--json']);
      expect({ status: json.status, out: json.out }).toEqual({ status: 0, out: piped.out });
    }
    expect((await shop.run(['count', 'Order', '--json'])).out).toBe(
      '{"entity":"Order","count":4}\n',
    );
  });

  test('the plans of reads', async () => {
    for (const [line, text] of [
      ['Order shop=oslo n>=2', "shop = 'oslo' and n >= 2"],
      ['Order', 'FULL SCAN Order in table orders'],
      ['get Order shop=oslo n=1', '[oslo#0001 .. oslo#0001\\x00)'],
      ['count Order shop=oslo', 'without values'],
      ['ls Order', 'row of each shop: the rows between are skipped'],
      ['Order ofShop shop=oslo', 'limit     2 rows'],
      ['Order --index byStatus status=open', 'index     byStatus'],
      ['Order --where status=open', "server    status = 'open'"],
    ])
      expect((await shop.run(['explain', ...line.split(' ')])).out).toContain(text);
    const { out } = await shop.run(['explain', 'Order', 'shop=oslo', '--json']);
    expect(JSON.parse(out)).toMatchObject({ entity: 'Order', fullScan: false });
  });
});

/** What a command printed, without what is measured in time. */
function shown(
  line: string,
  { status, out, err }: { readonly status: number; readonly out: string; readonly err: string },
): string {
  const messages = err.split(/[\r\n]/).filter((each) => each !== '' && !each.includes('rows/s'));
  const notes = messages.map((each) => `! ${each}\n`).join('');
  return `$ rowsmith ${line}\n${out}${notes}${status === 0 ? '' : `exit code ${status}\n`}`;
}

test('a database that another program has open', async () => {
  const shop = await shops[0].open();
  const db = await open(shop.url, { entities });
  try {
    expect((await shop.run(['count', 'Order'])).out).toBe('4\n');
    const orders = db.repository(Order);
    await orders.save(orders.create({ shop: 'oslo', n: 8, status: 'new' }));
    expect((await shop.run(['get', 'Order', 'shop=oslo', 'n=8'])).out).toBe(
      '{"shop":"oslo","n":8,"status":"new"}\n',
    );
    const write = ['put', 'Order', 'shop=oslo', 'n=9', 'status=x'];
    expect(await shop.run([...write, '--dry-run'])).toMatchObject({ status: 0 });
    expect(await shop.run([...write, '--yes'])).toMatchObject({
      status: 1,
      out: '',
      err: expect.stringContaining('in use') as string,
    });
  } finally {
    await db.close();
    await shop.close();
  }
});

test('rows and keys that cannot be read', async () => {
  const shop = await shops[0].open();
  const engine = await openEngine(shop.url);
  const cell = (key: string, qualifier: string, value: string) =>
    engine.mutateRow('orders', {
      key: Buffer.from(key),
      mutations: [
        {
          kind: 'setCell',
          family: 'm',
          qualifier: Buffer.from(qualifier),
          timestamp: 1000,
          value: Buffer.from(value),
        },
      ],
    });
  await cell('oslo#0004', 'total', 'not eight bytes');
  await cell('oslo#5', 'status', 'x');
  await cell('oslo#6', 'status', 'x');
  await cell('other', 'status', 'x');
  await engine.close();

  const scanned = await shop.run(['scan', 'Order', 'shop=oslo', '--select', 'total']);
  expect(scanned).toMatchObject({
    status: 4,
    err: expect.stringMatching(/^1 row left out, .* oslo#0004, total: .*--raw/m) as string,
  });
  expect(scanned.out.trim().split('\n')).toHaveLength(3);
  expect(await shop.run(['get', 'Order', 'shop=oslo', 'n=4'])).toMatchObject({
    status: 1,
    err: expect.stringContaining('Order.total') as string,
  });
  const raw = await shop.run(['get', 'Order', 'shop=oslo', 'n=4', '--raw']);
  expect(JSON.parse(raw.out)).toMatchObject({
    key: 'oslo#0004',
    cells: [
      { family: 'm', qualifier: 'total', value: Buffer.from('not eight bytes').toString('base64') },
    ],
  });
  expect(await shop.run(['get', 'Order', 'shop=oslo', 'n=4', '--history'])).toMatchObject({
    status: 1,
    err: expect.stringContaining('Order.total') as string,
  });

  const verified = await shop.run(['keys', 'verify', 'Order']);
  expect(verified.status).toBe(3);
  expect(JSON.parse(verified.out)).toEqual({
    table: 'orders',
    sampled: false,
    rows: 8,
    entities: { Order: 5 },
    undecodable: 3,
    reasons: [
      {
        entity: 'Order',
        reason: "Part 2 of the key is not a value of segment 'n' (4 digits).",
        rows: 2,
        keys: ['oslo#5', 'oslo#6'],
      },
      {
        entity: 'Order',
        reason: "Part 1 of the key is not a value of segment 'shop' (UTF-8).",
        rows: 1,
        keys: ['other'],
      },
    ],
  });
  expect((await shop.onTerminal(['keys', 'verify', 'Order'])).out).toContain(
    'orders: 8 rows: 5 Order: 3 undecodable\n  2  Order: Part 2',
  );
  const sampled = await shop.run(['keys', 'verify', 'Order', '--sample', '2']);
  expect(JSON.parse(sampled.out)).toMatchObject({ sampled: true, rows: 2 });

  const damage = async (): Promise<void> => {
    const other = await openEngine(shop.url);
    await other.mutateRow('orders', {
      key: Buffer.from('oslo#0004'),
      mutations: [
        {
          kind: 'setCell',
          family: 'm',
          qualifier: Buffer.from('total'),
          timestamp: Date.now() * 1000,
          value: Buffer.from('?'),
        },
      ],
    });
    await other.close();
  };

  expect((await shop.run(['get', 'Order', 'shop=oslo', 'n=4'])).err).toContain('--raw');
  // A cell that cannot be decoded can be replaced.
  for (const [command, value] of [
    ['patch', '1'],
    ['put', '2'],
  ]) {
    await damage();
    const line = [command, 'Order', 'shop=oslo', 'n=4', `total=${value}`, '--yes'];
    expect(await shop.run(line)).toMatchObject({
      status: 0,
      err: expect.stringContaining("'total' cannot be decoded") as string,
    });
    expect((await shop.run(['get', 'Order', 'shop=oslo', 'n=4'])).out).toBe(
      `{"shop":"oslo","n":4,"total":"${value}"}\n`,
    );
  }
  await damage();
  // A row that cannot be decoded can be deleted.
  expect(await shop.run(['delete', 'Order', 'shop=oslo', 'n=4', '--yes'])).toMatchObject({
    status: 0,
    out: '{"entity":"Order","rows":1,"deleted":1,"failed":0}\n',
  });
  expect(await shop.run(['get', 'Order', 'shop=oslo', 'n=4'])).toMatchObject({ status: 1 });
  await shop.close();
});

test('timestamps that no Date has', async () => {
  const shop = await shops[0].open();
  const engine = await openEngine(shop.url);
  // The last one of Bigtable, and one after the year 9999.
  const timestamps = [9_223_372_036_854_775_000n, 253_402_300_800_000_000n];
  for (const [i, timestamp] of timestamps.entries())
    await engine.mutateRow('orders', {
      key: Buffer.from(`oslo#000${i + 4}`),
      mutations: [
        {
          kind: 'setCell',
          family: 'm',
          qualifier: Buffer.from('status'),
          timestamp,
          value: Buffer.from('x'),
        },
      ],
    });
  await engine.close();
  const args = ['scan', 'Order', 'shop=oslo', 'n>=4'];
  const times = ['+294247-01-10T04:00:54.775Z', '+010000-01-01T00:00:00.000Z'];
  const raw = await shop.run([...args, '--raw']);
  const history = await shop.run([...args, '--history']);
  for (const [i, time] of times.entries()) {
    expect(JSON.parse(raw.out.split('\n')[i])).toMatchObject({ cells: [{ at: time }] });
    expect(JSON.parse(history.out.split('\n')[i])).toMatchObject({ at: time });
  }
  const { out } = await shop.onTerminal([...args, '--raw']);
  expect(out).toContain('@ 294247/01/10-04:00:54.775000\n');
  expect(out).toContain('@ 10000/01/01-00:00:00.000000\n');
  await shop.close();
});

test('many rows: an estimate, counts that are cut off, and values in groups', async () => {
  const shop = await shops[0].open();
  const db = await open(shop.url, { entities, durability: 'relaxed' });
  const orders = db.repository(Order);
  const many = Array.from({ length: 6_000 }, (_, i) =>
    orders.create({
      shop: i % 2 === 0 ? 'oslo' : `s${String(i).padStart(4, '0')}`,
      n: i,
      total: 1n,
    }),
  );
  await orders.saveMany(many);
  await db.close();
  const listed = await shop.run(['ls']);
  const [order] = listed.out.split('\n').map((line) => JSON.parse(line || '{}') as object);
  expect(order).toMatchObject({ entity: 'Order', estimated: true });
  const { rows } = order as { readonly rows: number };
  expect(rows).toBeGreaterThan(3_000);
  expect(rows).toBeLessThan(12_000);
  const shopsOf = async (...args: string[]) =>
    (await shop.run(['ls', 'Order', ...args])).out.trim().split('\n');
  const values = await shopsOf();
  expect(values).toHaveLength(3_002);
  expect(values[0]).toBe('{"segment":"shop","value":"oslo","rows":1000,"more":true}');
  expect((await shopsOf('--exact', '--limit', '1'))[0]).toBe(
    '{"segment":"shop","value":"oslo","rows":3002,"more":false}',
  );
  await shop.close();
});

test('terminals that do not know their width, and narrow ones', async () => {
  const shop = await shops[0].open();
  const args = ['get', 'Order', 'shop=oslo', 'n=3'];
  const { out } = await shop.onTerminal(args);
  expect((await shop.onTerminal(args, { columns: 0 })).out).toBe(out);
  const narrow = await shop.onTerminal(args, { columns: 5 });
  expect(narrow.out).toContain('\nextra     {"big":[1…\n');
  const cut = await shop.onTerminal(['scan', 'Order'], { columns: 30 });
  expect(cut.out.split('\n').every((line) => line.length <= 30)).toBe(true);
  expect(cut.err).toMatch(/^\d+ columns not shown: .*tags; --wide shows all\n$/);
  await shop.close();
});

test.each(shops)('$name: tables that do not exist', async ({ open: openShop }) => {
  const shop = await openShop();
  const engine = await openEngine(shop.url);
  await engine.deleteTable('telemetry');
  await engine.close();
  expect((await shop.run(['ls'])).out).toContain(
    '{"entity":"Device","table":"telemetry","key":["tenant","device"],"rows":null',
  );
  expect(await shop.run(['keys', 'verify', 'Device'])).toEqual({
    status: 0,
    out: '',
    err: 'there is no table telemetry: nothing to verify\n',
  });
  expect(await shop.run(['scan', 'Device'])).toMatchObject({
    status: 1,
    err: expect.stringMatching(
      /telemetry[^]*rowsmith schema plan|rowsmith schema plan[^]*telemetry/,
    ) as string,
  });
  await shop.close();
});

test('a project without a database', async () => {
  const shop = project('');
  const file = `${shop.folder}/rowsmith.config.cjs`;
  writeFileSync(file, readFileSync(file, 'utf8').replace(', url: ""', ''));
  expect(await shop.run(['ls'])).toMatchObject({
    status: 0,
    out: expect.stringContaining(
      '{"entity":"Order","table":"orders","key":["shop","n"],"rows":null',
    ) as string,
    err: expect.stringContaining('give --url URL') as string,
  });
  expect(await shop.run(['explain', 'Order', 'shop=a'])).toMatchObject({ status: 0, err: '' });
  expect(await shop.run(['scan', 'Order'])).toMatchObject({
    status: 2,
    err: expect.stringContaining('no database is named: give --url URL') as string,
  });
  await shop.close();
});
