/**
 * Invalid uses. Each must fail twice: the compiler rejects it (its messages are
 * test/golden/compile-errors.txt), and the same call from JavaScript throws a RowsmithError. This
 * file therefore does not compile, and is excluded from every tsconfig.
 */
import {
  accessPatterns,
  bufferedCounters,
  Column,
  ColumnMap,
  Counter,
  Entity,
  Field,
  indexOn,
  indexes,
  Message,
  Packed,
  Revision,
  Segment,
  UpdatedAt,
  Versions,
  copies,
  copyOf,
  defineEntity,
  column,
  entriesOf,
  entryKeysOf,
  literal,
  maxVersions,
  open,
  rollups,
  rowKey,
  uniqueIndexOn,
} from '../../src/index.js';
import { describeEntity } from '../../src/tools/index.js';
import type { Database, Repository, Version } from '../../src/index.js';

@Message('test.Position')
export class Position {
  @Field(1, 'double') lat?: number;
  @Field(2, 'double') lon?: number;
}

@Entity({ table: 'readings', families: { m: { gc: maxVersions(1) }, s: {}, h: {}, c: {} } })
export class Reading {
  static readonly key = rowKey(literal('reading'), 'tenant', 'device', 'at');
  static readonly patterns = accessPatterns({
    latestOfDevice: { prefix: ['tenant', 'device'], limit: 1 },
    ofDay: { prefix: ['tenant', 'device'], between: 'at' },
  });
  @Segment('string') tenant!: string;
  @Segment('string') device!: string;
  @Segment('timestamp', { order: 'desc' }) at!: Date;
  @Column('m', 'double') temperature?: number;
  @Column('m', 'string') note?: string;
  @Packed('s', () => Position) position?: Position;
  @Versions('h', 'double') history?: Version<number>[];
  @Counter('c') hits?: bigint;
}

@Entity({ table: 'charts', families: { m: {}, p: {}, t: {} } })
export class Chart {
  static readonly key = rowKey('id', 'hour');
  @Segment('string') id!: string;
  @Segment('timestamp', { floor: 'hour' }) hour!: Date;
  @Column('m', 'string') title?: string;
  @ColumnMap('p', 'double', { qualifiers: 'timestamp' }) prices?: Map<Date, number>;
  @ColumnMap('t', 'string') tags?: Map<string, string>;
}

@Entity({ table: 'others', families: { m: {} } })
class Other {
  static readonly key = rowKey('id');
  @Segment('string') id!: string;
  @Column('m', 'double') value?: number;
}

@Entity({ table: 'sites', families: { m: {} } })
class Site {
  static readonly key = rowKey(literal('reading'), 'tenant', 'site');
  @Segment('uint') tenant!: number;
  @Segment('string') site!: string;
  @Column('m', 'string') name?: string;
}

@Entity({ table: 'orders', families: { m: {}, t: {} } })
export class Order {
  static readonly key = rowKey('tenant', 'id');
  static readonly indexes = indexes({
    byStatus: indexOn('tenant', 'status', 'placedAt').including('total'),
    byEmail: uniqueIndexOn('tenant', 'email'),
    byCustomer: indexOn('customer'),
  });
  @Segment('string') tenant!: string;
  @Segment('uint') id!: number;
  @Column('m', 'string') status?: string;
  @Column('m', 'timestamp') placedAt?: Date;
  @Column('m', 'string') email?: string;
  @Column('m', 'string') customer?: string;
  @Column('m', 'int64') total?: bigint;
}

@Entity({ table: 'cats', families: { m: {} } })
export class Cat {
  static readonly key = rowKey('id');
  @Segment('string') id!: string;
  @Column('m', 'string') name!: string;
}

export interface World {
  readonly db: Database;
  readonly readings: Repository<typeof Reading>;
  readonly charts: Repository<typeof Chart>;
  readonly orders: Repository<typeof Order>;
}

/** An invalid use. `run` throws or rejects. */
export interface InvalidUse {
  readonly name: string;
  readonly run: (world: World) => unknown;
}

const at = new Date(Date.UTC(2026, 10, 20));
const key = { tenant: 'acme', device: 'd1', at };
const invalid = (name: string, run: (world: World) => unknown): InvalidUse => ({ name, run });

