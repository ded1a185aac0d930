/** An index is closed by programs that do not declare it, whatever the class was named before. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Column,
  type Database,
  Entity,
  type EntityClass,
  indexOn,
  indexes,
  open,
  rowKey,
  Segment,
} from '../../../../src/index.js';
import { RowsmithError } from '../../../../src/base/index.js';
import { IndexStates } from '../../../../src/entities/derived/index/index-states.js';
import { buildModel } from '../../../../src/entities/model/index.js';
import { DelegatingEngine } from '../../../support/delegating-engine.js';

const byStatus = indexes({ byStatus: indexOn('status').in('entries') });

/** A class of this name, with the index or without. */
function classOf(name: string, table: string, isIndexed = true): EntityClass<Row> {
  class Described {
    static readonly key = rowKey('id');
    static readonly indexes = isIndexed ? byStatus : undefined;
    @Segment('string', { maxLength: 20 }) id!: string;
    @Column('m', 'string') status?: string;
  }
  Object.defineProperty(Described, 'name', { value: name });
  Entity({ table, families: { m: {} } })(Described);
  return Described;
}

interface Row {
  id: string;
  status?: string;
}

type Rows = {
  create(row: Row): Row;
  save(row: Row): Promise<void>;
  index(name: string): { prefix(p: object): { all(): Promise<readonly Row[]> } };
};

let folder: string;
let db: Database;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rowsmith-'));
});
afterEach(async () => {
  await db.close();
  rmSync(folder, { recursive: true });
});

/** Opens the database with one class, after closing it. */
async function reopen(entity: EntityClass<Row>): Promise<Rows> {
  await (db as Database | undefined)?.close();
  db = await open(`file:${folder}`, { entities: [entity], durability: 'relaxed', lint: false });
  return db.repository(entity) as unknown as Rows;
}

const save = (rows: Rows, id: string): Promise<void> =>
  rows.save(rows.create({ id, status: 'open' }));
const find = (rows: Rows): Promise<readonly Row[]> =>
  rows.index('byStatus').prefix({ status: 'open' }).all();

test('a class that was renamed closes its index when it no longer declares it', async () => {
  await save(await reopen(classOf('Order', 'orders')), '1');
  const renamed = await reopen(classOf('Purchase', 'orders'));
  expect(await find(renamed)).toHaveLength(1);
  await save(await reopen(classOf('Purchase', 'orders', false)), '2');
  const again = await reopen(classOf('Purchase', 'orders'));
  await expect(find(again)).rejects.toMatchObject({ code: 'INDEX_NOT_READY' });
});

test('entries of the rows of another table do not make an index ready', async () => {
  await save(await reopen(classOf('Order', 'orders')), '1');
  await save(await reopen(classOf('Invoice', 'invoices', false)), '2');
  const Invoice = classOf('Invoice', 'invoices');
  const invoices = await reopen(Invoice);
  await expect(find(invoices)).rejects.toMatchObject({ code: 'INDEX_NOT_READY' });
  await db.derived.rebuild(Invoice, 'byStatus');
  expect((await find(invoices)).map(({ id }) => id)).toEqual(['2']);
  const orders = await reopen(classOf('Order', 'orders'));
  await expect(find(orders)).rejects.toMatchObject({ code: 'INDEX_NOT_READY' });
});

test('a database is not open before the indexes that it does not declare are closed', async () => {
  await save(await reopen(classOf('Order', 'orders')), '1');
  class Failing extends DelegatingEngine {
    override checkAndMutateRow(): Promise<boolean> {
      return Promise.reject(new RowsmithError('STORAGE_FAILED', { problem: 'no space' }));
    }
  }
  const states = new IndexStates(new Failing(db.engine));
  await expect(
    states.prepare([buildModel(classOf('Order', 'orders', false) as EntityClass)]),
  ).rejects.toMatchObject({ code: 'STORAGE_FAILED' });
});
