/** Exports of what a query finds, resumed and imported again. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import {
  Column,
  type Database,
  Entity,
  maxVersions,
  open,
  rowKey,
  Segment,
} from '../../../src/index.js';
import { exportRows, type ExportableQuery, importRows } from '../../../src/tools/index.js';
import { backEnds } from '../../entities/repository/support/back-ends.js';

@Entity({ table: 'orders', families: { m: { gc: maxVersions(3) }, n: {} } })
class Order {
  static readonly key = rowKey('shop', 'n');
  @Segment('string') shop!: string;
  @Segment('uint', { max: 9999 }) n!: number;
  @Column('m', 'string') status?: string;
  @Column('n', 'int64') cents?: bigint;
}

@Entity({
  table: 'spread',
  families: { m: { gc: maxVersions(3) }, n: {} },
  shards: { count: 3, by: ['n'] },
})
class Spread {
  static readonly key = rowKey('shop', 'n');
  @Segment('string') shop!: string;
  @Segment('uint', { max: 9999 }) n!: number;
  @Column('m', 'string') status?: string;
  @Column('n', 'int64') cents?: bigint;
}

const folder = mkdtempSync(join(tmpdir(), 'rowsmith-export-query-'));
const file = join(folder, 'out.jsonl');
afterAll(() => rmSync(folder, { recursive: true }));

const written = (): { shop: string; n: number }[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { shop: string; n: number });

const rows = ['a', 'b'].flatMap((shop) =>
  Array.from({ length: 300 }, (_, n) => ({
    shop,
    n,
    status: n % 7 === 0 ? 'failed' : 'ok',
    cents: n % 2 === 0 ? BigInt(n) : undefined,
  })),
);

describe.each(backEnds)('on $name', (backEnd) => {
  let db: Database;
  let close: () => Promise<void>;
  beforeAll(async () => {
    ({ db, close } = await backEnd.open([Order, Spread]));
    for (const entity of [Order, Spread] as (typeof Order)[]) {
      const orders = db.repository(entity);
      await orders.saveMany(rows.map((row) => orders.create(row)));
    }
  });
  afterAll(() => close());

  test.each([Order, Spread])('the rows of the query, in its order (%p)', async (entity) => {
    const orders = db.repository(entity);
    const inShop = orders.prefix({ shop: 'a' });
    const queries = [
      inShop,
      inShop.since('n', 250),
      orders.oneOf('shop', ['a', 'b', 'none']).since('n', 290),
      inShop.where({ status: 'failed' }),
      inShop.where({ cents: { above: 100n } }).limit(10),
      inShop.reverse().limit(7),
      orders.firstPer('shop'),
      orders.scanAll().limit(450),
      orders.prefixes([]),
    ];
    for (const query of queries) {
      const expected = (await query.all()).map(({ shop, n }) => [shop, n]);
      const result = await exportRows(query, file, { format: 'jsonl' });
      const found = written().map(({ shop, n }) => [shop, n]);
      const byKey = (a: unknown[], b: unknown[]): number => (String(a) < String(b) ? -1 : 1);
      expect(result.rows).toBe(expected.length);
      // Whole ranges of sharded tables are exported in the order of storage.
      expect(found.sort(byKey)).toEqual(expected.sort(byKey));
    }
    await exportRows(inShop.reverse().limit(7), file, { format: 'jsonl' });
    expect(written().map(({ n }) => n)).toEqual([299, 298, 297, 296, 295, 294, 293]);
  });

  test('rows are exported whole, and can be imported again', async () => {
    const orders = db.repository(Order);
    const key = { shop: 'a', n: 2 };
    await orders.patch(key, { status: 'changed' });
    await exportRows(orders.prefix({ shop: 'a' }).where({ status: 'changed' }), file, {
      format: 'jsonl',
    });
    const other = await open('memory:', { entities: [Order] });
    await importRows(other.engine, other.repository(Order).model, file, { format: 'jsonl' });
    expect(await other.repository(Order).get(key)).toEqual(await orders.get(key));
    expect(await other.repository(Order).history(key, 'status')).toHaveLength(2);
    await other.close();
  });

  test.each(['jsonl', 'csv'] as const)('rows of a scope have its segments (%s)', async (format) => {
    const scope = db.scope({ shop: 'b' });
    const query = scope.repository(Order).since('n', 290);
    const whole = db.repository(Order).prefix({ shop: 'b' }).since('n', 290);
    await exportRows(whole, file, { format });
    const expected = readFileSync(file, 'utf8');
    await exportRows(query, file, { format });
    expect(readFileSync(file, 'utf8')).toBe(expected);
    const other = await open('memory:', { entities: [Order] });
    const { model } = other.repository(Order);
    expect(await importRows(other.engine, model, file, { format })).toMatchObject({ written: 10 });
    expect(await other.repository(Order).scanAll().all()).toEqual(await whole.all());
    // A scope accepts its own rows, and rejects rows of another scope.
    const imported = (shop: string): Promise<{ written: number; rejected: number }> =>
      importRows(other.engine, other.scope({ shop }).repository(Order).model, file, {
        format,
        rejects: join(folder, 'rejects.jsonl'),
      });
    expect(await imported('b')).toMatchObject({ written: 10, rejected: 0 });
    expect(await imported('a')).toMatchObject({ written: 0, rejected: 10 });
    await other.close();
  });
});

describe('resume', () => {
  let db: Database;
  beforeAll(async () => {
    db = await open('memory:', { entities: [Order] });
    const orders = db.repository(Order);
    await orders.saveMany(
      Array.from({ length: 9000 }, (_, n) =>
        orders.create({ shop: 'a', n, status: n % 3 === 0 ? 'failed' : 'x'.repeat(60) }),
      ),
    );
  });
  afterAll(() => db.close());

  test.each([false, true])(
    'a stopped export goes on with the same query (where: %s)',
    async (where) => {
      const orders = db.repository(Order);
      let query = orders.prefix({ shop: 'a' }).limit(8000).reverse();
      if (where) query = query.where({ status: { not: 'failed' } });
      await exportRows(query, file, { format: 'jsonl' });
      const whole = readFileSync(file, 'utf8');
      rmSync(file);
      const controller = new AbortController();
      let seen = 0;
      const stopped = exportRows(query, file, {
        format: 'jsonl',
        signal: controller.signal,
        onProgress: ({ rows: count }) => {
          seen = count;
          if (count > 2000) controller.abort(new Error('stop'));
        },
      });
      await expect(stopped).rejects.toThrow('stop');
      expect(seen).toBeGreaterThan(2000);
      const other = exportRows(query.limit(8001), file, { format: 'jsonl', resume: true });
      await expect(other).rejects.toMatchObject({ code: expect.any(String) as string });
      const result = await exportRows(query, file, { format: 'jsonl', resume: true });
      expect(result.resumedAfter).toBeGreaterThan(0);
      expect(readFileSync(file, 'utf8')).toBe(whole);
    },
  );

  test('a stream of the web is rejected, with the way to pass it', async () => {
    const query = db.repository(Order).scanAll();
    const sink = new WritableStream() as unknown as string;
    await expect(exportRows(query, sink, { format: 'jsonl' })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: { property: 'to', fix: expect.stringContaining('Writable.fromWeb') as string },
    });
    const chunks: Uint8Array[] = [];
    const web = new WritableStream<Uint8Array>({ write: (chunk) => void chunks.push(chunk) });
    await exportRows(query.limit(3), Writable.fromWeb(web as never), { format: 'jsonl' });
    expect(Buffer.concat(chunks).toString().split('\n')).toHaveLength(4);
  });

  test('the signal of the query stops it', async () => {
    const query = db
      .repository(Order)
      .scanAll()
      .signal(AbortSignal.abort(new Error('stop')));
    await expect(exportRows(query, file, { format: 'jsonl' })).rejects.toThrow('stop');
  });

  test('queries for parts of rows are rejected', async () => {
    const orders = db.repository(Order);
    const wrong: unknown[] = [
      orders.scanAll().select('status'),
      orders.scanAll().keysOnly(),
      orders.distinct('shop'),
      orders.scanAll().asOf(new Date()),
    ];
    for (const query of wrong)
      await expect(
        exportRows(query as ExportableQuery, file, { format: 'jsonl' }),
      ).rejects.toMatchObject({
        code: 'INVALID_QUERY',
        details: { entity: 'Order', fix: expect.any(String) as string },
      });
    await expect(exportRows({} as never, file, { format: 'jsonl' })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
  });
});