const chart = { id: 'c', hour: at };
export const invalidMaps: readonly InvalidUse[] = [
  invalid('entries of a column that is not a map', ({ charts }) =>
    charts.scanAll().select(entriesOf('title')),
  ),
  invalid('entries from a key of another type', ({ charts }) =>
    charts.scanAll().select(entriesOf('prices', { from: 5 })),
  ),
  invalid('keys of a misspelt map', ({ charts }) => charts.scanAll().select(entryKeysOf('price'))),
  invalid('a patch of an entry with a key of another type', ({ charts }) =>
    charts.patch(chart, { prices: new Map([['now', 1]]) }),
  ),
  invalid('an increment of an entry that is not a bigint', ({ charts }) =>
    charts.incrementEntry(chart, 'prices', at),
  ),
  invalid('the history of an entry with a key of another type', ({ charts }) =>
    charts.entryHistory(chart, 'prices', 'now'),
  ),
  invalid('a series before the prefix is complete', ({ charts }) => charts.series('prices')),
  invalid('a series of a map of text keys', ({ charts }) =>
    charts.prefix({ id: 'c' }).series('tags'),
  ),
];

export const invalidIndexQueries: readonly InvalidUse[] = [
  invalid('an index with a misspelt name', ({ orders }) => orders.index('byStats')),
  invalid('an index of an entity without indexes', ({ readings }) => readings.index('byNote')),
  invalid('a prefix of an index with a gap', ({ orders }) =>
    orders.index('byStatus').prefix({ status: 'open' }),
  ),
  invalid('a prefix of an index with another property', ({ orders }) =>
    orders.index('byStatus').prefix({ tenant: 'acme', total: 1n }),
  ),
  invalid('a prefix of an index with a value of the wrong type', ({ orders }) =>
    orders.index('byStatus').prefix({ tenant: 'acme', status: 5 }),
  ),
  invalid('a prefix of an index with undefined', ({ orders }) =>
    orders.index('byStatus').prefix({ tenant: 'acme', status: undefined }),
  ),
  invalid('a bound on a later segment of an index', ({ orders }) =>
    orders.index('byStatus').prefix({ tenant: 'acme' }).since('placedAt', at),
  ),
  invalid('a bound of an index with a value of the wrong type', ({ orders }) =>
    orders.index('byStatus').prefix({ tenant: 'acme', status: 'open' }).since('placedAt', 5),
  ),
  invalid('firstPer of an index that is verified', ({ orders }) =>
    orders.index('byStatus').prefix({ tenant: 'acme' }).firstPer('status'),
  ),
  invalid('distinct values of an index that is verified', ({ orders }) =>
    orders.index('byStatus').prefix({ tenant: 'acme' }).distinct('status'),
  ),
  invalid('a row of a unique index without a value', ({ orders }) =>
    orders.index('byEmail').get({ tenant: 'acme' }),
  ),
  invalid('a property that the index does not cover', ({ orders }) =>
    orders.index('byStatus').covered().scanAll().select('customer'),
  ),
  invalid('a condition on a property that the index does not cover', ({ orders }) =>
    orders.index('byStatus').covered().scanAll().where({ customer: 'ann' }),
  ),
  invalid('a covered result that is saved', async ({ orders }) => {
    const [row] = await orders.index('byStatus').covered().scanAll().all();
    await orders.save(row ?? { ...key });
  }),
  invalid('an index that does not begin with the scope', ({ db }) =>
    db.scope({ tenant: 'acme' }).repository(Order).index('byCustomer'),
  ),
  invalid('a prefix of an index with the segment of the scope alone', ({ db }) =>
    db.scope({ tenant: 'acme' }).repository(Order).index('byStatus').prefix({ tenant: 'acme2' }),
  ),
];

