/** The calls whose code is counted: each writes or reads one row, or a few, in its usual way. */
import { Column, Entity, Segment } from '../../decorators/index.js';
import {
  type Database,
  indexOn,
  indexes,
  maxVersions,
  open,
  rollups,
  rowKey,
} from '../../src/index.js';

const families = { m: { gc: maxVersions(1) } };

@Entity({ table: 'plain', families })
class Plain {
  static readonly key = rowKey('tenant', 'at', 'id');
  @Segment('string') tenant!: string;
  @Segment('timestamp') at!: Date;
  @Segment('uint', { max: 9_999_999 }) id!: number;
  @Column('m', 'string') status?: string;
  @Column('m', 'int32') items?: number;
  @Column('m', 'timestamp') placedAt?: Date;
}

@Entity({ table: 'indexed', families })
class Indexed extends Plain {
  static readonly indexes = indexes({ byStatus: indexOn('tenant', 'status', 'placedAt') });
}

@Entity({ table: 'rolled', families })
class Rolled extends Plain {
  static readonly rollups = rollups({
    daily: {
      by: ['tenant', { time: 'at', every: '1d' }],
      values: { count: 'count', items: { sum: 'items' }, most: { max: 'items' } },
    },
  });
}

/** A call. What `prepare` does is not counted, what it returns is. */
export interface Call {
  readonly name: string;
  readonly prepare: () => () => Promise<unknown>;
}

const entities = [Plain, Indexed, Rolled];
const queryRows = 10;

/** A database in memory, or of a server at `HOST:PORT`, with the rows that the queries read. */
export async function openDatabase(server: string | undefined): Promise<Database> {
  const db = await openAt(server);
  for (const entity of entities) {
    const repository = db.repository(entity);
    for (let id = 0; id < queryRows; id++) await repository.save(repository.create(valuesOf(id)));
  }
  return db;
}

async function openAt(server: string | undefined): Promise<Database> {
  if (server === undefined) return open('memory:', { entities });
  const db = await open('bigtable://p/i', { entities, bigtable: { emulatorHost: server } });
  await db.admin.apply();
  return db;
}

/** The calls; each save is of a new row. */
export function callsOf(db: Database): readonly Call[] {
  const plain = db.repository(Plain);
  const indexed = db.repository(Indexed);
  let nextId = queryRows;
  const saveOf = (entity: typeof Plain) => () => {
    const repository = db.repository(entity);
    const row = repository.create(valuesOf(nextId++));
    return () => repository.save(row);
  };
  const open = { tenant: 'acme', status: 'open' };
  return [
    { name: 'save', prepare: saveOf(Plain) },
    { name: 'save, index', prepare: saveOf(Indexed) },
    { name: 'save, rollup', prepare: saveOf(Rolled) },
    { name: 'get', prepare: () => () => plain.get(valuesOf(0)) },
    { name: 'query', prepare: () => () => plain.prefix({ tenant: 'acme' }).limit(queryRows).all() },
    {
      name: 'query, index',
      prepare: () => () => indexed.index('byStatus').prefix(open).limit(queryRows).all(),
    },
  ];
}

function valuesOf(id: number) {
  const at = new Date(Date.UTC(2026, 0, 1, 0, 0, id));
  return { tenant: 'acme', at, id, status: 'open', items: id % 10, placedAt: at };
}
