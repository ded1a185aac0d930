/**
 * Exports the results of the public interface, so that a compiler with `declaration` has to name
 * their types: TypeScript reports TS2742 or TS4023 for a type that no entry point exports.
 */
import {
  aggregate,
  bufferedCounters,
  Column,
  ColumnMap,
  Counter,
  copies,
  copyOf,
  Entity,
  entriesOf,
  enumOf,
  Field,
  fromProto,
  indexes,
  indexOn,
  literal,
  maxVersions,
  Message,
  open,
  Packed,
  Revision,
  RowsmithError,
  rollups,
  rowKey,
  Segment,
  shared,
  table,
  uniqueIndexOn,
  Versions,
  type Version,
} from 'rowsmith';

// Declarations.
export const families = { m: { gc: maxVersions(1) }, c: aggregate('sum'), h: {}, p: {} };
export const orders = table('orders', { families });
export const Name = Segment('string');
export const Total = Column('m', 'double');
export const Hits = Counter('c');
export const Prices = ColumnMap('p', 'double', { qualifiers: 'timestamp' });
export const History = Versions('h', 'double');
export const Rev = Revision('m');
export const Number1 = Field(1, 'double');
export const OrderEntity = Entity({ table: orders });
export const MessageOf = Message('shop.Address');
export const fromFile = fromProto('shop.proto', 'Address');
export enum Mode {
  OFF,
  ON,
}
export const mode = enumOf(Mode);

@Message('shop.Address')
export class Address {
  @Field(1, 'string') street?: string;
}

@Entity({ table: 'authors', families: { m: {} } })
export class Author {
  static readonly key = rowKey('tenant', 'id');
  @Segment('string') tenant!: string;
  @Segment('string') id!: string;
  @Column('m', 'string') name?: string;
}

@Entity({ table: orders })
export class Order {
  static readonly key = rowKey(literal('order'), 'tenant', 'at');
  static readonly indexes = indexes({
    byStatus: indexOn('tenant', 'status').including('total'),
    byEmail: uniqueIndexOn('tenant', 'email'),
  });
  static readonly rollups = rollups({
    hourly: { by: ['tenant', { time: 'at', every: '1h' }], values: { total: { count: 'total' } } },
  });
  @Segment('string') tenant!: string;
  @Segment('timestamp') at!: Date;
  @Column('m', 'string') status?: string;
  @Column('m', 'string') email?: string;
  @Column('m', 'double') total?: number;
  @Packed('m', () => Address) address?: Address;
  @ColumnMap('p', 'double', { qualifiers: 'timestamp' }) prices?: Map<Date, number>;
  @Versions('h', 'double') history?: Version<number>[];
  @Counter('c') views?: bigint;
}

@Entity({ table: 'books', families: { m: {} } })
export class Book {
  static readonly key = rowKey('tenant', 'id');
  static readonly indexes = indexes({ byAuthor: indexOn('tenant', 'authorId') });
  static readonly copies = copies({
    authorName: copyOf(() => Author, 'name', { tenant: 'tenant', id: 'authorId' }),
  });
  @Segment('string') tenant!: string;
  @Segment('string') id!: string;
  @Column('m', 'string') authorId?: string;
  @Column('m', 'string') authorName?: string;
}

// Databases.
export const opened = open('memory:', { entities: [Order, Author, Book] });
export const sharedDatabase = shared('memory:', { entities: [Order] });
type Opened = Awaited<typeof opened>;
export const engine = (db: Opened) => db.engine;
export const admin = (db: Opened) => db.admin;
export const derived = (db: Opened) => db.derived;
export const scope = (db: Opened) => db.scope({ tenant: 'acme' });
export const collection = (db: Opened) => db.collection({ order: Order });
export const repository = (db: Opened) => db.repository(Order);
type Orders = ReturnType<typeof repository>;
export const scoped = (db: Opened) => scope(db).repository(Order);
export const deletedAll = (db: Opened) => scope(db).deleteAll();
export const members = (db: Opened) => collection(db).scanAll();
export const memberRows = (db: Opened) => members(db).all();
export const memberGroups = (db: Opened) => members(db).explain();

