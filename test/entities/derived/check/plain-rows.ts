/** Rows that are written by a program that does not declare the indexes. */
import {
  Column,
  type Database,
  Entity,
  type EntityClass,
  maxVersions,
  rowKey,
  Segment,
} from '../../../../src/index.js';
import { IndexStates } from '../../../../src/entities/derived/index.js';
import { buildModels } from '../../../../src/entities/model/index.js';
import { Database as AnyDatabase } from '../../../../src/entities/repository/index.js';
import { CellClock } from '../../../../src/data/store/index.js';

/** Order, as it was before its indexes were declared. */
@Entity({ table: 'orders', families: { m: { gc: maxVersions(3) }, c: {}, t: {} } })
export class PlainOrder {
  static readonly key = rowKey('tenant', 'id');
  @Segment('string') tenant!: string;
  @Segment('uint', { max: 999_999 }) id!: number;
  @Column('m', 'string') status?: string;
  @Column('m', 'timestamp') placedAt?: Date;
  @Column('m', 'string') email?: string;
  @Column('m', 'string') customer?: string;
  @Column('m', 'int64') total?: bigint;
}

/** A database over the same storage, opened by a program with other declarations. */
export function otherProgram(db: Database, entities: readonly EntityClass[]): Database {
  return new AnyDatabase({
    url: db.url,
    engine: db.engine,
    models: buildModels(entities),
    cellClock: new CellClock(Date.now),
    validate: true,
    onForeignRow: 'skip',
    onDamagedCell: 'throw',
  });
}

/** Saves orders without their entries. */
export async function savePlain(
  db: Database,
  orders: readonly (Partial<PlainOrder> & { readonly id: number })[],
): Promise<void> {
  const plain = otherProgram(db, [PlainOrder]).repository(PlainOrder);
  const rows = orders.map((order) =>
    plain.create({ tenant: 'acme', status: 'open', placedAt: new Date(order.id), ...order }),
  );
  const { failures } = await plain.saveMany(rows);
  expect(failures).toEqual([]);
}

/** Makes the indexes of an entity as they are after they were added to a table. */
export async function forgetStates(db: Database, entity: EntityClass): Promise<void> {
  const { indexes } = db.repository(entity).model;
  for (const index of indexes) await new IndexStates(db.engine).remove(index);
}