export const invalidQueries: readonly InvalidUse[] = [
  invalid('a prefix with a gap', ({ readings }) => readings.prefix({ device: 'd1' })),
  invalid('a prefix with the last segment', ({ readings }) =>
    readings.prefix({ tenant: 'acme', device: 'd1', at }),
  ),
  invalid('a prefix with a value of the wrong type', ({ readings }) =>
    readings.prefix({ tenant: 5 }),
  ),
  invalid('a prefix with a misspelt segment', ({ readings }) =>
    readings.prefix({ tenent: 'acme' }),
  ),
  invalid('a prefix with a column', ({ readings }) =>
    readings.prefix({ tenant: 'acme', temperature: 20 }),
  ),
  invalid('an empty prefix', ({ readings }) => readings.prefix({})),
  invalid('a prefix widened by undefined', ({ readings }) =>
    readings.prefix({ tenant: undefined }),
  ),
  invalid('an entity as a prefix', ({ readings }) => {
    const reading = readings.create({ ...key, temperature: 20 });
    readings.prefix(reading);
  }),
  invalid('a whole key as a prefix', ({ readings }) => readings.prefix(key)),
  invalid('a range on a segment after a gap', ({ readings }) =>
    readings.prefix({ tenant: 'acme' }).between('at', at, at),
  ),
  invalid('a range with values of the wrong type', ({ readings }) =>
    readings.prefix({ tenant: 'acme', device: 'd1' }).between('at', '2026', '2027'),
  ),
  invalid('a range on a segment that is already fixed', ({ readings }) =>
    readings.prefix({ tenant: 'acme' }).since('tenant', 'b'),
  ),
  invalid('a range on a column', ({ readings }) =>
    readings.prefix({ tenant: 'acme', device: 'd1' }).since('temperature', 20),
  ),
  invalid('startsWith on a timestamp', ({ readings }) =>
    readings.prefix({ tenant: 'acme', device: 'd1' }).startsWith('at', '2026'),
  ),
  invalid('startsWith with a number', ({ readings }) =>
    readings.prefix({ tenant: 'acme' }).startsWith('device', 5),
  ),
  invalid('a root range that is not on the first segment', ({ readings }) =>
    readings.between('device', 'a', 'b'),
  ),
  invalid('a second bound', ({ readings }) =>
    readings.prefix({ tenant: 'acme' }).since('device', 'a').until('device', 'b'),
  ),
  invalid('oneOf on a segment after a gap', ({ readings }) =>
    readings.prefix({ tenant: 'acme' }).oneOf('at', [at]),
  ),
  invalid('oneOf with a value of the wrong type', ({ readings }) =>
    readings.prefix({ tenant: 'acme' }).oneOf('device', ['d1', 2]),
  ),
  invalid('oneOf with undefined among the values', ({ readings }) =>
    readings.oneOf('tenant', ['acme', undefined]),
  ),
  invalid('oneOf after a bound', ({ readings }) =>
    readings.since('tenant', 'acme').oneOf('device', ['d1']),
  ),
  invalid('a bound after the last segment', ({ readings }) =>
    readings.prefix({ tenant: 'acme' }).oneOf('device', ['d1']).oneOf('at', [at]).since('at', at),
  ),
  invalid('prefixes with a gap', ({ readings }) => readings.prefixes([{ device: 'd1' }])),
  invalid('prefixes of different segments', ({ readings }) =>
    readings.prefixes([{ tenant: 'acme' }, { tenant: 'acme', device: 'd1' }]),
  ),
  invalid('prefixes without a list', ({ readings }) => readings.prefixes({ tenant: 'acme' })),
  invalid('firstPer of the last segment', ({ readings }) =>
    readings.prefix({ tenant: 'acme' }).firstPer('at'),
  ),
  invalid('firstPer of a column', ({ readings }) => readings.firstPer('temperature')),
  invalid('where with an operator of another type', ({ readings }) =>
    readings.scanAll().where({ temperature: { startsWith: '3' } }),
  ),
  invalid('where with a misspelt operator', ({ readings }) =>
    readings.scanAll().where({ temperature: { abov: 3 } }),
  ),
  invalid('where with a misspelt property', ({ readings }) =>
    readings.scanAll().where({ temprature: 3 }),
  ),
  invalid('where with a value of the wrong type', ({ readings }) =>
    readings.scanAll().where({ temperature: '3' }),
  ),
  invalid('where with undefined', ({ readings }) =>
    readings.scanAll().where({ temperature: undefined }),
  ),
  invalid('where with an operator of text on a counter', ({ readings }) =>
    readings.scanAll().where({ hits: { startsWith: 3n } }),
  ),
  invalid('where on versions', ({ readings }) => readings.scanAll().where({ history: 3 })),
  invalid('where with a misspelt field', ({ readings }) =>
    readings.scanAll().where({ position: { fields: { latt: 3 } } }),
  ),
  invalid('where on a message as a whole', ({ readings }) =>
    readings.scanAll().where({ position: { oneOf: [] } }),
  ),
  invalid('a bound on the segment of firstPer', ({ readings }) =>
    readings.prefix({ tenant: 'acme' }).firstPer('device').since('device', 'd1'),
  ),
  invalid('a column of distinct', ({ readings }) =>
    readings.distinct('device').select('temperature'),
  ),
  invalid('an average of text', ({ readings }) =>
    readings.scanAll().aggregate({ mean: { avg: 'note' } }),
  ),
  invalid('an unknown aggregate', ({ readings }) =>
    readings.scanAll().aggregate({ mean: { median: 'temperature' } }),
  ),
  invalid('a floor of a number', ({ readings }) =>
    readings.scanAll().groupBy({ time: 'temperature', every: '1h' }),
  ),
  invalid('a width without a unit', ({ readings }) =>
    readings.scanAll().groupBy({ time: 'at', every: '60' }),
  ),
  invalid('a group by a misspelt property', ({ readings }) => readings.scanAll().groupBy('devise')),
  invalid('get with an incomplete key', ({ readings }) => readings.get({ tenant: 'acme' })),
  invalid('get with a wrong value', ({ readings }) =>
    readings.get({ tenant: 'acme', device: 'd1', at: '2026-11-20' }),
  ),
  invalid('get with a string as the key', ({ readings }) => readings.get('acme#d1')),
  invalid('a limit that is a string', ({ readings }) => readings.scanAll().limit('10')),
  invalid('select of an unknown property', ({ readings }) =>
    readings.scanAll().select('temperatur'),
  ),
  invalid('asOf with a number', ({ readings }) => readings.scanAll().asOf(5)),
  invalid('a page without a size', ({ readings }) => readings.scanAll().page({})),
  invalid('a cursor that is a number', ({ readings }) =>
    readings.scanAll().page({ size: 10, after: 5 }),
  ),
  invalid('create without a segment', ({ readings }) =>
    readings.create({ tenant: 'acme', device: 'd1' }),
  ),
  invalid('create with a misspelt property', ({ readings }) =>
    readings.create({ ...key, temprature: 20 }),
  ),
  invalid('saving another object', ({ readings }) => readings.save({ tenant: 'acme' })),
  invalid('saving a result of select', async ({ readings }) => {
    const row = await readings.scanAll().select('temperature').first();
    await readings.save(row ?? ({ ...key, temperature: 20 } as NonNullable<typeof row>));
  }),
  invalid('inserting a result of select', async ({ readings }) => {
    const row = await readings.scanAll().select('temperature').first();
    await readings.insert(row ?? ({ ...key, temperature: 20 } as NonNullable<typeof row>));
  }),
  invalid('patch of a column with a wrong type', ({ readings }) =>
    readings.patch(key, { temperature: 'warm' }),
  ),
  invalid('patch of a segment', ({ readings }) => readings.patch(key, { tenant: 'b' })),
  invalid('increment of a column that is not a counter', ({ readings }) =>
    readings.increment(key, 'temperature', 1n),
  ),
  invalid('increment by a number', ({ readings }) => readings.increment(key, 'hits', 1)),
  invalid('update with an asynchronous change', ({ readings }) =>
    readings.update(key, async (reading) => {
      reading.note = await Promise.resolve('x');
    }),
  ),
  invalid('update with a change that returns another entity', ({ readings }) =>
    readings.update(key, (reading) => ({ ...reading, note: 'x' })),
  ),
  invalid('append to a number', ({ readings }) => readings.append(key, { temperature: 1 })),
  invalid('increment of several, one of them no counter', ({ readings }) =>
    readings.increment(key, { hits: 1n, temperature: 1n }),
  ),
  invalid('increment of several with a misspelt counter', ({ readings }) =>
    readings.increment(key, { hits: 1n, hitz: 1n }),
  ),
  invalid('increment of several by a number', ({ readings }) =>
    readings.increment(key, { hits: 1 }),
  ),
  invalid('add to buffered counters of a column that is not a counter', ({ readings }) =>
    bufferedCounters(readings).add(key, 'temperature'),
  ),
  invalid('add to buffered counters of several with a misspelt counter', ({ readings }) =>
    bufferedCounters(readings).add(key, { hits: 1n, hitz: 1n }),
  ),
  invalid('add to buffered counters by a number', ({ readings }) =>
    bufferedCounters(readings).add(key, 'hits', 1),
  ),
  invalid('append to several, one of them a number', ({ readings }) =>
    readings.append(key, { note: 'x', temperature: 1 }),
  ),
  invalid('append to a misspelt column', ({ readings }) => readings.append(key, { noet: 'x' })),
  invalid('append of a number', ({ readings }) => readings.append(key, { note: 5 })),
  invalid('append on a condition', ({ readings }) =>
    readings.append(key, { note: 'x' }, { if: { exists: true } }),
  ),
  invalid('increment of what is no counter', ({ readings }) =>
    readings.increment(key, { temperature: 1n }),
  ),
  invalid('increment on a condition', ({ readings }) =>
    readings.increment(key, { hits: 1n }, { if: { exists: true } }),
  ),
  invalid('increment that appends to a number', ({ readings }) =>
    readings.increment(key, { hits: 1n }, { append: { temperature: 1 } }),
  ),
  invalid('increment that appends to several, one of them a number', ({ readings }) =>
    readings.increment(key, { hits: 1n }, { append: { note: 'x', temperature: 1 } }),
  ),
  invalid('increment of one counter that appends', ({ readings }) =>
    readings.increment(key, 'hits', { append: { note: 'x' } }),
  ),
  invalid('increment that adds', ({ readings }) =>
    readings.increment(key, { hits: 1n }, { add: { hits: 1n } }),
  ),
  invalid('patch that increments', ({ readings }) =>
    readings.patch(key, { temperature: 3 }, { increment: { hits: 1n } }),
  ),
  invalid('patch that adds to a misspelt counter', ({ readings }) =>
    readings.patch(key, {}, { add: { hitz: 1n } }),
  ),
  invalid('patch that adds a number', ({ readings }) =>
    readings.patch(key, {}, { add: { hits: 1 } }),
  ),
  invalid('patch with additions among the changes', ({ readings }) =>
    readings.patch(key, { add: { hits: 1n } }),
  ),
  invalid('patch that removes a segment', ({ readings }) =>
    readings.patch(key, {}, { remove: ['tenant'] }),
  ),
  invalid('patch that removes a misspelt column', ({ readings }) =>
    readings.patch(key, {}, { remove: ['temprature'] }),
  ),
  invalid('patchMany with increment', async ({ readings }) => {
    const { failures } = await readings.patchMany([{ key, changes: {}, increment: { hits: 1n } }]);
    throw failures[0].error;
  }),
  invalid('patchMany that removes a segment', async ({ readings }) => {
    const { failures } = await readings.patchMany([{ key, changes: {}, remove: ['tenant'] }]);
    throw failures[0].error;
  }),
  invalid('patchMany with a misspelt column', async ({ readings }) => {
    const { failures } = await readings.patchMany([{ key, changes: { temprature: 3 } }]);
    throw failures[0].error;
  }),
  invalid('patchMany without a key', async ({ readings }) => {
    const { failures } = await readings.patchMany([{ changes: { temperature: 3 } }]);
    throw failures[0].error;
  }),
  invalid('incrementMany by a number', async ({ readings }) => {
    const { failures } = await readings.incrementMany([{ key, changes: { hits: 1 } }]);
    throw failures[0].error;
  }),
  invalid('insertMany of a result of select', async ({ readings }) => {
    const row = await readings.scanAll().select('temperature').first();
    const rows = [row ?? ({ ...key, temperature: 20 } as NonNullable<typeof row>)];
    const { failures } = await readings.insertMany(rows);
    throw failures[0].error;
  }),
  invalid('toJSON of a value of the wrong type', ({ readings }) =>
    readings.toJSON({ ...key, temperature: 'warm' }),
  ),
  invalid('JSON as if it were the entity', ({ readings }) => {
    const json = readings.toJSON(readings.create({ ...key, hits: 1n }));
    const hits: bigint | undefined = json.hits;
    readings.fromJSON({ ...json, hits: hits && Number(hits) });
  }),
  invalid('history of a segment', ({ readings }) => readings.history(key, 'tenant')),
  invalid('a condition on a misspelt column', ({ readings }) =>
    readings.delete(key, { if: { equals: { temprature: 20 } } }),
  ),
  invalid('an access pattern without a value of its prefix', ({ readings }) =>
    readings.patterns.latestOfDevice({ tenant: 'acme' }),
  ),
  invalid('an access pattern with an additional value', ({ readings }) =>
    readings.patterns.latestOfDevice({ tenant: 'acme', device: 'd1', at }),
  ),
  invalid('an access pattern with one end of its range', ({ readings }) =>
    readings.patterns.ofDay({ tenant: 'acme', device: 'd1', at }),
  ),
  invalid('a key with the segment of its scope', ({ db }) =>
    db
      .scope({ tenant: 'acme' })
      .repository(Reading)
      .get({ ...key, tenant: 'b' }),
  ),
  invalid('a prefix with the segment of its scope', ({ db }) =>
    db.scope({ tenant: 'acme' }).repository(Reading).prefix({ tenant: 'b', device: 'd1' }),
  ),
  invalid('a selection of the segment of a scope', ({ db }) =>
    db.scope({ tenant: 'acme' }).repository(Reading).scanAll().select('tenant'),
  ),
  invalid('a scope with a gap', ({ db }) => db.scope({ device: 'd1' }).repository(Reading)),
  invalid('a scope of an unknown segment', ({ db }) =>
    db.scope({ region: 'eu' }).repository(Reading),
  ),
  invalid('a scope with a value of the wrong type', ({ db }) =>
    db.scope({ tenant: 5 }).repository(Reading),
  ),
  invalid('a scope of a whole key', ({ db }) => db.scope(key).repository(Reading)),
  invalid('a collection of keys that begin differently', ({ db }) =>
    db.collection({ readings: Reading, other: Other }),
  ),
  invalid('a collection of segments of other types', ({ db }) =>
    db.collection({ readings: Reading, sites: Site }),
  ),
  invalid('a prefix of a collection with a gap', ({ db }) =>
    db.collection({ readings: Reading }).prefix({ device: 'd1' }),
  ),
  invalid('a bound of a collection after a gap', ({ db }) =>
    db.collection({ readings: Reading }).prefix({ tenant: 'acme' }).since('at', at),
  ),
  invalid('groups of a collection by a column', ({ db }) =>
    db.collection({ readings: Reading }).scanAll().groupBy('temperature'),
  ),
  invalid('a limit of a stranger in a collection', ({ db }) =>
    db.collection({ readings: Reading }).scanAll().limit({ devices: 1 }),
  ),
  invalid('a selection of an unknown property in a collection', ({ db }) =>
    db
      .collection({ readings: Reading })
      .scanAll()
      .select({ readings: ['temprature'] }),
  ),
  invalid('a repository of a class that is not an entity', ({ db }) => db.repository(Position)),
  invalid('a repository of an entity that was not opened', async () => {
    await using db = await open('memory:', { entities: [Reading] });
    db.repository(Other);
  }),
];