// What an entity is, as data.
export const model = (orders: Orders) => orders.model;
export const segments = (orders: Orders) => model(orders).segments;
export const columns = (orders: Orders) => model(orders).columns;
export const key = (orders: Orders) => model(orders).key;
export const storedTable = (orders: Orders) => model(orders).table;
export const indexModels = (orders: Orders) => model(orders).indexes;
export const rollupModels = (orders: Orders) => model(orders).rollups;
export const copyModels = (orders: Orders) => model(orders).copies;
export const patternModels = (orders: Orders) => model(orders).patterns;
export const hooks = (orders: Orders) => model(orders).hooks;
export const managed = (orders: Orders) => model(orders).managed;

// Reads.
const of = { tenant: 'acme' };
export const prefix = (orders: Orders) => orders.prefix(of);
export const bounded = (orders: Orders) => prefix(orders).since('at', new Date(0));
export const oneOf = (orders: Orders) => orders.oneOf('tenant', ['a']);
export const firstPer = (orders: Orders) => orders.firstPer('tenant');
export const distinct = (orders: Orders) => orders.distinct('tenant');
export const selected = (orders: Orders) => prefix(orders).select('total', entriesOf('prices', {}));
export const selectedRows = (orders: Orders) => selected(orders).all();
export const page = (orders: Orders) => prefix(orders).page({ size: 10 });
export const plan = (orders: Orders) => prefix(orders).explain();
export const plannedRanges = (orders: Orders) => plan(orders).ranges;
export const parts = (orders: Orders) => prefix(orders).split(4);
export const got = (orders: Orders) =>
  orders.get({ tenant: 'a', at: new Date() }, { select: ['total'] });
export const byStatus = (orders: Orders) => orders.index('byStatus');
export const verified = (orders: Orders) => byStatus(orders).prefix(of);
export const covered = (orders: Orders) => byStatus(orders).covered();
export const coveredRows = (orders: Orders) => covered(orders).prefix(of).all();
export const indexPlan = (orders: Orders) => verified(orders).explain();
export const hourly = (orders: Orders) => orders.rollup('hourly');
export const hours = (orders: Orders) => hourly(orders).prefix(of);
export const hourRows = (orders: Orders) => hours(orders).all();
export const groups = (orders: Orders) => prefix(orders).groupBy('status');
export const groupRows = (orders: Orders) => groups(orders).aggregate({ n: 'count' });
export const aggregated = (orders: Orders) => prefix(orders).aggregate({ n: 'count' });
export const history = (orders: Orders) => orders.history({ tenant: 'a', at: new Date() }, 'total');
export const json = (orders: Orders) => orders.toJSON({ total: 1 });

// Writes.
export const saved = (orders: Orders) => orders.saveMany([]);
export const failures = async (orders: Orders) => (await saved(orders)).failures;
export const deletedRows = (orders: Orders) => prefix(orders).delete();
export const buffered = (orders: Orders) => bufferedCounters(orders, {});
export const flushed = (orders: Orders) => buffered(orders).flush();
export const pending = (orders: Orders) => buffered(orders).pending;

// Administration.
export const verifiedIndexes = (db: Opened) => db.derived.verify(Order);
export const rebuilt = (db: Opened) => db.derived.rebuild(Order, 'byStatus');
export const listed = (db: Opened) => db.derived.list();
export const rollupAdmin = (db: Opened) => db.derived.rollups;
export const rollupReport = (db: Opened) => rollupAdmin(db).verify(Order);
export const propagated = (db: Opened) => db.derived.propagate(Author);
export const schemaPlan = (db: Opened) => db.admin.plan();
export const applied = (db: Opened) => db.admin.apply();
export const details = (error: RowsmithError) => error.details;
export const faults = (error: RowsmithError) => error.details.faults;