export const invalidDeclarations: readonly InvalidUse[] = [
  invalid('a key that names an unknown property', () => {
    @Entity({ table: 'd1', families: { m: {} } })
    class D1 {
      static readonly key = rowKey('tenant', 'devise');
      @Segment('string') tenant!: string;
      @Segment('string') device!: string;
      @Column('m', 'double') t?: number;
    }
    describeEntity(D1);
  }),
  invalid('no key', () => {
    @Entity({ table: 'd2', families: { m: {} } })
    class D2 {
      @Segment('string') tenant!: string;
      @Column('m', 'double') t?: number;
    }
    describeEntity(D2);
  }),
  invalid('a key that is not from rowKey', () => {
    @Entity({ table: 'd3', families: { m: {} } })
    class D3 {
      static readonly key = ['tenant'];
      @Segment('string') tenant!: string;
      @Column('m', 'double') t?: number;
    }
    describeEntity(D3);
  }),
  invalid('a misspelt segment kind', () => {
    @Entity({ table: 'd4', families: { m: {} } })
    class D4 {
      static readonly key = rowKey('at');
      @Segment('time') at!: Date;
      @Column('m', 'double') t?: number;
    }
    describeEntity(D4);
  }),
  invalid('a misspelt column kind', () => {
    @Entity({ table: 'd5', families: { m: {} } })
    class D5 {
      static readonly key = rowKey('id');
      @Segment('string') id!: string;
      @Column('m', 'number') t?: number;
    }
    describeEntity(D5);
  }),
  invalid('a segment option of the wrong type', () => {
    @Entity({ table: 'd6', families: { m: {} } })
    class D6 {
      static readonly key = rowKey('n');
      @Segment('uint', { width: 'ten' }) n!: number;
      @Column('m', 'double') t?: number;
    }
    describeEntity(D6);
  }),
  invalid('a table without a name', () => {
    @Entity({ families: { m: {} } })
    class D7 {
      static readonly key = rowKey('id');
      @Segment('string') id!: string;
      @Column('m', 'double') t?: number;
    }
    describeEntity(D7);
  }),
  invalid('a field number that is a string', () => {
    @Message('D8')
    class Bad {
      @Field('1', 'double') t?: number;
    }
    @Entity({ table: 'd8', families: { m: {} } })
    class D8 {
      static readonly key = rowKey('id');
      @Segment('string') id!: string;
      @Packed('m', () => Bad) bad?: Bad;
    }
    describeEntity(D8);
  }),
  invalid('defineEntity with a key that names an unknown property', () => {
    class D9 {
      id!: string;
      t?: number;
    }
    describeEntity(
      defineEntity(D9, {
        table: 'd9',
        families: { m: {} },
        key: rowKey('ident'),
        segments: { id: 'string' },
        columns: { t: column('m', 'double') },
      }),
    );
  }),
  invalid('a column map with a misspelt value kind', () => {
    @Entity({ table: 'd10', families: { m: {} } })
    class D10 {
      static readonly key = rowKey('id');
      @Segment('string') id!: string;
      @ColumnMap('m', 'dobule') t?: Map<string, number>;
    }
    describeEntity(D10);
  }),
  invalid('a column map whose keys are not of the declared kind', () => {
    @Entity({ table: 'd14', families: { m: {} } })
    class D14 {
      static readonly key = rowKey('id');
      @Segment('string') id!: string;
      @ColumnMap('m', 'double', { qualifiers: 'timestamp' }) t?: WeakMap<object, number>;
    }
    describeEntity(D14);
  }),
  invalid('a column of another kind than its property', () => {
    @Entity({ table: 'd16', families: { m: {} } })
    class D16 {
      static readonly key = rowKey('id');
      @Segment('string') id!: string;
      @Column('m', 'double') t?: string;
    }
    describeEntity(D16);
  }),
  invalid('a revision that is not text', () => {
    @Entity({ table: 'd17', families: { m: {} } })
    class D17 {
      static readonly key = rowKey('id');
      @Segment('string') id!: string;
      @Revision('m') revision?: number;
    }
    describeEntity(D17);
  }),
  invalid('a time of the last write that is text', () => {
    @Entity({ table: 'd18', families: { m: {} } })
    class D18 {
      static readonly key = rowKey('id');
      @Segment('string') id!: string;
      @UpdatedAt('m') updatedAt?: string;
    }
    describeEntity(D18);
  }),
  invalid('an asynchronous hook', () => {
    @Entity({ table: 'd19', families: { m: {} } })
    class D19 {
      static readonly key = rowKey('id');
      @Segment('string') id!: string;
      @Column('m', 'string') t?: string;
      static async beforeWrite(row: D19): Promise<void> {
        row.t = await Promise.resolve('x');
      }
    }
    describeEntity(D19);
  }),
  invalid('a misspelt kind of qualifiers', () => {
    @Entity({ table: 'd15', families: { m: {} } })
    class D15 {
      static readonly key = rowKey('id');
      @Segment('string') id!: string;
      @ColumnMap('m', 'double', { qualifiers: 'time' }) t?: Map<Date, number>;
    }
    describeEntity(D15);
  }),
  invalid('an index over an unknown property', () => {
    @Entity({ table: 'd17', families: { m: {} } })
    class D17 {
      static readonly key = rowKey('id');
      static readonly indexes = indexes({ byStatus: indexOn('statsu') });
      @Segment('string') id!: string;
      @Column('m', 'string') status?: string;
    }
    describeEntity(D17);
  }),
  invalid('an index over a column map', () => {
    @Entity({ table: 'd18', families: { m: {} } })
    class D18 {
      static readonly key = rowKey('id');
      static readonly indexes = indexes({ byTag: indexOn('tags') });
      @Segment('string') id!: string;
      @ColumnMap('m', 'string') tags?: Map<string, string>;
    }
    describeEntity(D18);
  }),
  invalid('an index that covers a column map', () => {
    @Entity({ table: 'd19', families: { m: {}, t: {} } })
    class D19 {
      static readonly key = rowKey('id');
      static readonly indexes = indexes({ byStatus: indexOn('status').including('tags') });
      @Segment('string') id!: string;
      @Column('m', 'string') status?: string;
      @ColumnMap('t', 'string') tags?: Map<string, string>;
    }
    describeEntity(D19);
  }),
  invalid('an index that covers an unknown property, without decorators', () => {
    class D20 {
      id!: string;
      status?: string;
    }
    describeEntity(
      defineEntity(D20, {
        table: 'd20',
        families: { m: {} },
        key: rowKey('id'),
        segments: { id: 'string' },
        columns: { status: column('m', 'string') },
        indexes: indexes({ byStatus: indexOn('status').including('total') }),
      }),
    );
  }),
  invalid('an access pattern with a gap', () => {
    @Entity({ table: 'd11', families: { m: {} } })
    class D11 {
      static readonly key = rowKey('tenant', 'device', 'at');
      static readonly patterns = accessPatterns({ latest: { prefix: ['device'], limit: 1 } });
      @Segment('string') tenant!: string;
      @Segment('string') device!: string;
      @Segment('timestamp') at!: Date;
      @Column('m', 'double') t?: number;
    }
    describeEntity(D11);
  }),
  invalid('an access pattern with a misspelt segment', () => {
    @Entity({ table: 'd12', families: { m: {} } })
    class D12 {
      static readonly key = rowKey('id', 'at');
      static readonly patterns = accessPatterns({ latest: { prefix: ['ident'] } });
      @Segment('string') id!: string;
      @Segment('timestamp') at!: Date;
      @Column('m', 'double') t?: number;
    }
    describeEntity(D12);
  }),
  invalid('an access pattern that is a full scan without scanAll', () => {
    class D13 {
      id!: string;
      t?: number;
    }
    describeEntity(
      defineEntity(D13, {
        table: 'd13',
        families: { m: {} },
        key: rowKey('id'),
        segments: { id: 'string' },
        columns: { t: column('m', 'double') },
        patterns: accessPatterns({ some: { limit: 10 } }),
      }),
    );
  }),
  invalid('a rollup by what is not a segment', () => {
    @Entity({ table: 'd17', families: { m: {} } })
    class D17 {
      static readonly key = rowKey('id', 'at');
      static readonly rollups = rollups({
        daily: { by: ['t', { time: 'at', every: '1d' }], values: { n: 'count' } },
      });
      @Segment('string') id!: string;
      @Segment('timestamp') at!: Date;
      @Column('m', 'double') t?: number;
    }
    describeEntity(D17);
  }),
  invalid('a rollup of a misspelt property', () => {
    class D18 {
      at!: Date;
      t?: number;
    }
    describeEntity(
      defineEntity(D18, {
        table: 'd18',
        families: { m: {} },
        key: rowKey('at'),
        segments: { at: 'timestamp' },
        columns: { t: column('m', 'double') },
        rollups: rollups({
          daily: { by: [{ time: 'at', every: '1d' }], values: { low: { min: 'temp' } } },
        }),
      }),
    );
  }),
  invalid('a copy into a property that is none', () => {
    @Entity({ table: 'copies4', families: { m: {} } })
    class DCopy4 {
      static readonly key = rowKey('id');
      static readonly indexes = indexes({ byChart: indexOn('chart', 'hour') });
      static readonly copies = copies({
        titel: copyOf(() => Chart, 'title', { id: 'chart', hour: 'hour' }),
      });
      @Segment('string') id!: string;
      @Column('m', 'string') chart?: string;
      @Column('m', 'timestamp') hour?: Date;
      @Column('m', 'string') title?: string;
      @Column('m', 'double') size?: number;
    }
    describeEntity(DCopy4);
  }),
  invalid('a copy of another type', () => {
    @Entity({ table: 'copies5', families: { m: {} } })
    class DCopy5 {
      static readonly key = rowKey('id');
      static readonly indexes = indexes({ byChart: indexOn('chart', 'hour') });
      static readonly copies = copies({
        size: copyOf(() => Chart, 'title', { id: 'chart', hour: 'hour' }),
      });
      @Segment('string') id!: string;
      @Column('m', 'string') chart?: string;
      @Column('m', 'timestamp') hour?: Date;
      @Column('m', 'string') title?: string;
      @Column('m', 'double') size?: number;
    }
    describeEntity(DCopy5);
  }),
  invalid('a copy without a segment of the key', () => {
    @Entity({ table: 'copies6', families: { m: {} } })
    class DCopy6 {
      static readonly key = rowKey('id');
      static readonly indexes = indexes({ byChart: indexOn('chart', 'hour') });
      static readonly copies = copies({
        title: copyOf(() => Chart, 'title', { id: 'chart' }),
      });
      @Segment('string') id!: string;
      @Column('m', 'string') chart?: string;
      @Column('m', 'timestamp') hour?: Date;
      @Column('m', 'string') title?: string;
      @Column('m', 'double') size?: number;
    }
    describeEntity(DCopy6);
  }),
  invalid('a copy that is found by a misspelt property', () => {
    @Entity({ table: 'copies7', families: { m: {} } })
    class DCopy7 {
      static readonly key = rowKey('id');
      static readonly indexes = indexes({ byChart: indexOn('chart', 'hour') });
      static readonly copies = copies({
        title: copyOf(() => Chart, 'title', { id: 'charts', hour: 'hour' }),
      });
      @Segment('string') id!: string;
      @Column('m', 'string') chart?: string;
      @Column('m', 'timestamp') hour?: Date;
      @Column('m', 'string') title?: string;
      @Column('m', 'double') size?: number;
    }
    describeEntity(DCopy7);
  }),
  invalid('a copy that is found by a property of another type', () => {
    @Entity({ table: 'copies8', families: { m: {} } })
    class DCopy8 {
      static readonly key = rowKey('id');
      static readonly indexes = indexes({ byChart: indexOn('chart', 'hour') });
      static readonly copies = copies({
        title: copyOf(() => Chart, 'title', { id: 'chart', hour: 'chart' }),
      });
      @Segment('string') id!: string;
      @Column('m', 'string') chart?: string;
      @Column('m', 'timestamp') hour?: Date;
      @Column('m', 'string') title?: string;
      @Column('m', 'double') size?: number;
    }
    describeEntity(DCopy8);
  }),
  invalid('a copy of a misspelt property', () => {
    @Entity({ table: 'copies9', families: { m: {} } })
    class DCopy9 {
      static readonly key = rowKey('id');
      static readonly indexes = indexes({ byChart: indexOn('chart', 'hour') });
      static readonly copies = copies({
        title: copyOf(() => Chart, 'titel', { id: 'chart', hour: 'hour' }),
      });
      @Segment('string') id!: string;
      @Column('m', 'string') chart?: string;
      @Column('m', 'timestamp') hour?: Date;
      @Column('m', 'string') title?: string;
      @Column('m', 'double') size?: number;
    }
    describeEntity(DCopy9);
  }),
  invalid('a copy of another type, without decorators', () => {
    class Plain {
      id = '';
      chart = '';
      hour = new Date(0);
      size = 0;
    }
    describeEntity(
      defineEntity(Plain, {
        table: 'copies20',
        families: { m: {} },
        key: rowKey('id'),
        segments: { id: 'string' },
        columns: {
          chart: column('m', 'string'),
          hour: column('m', 'timestamp'),
          size: column('m', 'double'),
        },
        indexes: indexes({ byChart: indexOn('chart', 'hour') }),
        copies: copies({ size: copyOf(() => Chart, 'title', { id: 'chart', hour: 'hour' }) }),
      }),
    );
  }),
];
