/**
 * Declarations that must compile, and invalid ones that must not: with legacy and standard
 * decorators, on TypeScript 6 and 7.
 */
import { type } from 'arktype';
import * as v from 'valibot';
import { z } from 'zod';
import {
  Column,
  ColumnMap,
  Counter,
  Entity,
  Field,
  MapField,
  Message,
  Packed,
  RepeatedField,
  Segment,
  Versions,
} from '../../decorators/index.js';
import type { DateMap } from '../../src/data/cell/index.js';
import {
  accessPatterns,
  column,
  counter,
  defineEntity,
  defineMessage,
  enumOf,
  field,
  literal,
  maxAge,
  maxVersions,
  packed,
  reference,
  repeatedField,
  rowKey,
  aggregate,
  table,
  type EntityClass,
  type KeyParts,
  type RowKeyOf,
  type Version,
} from '../../src/entities/model/index.js';
import type { CellCodec } from '../../src/data/cell/index.js';
import type {
  Database,
  KeyedRepository,
  Repository,
  RowQuery,
  DeleteAllReport,
} from '../../src/entities/repository/index.js';

enum Mode {
  OFF = 0,
  ON = 1,
}
@Message('t.Pos')
class Pos {
  @Field(1, 'double') lat!: number;
}
/** A static class as pbjs generates it. */
declare class PbjsMessage {
  constructor(init?: { a?: number });
  a: number;
  static encode(message: { a?: number }, writer?: object): { finish(): Uint8Array };
  static decode(reader: object | Uint8Array, length?: number): PbjsMessage;
}
declare const json: CellCodec<{ readonly x: number }>;
const shared = table('shared', { families: { m: {} } });

// What must compile.
@Entity({
  table: 'ok',
  families: { m: { gc: maxVersions(1) }, a: aggregate('sum') },
  cellTimestamp: 'at',
  shards: { count: 4, by: ['tenant'] },
})
class Good {
  static readonly key = rowKey(literal('good'), 'tenant', 'kind', 'at');
  @Segment('string', { maxLength: 64 }) tenant!: string;
  @Segment('enum', { values: ['a', 'b'], nullable: true }) kind!: 'a' | 'b' | null;
  @Segment() at!: Date;
  @Column('m', 'double') required!: number;
  @Column('m', 'double') optional?: number;
  @Column('m', 'string') nullable!: string | null;
  @Column('m') inferred?: bigint;
  @Column('m', 'string') literals?: 'x' | 'y';
  @Column('m', 'json') anything?: { readonly deep: number };
  @Column('m', json) own?: { readonly x: number };
  @Packed('m', () => Pos) pos?: Pos;
  @Packed('m', () => PbjsMessage) custom?: PbjsMessage;
  @Packed('m', PbjsMessage) direct?: PbjsMessage;
  @ColumnMap('t', 'double') map?: Map<string, number>;
  @ColumnMap('u', () => Pos) positions?: Map<string, Pos>;
  @ColumnMap('v', 'double', { qualifiers: 'timestamp', order: 'desc' }) timed?: Map<Date, number>;
  @ColumnMap('v', 'double', { qualifiers: 'timestamp' }) dated?: DateMap<number>;
  @ColumnMap('w', 'int64', { qualifiers: 'uint', max: 3599 }) seconds?: Map<number, bigint> | null;
  @ColumnMap('x', 'double', { qualifiers: 'bigint' }) big?: ReadonlyMap<bigint, number>;
  @ColumnMap('y', 'bool', { qualifiers: 'enum', values: ['A', 'B'] }) flags?: Map<
    'A' | 'B',
    boolean
  >;
  @Versions('m', 'double') history?: Version<number>[];
  @Counter('a') hits?: bigint;
}
class GoodMessage {
  @Field(1, enumOf(Mode)) mode?: Mode;
  @Field('string') numberedByLock?: string;
  @Field(2, () => Pos, { oneof: 'where' }) pos?: Pos;
  @RepeatedField(3, 'string') list?: string[];
  @MapField(4, 'int64', () => Pos) map?: Map<bigint, Pos>;
}
const good: EntityClass<Good, typeof Good.key> = Good;
const key: RowKeyOf<Good, typeof Good.key> = { tenant: 't', kind: null, at: new Date() };
abstract class Base {
  @Segment('string') id!: string;
}
@Entity({ table: shared })
class Derived extends Base {
  static readonly key = rowKey('id');
  @Column('m', 'bool') done?: boolean;
}

// The key and the class.
// @ts-expect-error the key names 'devise', which is not a property
@Entity({ table: 'd1' })
class D1 {
  static readonly key = rowKey('tenant', 'devise');
  @Segment('string') tenant!: string;
}
// @ts-expect-error there is no key
@Entity({ table: 'd3' })
class D3 {
  @Segment('string') tenant!: string;
}
// @ts-expect-error a segment must not be optional
@Entity({ table: 'd4' })
class D4 {
  static readonly key = rowKey('tenant');
  tenant?: string;
}
// @ts-expect-error the compiler does not know the order of a plain array
@Entity({ table: 'd5' })
class D5 {
  static readonly key = ['tenant'];
  @Segment('string') tenant!: string;
}
// @ts-expect-error an array cannot be a segment
@Entity({ table: 'd6' })
class D6 {
  static readonly key = rowKey('a', 'tags');
  @Segment('string') a!: string;
  tags!: string[];
}
// @ts-expect-error a key of literals only
@Entity({ table: 'd7' })
class D7 {
  static readonly key = rowKey(literal('x'));
}
// @ts-expect-error cellTimestamp names an unknown property
@Entity({ table: 'd8', cellTimestamp: 'when' })
class D8 {
  static readonly key = rowKey('a');
  @Segment('string') a!: string;
}
// @ts-expect-error expiresAt names an unknown property
@Entity({ table: 'd8', expiresAt: 'when' })
class D8a {
  static readonly key = rowKey('a');
  @Segment('string') a!: string;
}
// @ts-expect-error shards.by names a property that is not in the key
@Entity({ table: 'd9', shards: { count: 4, by: ['b'] } })
class D9 {
  static readonly key = rowKey('a');
  @Segment('string') a!: string;
  @Column('m', 'string') b?: string;
}
// @ts-expect-error there is no option `famlies`
@Entity({ table: 'd10', famlies: { m: {} } })
class D10 {
  static readonly key = rowKey('a');
  @Segment('string') a!: string;
}
// @ts-expect-error the table is missing
@Entity({ families: { m: {} } })
class D11 {
  static readonly key = rowKey('a');
  @Segment('string') a!: string;
}
// @ts-expect-error an abstract class cannot be constructed
@Entity({ table: 'd12' })
abstract class D12 {
  static readonly key = rowKey('a');
  @Segment('string') a!: string;
}

// Properties of an entity.
class Segments {
  // @ts-expect-error a timestamp is a Date
  @Segment('timestamp') text!: string;
  // @ts-expect-error null needs nullable: true
  @Segment('string') nothing!: string | null;
  // @ts-expect-error a segment is not optional
  @Segment('string') maybe?: string;
  // @ts-expect-error there is no kind 'time'
  @Segment('time') time!: Date;
  // @ts-expect-error there is no option `ordre`
  @Segment('string', { ordre: 'desc', nullable: false }) misspelt!: string;
  // @ts-expect-error a number without a kind is ambiguous
  @Segment() number!: number;
  // @ts-expect-error a method cannot be a segment
  @Segment('string') method(): string {
    return '';
  }
}
class Columns {
  // @ts-expect-error int64 is a bigint
  @Column('m', 'int64') n?: number;
  // @ts-expect-error there is no kind 'varchar'
  @Column('m', 'varchar') v?: string;
  // @ts-expect-error a date is a string
  @Column('m', 'date') day?: Date;
  // @ts-expect-error a number without a kind is ambiguous
  @Column('m') ambiguous?: number;
  // @ts-expect-error another message
  @Packed('m', () => Pos) pos?: Date;
  // @ts-expect-error a value of the codec's type
  @Column('m', json) own?: string;
  // @ts-expect-error a value of the custom codec's type
  @Packed('m', () => PbjsMessage) custom?: { readonly b: string };
  // @ts-expect-error the keys are Dates
  @ColumnMap('m', 'double', { qualifiers: 'timestamp' }) timed?: Map<string, number>;
  // @ts-expect-error the keys are the members
  @ColumnMap('m', 'double', { qualifiers: 'enum', values: ['A'] }) by?: Map<'A' | 'B', number>;
  // @ts-expect-error there is no kind 'float'
  @ColumnMap('m', 'double', { qualifiers: 'float' }) floats?: Map<number, number>;
  // @ts-expect-error a Map, not a record
  @ColumnMap('m', 'double') map?: Record<string, number>;
  // @ts-expect-error the values are numbers
  @ColumnMap('m', 'double') texts?: Map<string, string>;
  // @ts-expect-error versions have a timestamp and a value
  @Versions('m', 'double') history?: number[];
  // @ts-expect-error a counter is a bigint
  @Counter('m') hits?: number;
  // @ts-expect-error there is no option `name`
  @Column('m', 'string', { name: 'x' }) named?: string;
}
class Fields {
  // @ts-expect-error int64 is a bigint
  @Field(1, 'int64') n?: number;
  // @ts-expect-error the type is not a list
  @RepeatedField(2, 'string') list?: string;
  // @ts-expect-error the keys are bigints
  @MapField(3, 'int64', 'string') map?: Map<string, string>;
  // @ts-expect-error a double cannot be the key of a map
  @MapField(4, 'double', 'string') doubles?: Map<number, string>;
  // @ts-expect-error another enum
  @Field(5, enumOf(Mode)) mode?: string;
  // @ts-expect-error json is not a protobuf type
  @Field(6, 'json') json?: unknown;
}
// @ts-expect-error a subclass cannot extend the key
class Longer extends Good {
  static override readonly key = rowKey('tenant', 'kind', 'at', 'part');
  part!: string;
}

// Helpers.
// @ts-expect-error a key has at least one part
rowKey();
// @ts-expect-error not a duration
maxAge('30 days');
// @ts-expect-error not a unit
maxAge('1w');

// Without decorators.
class Plain {
  tenant = '';
  at = new Date(0);
  kind: string | null = null;
  temperature?: number;
  pos?: Pos;
  hits?: bigint;
}
const Defined = defineEntity(Plain, {
  table: 'plain',
  families: { m: {} },
  key: rowKey('tenant', 'kind', 'at'),
  segments: {
    tenant: 'string',
    kind: { kind: 'string', nullable: true },
    at: { kind: 'timestamp', order: 'desc' },
  },
  columns: { temperature: column('m', 'double'), pos: packed('m', Pos), hits: counter('m') },
});
const defined: EntityClass<Plain, readonly ['tenant', 'kind', 'at']> = Defined;
defineMessage(
  class {
    list?: string[];
    n?: bigint;
  },
  { name: 't.M', fields: { list: repeatedField(1, 'string'), n: field(2, 'int64') } },
);
// @ts-expect-error the key names an unknown property
defineEntity(Plain, { table: 'plain', key: rowKey('tenent'), segments: {} });
defineEntity(Plain, {
  table: 'plain',
  key: rowKey('tenant', 'at'),
  // @ts-expect-error the segment `at` has no kind
  segments: { tenant: 'string' },
});
// @ts-expect-error a Date is not a string
defineEntity(Plain, { table: 'plain', key: rowKey('at'), segments: { at: 'string' } });
defineEntity(Plain, {
  table: 'plain',
  key: rowKey('tenant'),
  segments: { tenant: 'string' },
  // @ts-expect-error a double is not a bigint
  columns: { hits: column('m', 'double') },
});
defineEntity(Plain, {
  table: 'plain',
  key: rowKey('tenant'),
  segments: { tenant: 'string' },
  // @ts-expect-error there is no property `temp`
  columns: { temp: column('m', 'double') },
});
defineMessage(
  class {
    list?: string[];
  },
  // @ts-expect-error the element is a string
  { fields: { list: repeatedField(1, 'double') } },
);

// Access patterns.
@Entity({ table: 'patterns', families: { m: {} } })
class Patterned {
  static readonly key = rowKey(literal('p'), 'tenant', 'device', 'at');
  static readonly patterns = accessPatterns({
    latestOfDevice: { prefix: ['tenant', 'device'], limit: 1, purpose: 'the last value' },
    ofDay: { prefix: ['tenant', 'device'], between: 'at', select: ['temperature'] },
    since: { prefix: ['device', 'tenant'], since: 'at', reverse: true },
    tenants: { startsWith: 'tenant' },
    everything: { scanAll: true },
  });
  @Segment('string') tenant!: string;
  @Segment('string') device!: string;
  @Segment('timestamp') at!: Date;
  @Column('m', 'double') temperature?: number;
  @Column('m', 'string') note?: string;
}
declare const db: Database;
const patterned = db.repository(Patterned);
const keepsItsType: Repository<typeof Patterned> = patterned;
const withoutPatterns: KeyedRepository<Patterned, typeof Patterned.key> = patterned;
const at = new Date();
const whole: RowQuery<Patterned, typeof Patterned.key> = patterned.patterns.latestOfDevice({
  tenant: 't',
  device: 'd',
});
const part: RowQuery<
  Patterned,
  typeof Patterned.key,
  Pick<Patterned, 'tenant' | 'device' | 'at' | 'temperature'>
> = patterned.patterns.ofDay({ tenant: 't', device: 'd', at: { from: at, to: at } });
patterned.patterns.since({ tenant: 't', device: 'd', at }).first();
patterned.patterns.tenants({ tenant: 'a' }).all();
patterned.patterns.everything().count();
// @ts-expect-error the device is missing
patterned.patterns.latestOfDevice({ tenant: 't' });
// @ts-expect-error a string, not a number
patterned.patterns.latestOfDevice({ tenant: 't', device: 5 });
// @ts-expect-error both ends are needed
patterned.patterns.ofDay({ tenant: 't', device: 'd', at });
// @ts-expect-error there is no such pattern
patterned.patterns.latest({ tenant: 't', device: 'd' });
// @ts-expect-error a scan takes no values
patterned.patterns.everything({ tenant: 't' });
void patterned.patterns
  .ofDay({ tenant: 't', device: 'd', at: { from: at, to: at } })
  .first()
  // @ts-expect-error it is not selected
  .then((row) => row?.note);
// @ts-expect-error an entity without patterns has none
db.repository(Good).patterns.latest({ tenant: 't' });
// @ts-expect-error a gap
@Entity({ table: 'p1' })
class P1 {
  static readonly key = rowKey('a', 'b', 'c');
  static readonly patterns = accessPatterns({ x: { prefix: ['b'] } });
  @Segment('string') a!: string;
  @Segment('string') b!: string;
  @Segment('string') c!: string;
}
// @ts-expect-error a misspelt segment
@Entity({ table: 'p2' })
class P2 {
  static readonly key = rowKey('a', 'b');
  static readonly patterns = accessPatterns({ x: { prefix: ['aa'] } });
  @Segment('string') a!: string;
  @Segment('string') b!: string;
}
// @ts-expect-error the last segment
@Entity({ table: 'p3' })
class P3 {
  static readonly key = rowKey('a', 'b');
  static readonly patterns = accessPatterns({ x: { prefix: ['a', 'b'] } });
  @Segment('string') a!: string;
  @Segment('string') b!: string;
}
// @ts-expect-error a bound that is not on the next segment
@Entity({ table: 'p4' })
class P4 {
  static readonly key = rowKey('a', 'b', 'c');
  static readonly patterns = accessPatterns({ x: { prefix: ['a'], since: 'c' } });
  @Segment('string') a!: string;
  @Segment('string') b!: string;
  @Segment('string') c!: string;
}
// @ts-expect-error a full scan without scanAll
@Entity({ table: 'p5' })
class P5 {
  static readonly key = rowKey('a', 'b');
  static readonly patterns = accessPatterns({ x: { limit: 1 } });
  @Segment('string') a!: string;
  @Segment('string') b!: string;
}
// @ts-expect-error there is no option `limt`
@Entity({ table: 'p6' })
class P6 {
  static readonly key = rowKey('a', 'b');
  static readonly patterns = accessPatterns({ x: { prefix: ['a'], limt: 1 } });
  @Segment('string') a!: string;
  @Segment('string') b!: string;
}
// @ts-expect-error an unknown property
@Entity({ table: 'p7' })
class P7 {
  static readonly key = rowKey('a', 'b');
  static readonly patterns = accessPatterns({ x: { prefix: ['a'], select: ['t'] } });
  @Segment('string') a!: string;
  @Segment('string') b!: string;
}
// @ts-expect-error a limit is a number
accessPatterns({ x: { prefix: ['a'], limit: '1' } });
const PatternedPlain = defineEntity(Plain, {
  table: 'plain',
  families: { m: {} },
  key: rowKey('tenant', 'at'),
  segments: { tenant: 'string', at: 'timestamp' },
  columns: { temperature: column('m', 'double') },
  patterns: accessPatterns({ latest: { prefix: ['tenant'], limit: 1 } }),
});
db.repository(PatternedPlain).patterns.latest({ tenant: 't' });
defineEntity(Plain, {
  table: 'plain',
  key: rowKey('tenant', 'kind', 'at'),
  segments: { tenant: 'string', kind: { kind: 'string', nullable: true }, at: 'timestamp' },
  // @ts-expect-error a gap
  patterns: accessPatterns({ x: { prefix: ['kind'] } }),
});

// A repository handed to a function: by the class.
async function byClass(rows: Repository<typeof Patterned>): Promise<Patterned | undefined> {
  return rows.get({ tenant: 't', device: 'd', at: new Date() });
}
// @ts-expect-error the type of a class, and not of its instances
type ByInstance = Repository<Patterned>;
void byClass(patterned);

// What is written in general for all entities compiles, although results of select are refused.
async function saveAny<E extends object, K extends KeyParts>(
  rows: KeyedRepository<E, K>,
  entity: E,
): Promise<void> {
  await rows.save(entity);
  await rows.insert(entity);
  await rows.saveMany([entity]);
}
async function saveNamed<E extends { tenant: string }, K extends KeyParts>(
  rows: KeyedRepository<E, K>,
  entity: E,
): Promise<void> {
  await rows.save(entity);
  await rows.saveMany(new Set([entity]));
}
async function saveFound(rows: Repository<typeof Patterned>): Promise<void> {
  const found = await rows.prefix({ tenant: 't' }).first();
  if (found !== undefined) await rows.save(found);
  await rows.saveMany(rows.scanAll());
  const [selected] = await rows.scanAll().select('temperature').all();
  // What was selected is read as before, copied, and makes a new entity if it is complete.
  const plain: { tenant: string; temperature?: number } = selected;
  await rows.save(rows.create({ ...selected }));
  // @ts-expect-error the columns that were not selected would be deleted
  await rows.save(selected);
  // @ts-expect-error the same, many times
  await rows.saveMany([selected]);
  // @ts-expect-error copied to an instance, they are still not read
  await rows.save(Object.assign(new Patterned(), selected));
  // @ts-expect-error an entity is no prefix
  rows.prefix(rows.create({ tenant: 't', device: 'd', at: new Date() }));
  const { tenant, device } = selected;
  rows.prefix({ tenant, device });
  void plain;
}
// Completion offers the leading segments, because they are the default of what is inferred.
const rowsOfPlain = db.repository(PatternedPlain);
rowsOfPlain.prefix({ tenant: 't' });
// @ts-expect-error a column
rowsOfPlain.prefix({ tenant: 't', temperature: 1 });
const withColumn = { tenant: 't', temperature: 1 };
// @ts-expect-error a column, in a variable
rowsOfPlain.prefix(withColumn);
// @ts-expect-error a whole key
await rowsOfPlain.prefix({ tenant: 't', at: new Date() }).delete();
// In a scope, no segments are its own.
const scopeOfPlain = db.scope({ tenant: 't' });
await scopeOfPlain.repository(PatternedPlain).scanAll().delete();
// @ts-expect-error the last segment
await scopeOfPlain.repository(PatternedPlain).prefix({ at: new Date() }).delete();
const left: DeleteAllReport = await scopeOfPlain.deleteAll({ dryRun: true });
const [{ kind, how }] = left.parts;
// @ts-expect-error 'entries' is no kind
void (kind === 'entries');
// @ts-expect-error 'range' is no method
void (how === 'range');
// @ts-expect-error a misspelt option
await scopeOfPlain.deleteAll({ dryrun: true });
void saveAny(patterned, new Patterned());
void saveNamed(patterned, new Patterned());
void saveFound(patterned);

// References of classes to each other, and to the class itself.
@Entity({ table: 't', families: { m: {} } })
class Author {
  static readonly key = rowKey('tenant', 'id');
  static readonly newest = reference(() => Post, { tenant: 'tenant', n: 'newestPost' });
  @Segment('string') tenant!: string;
  @Segment('string') id!: string;
  @Column('m', 'int32') newestPost?: number;
}
@Entity({ table: 't', families: { m: {} } })
class Post {
  static readonly key = rowKey('tenant', literal('post'), 'n');
  static readonly author = reference(() => Author, { tenant: 'tenant', id: 'authorId' });
  static readonly parent = reference(() => Post, { tenant: 'tenant', n: 'parentN' });
  @Segment('string') tenant!: string;
  @Segment('int') n!: number;
  @Column('m', 'string') authorId?: string;
  @Column('m', 'int32') parentN?: number;
}
const posts = db.repository(Post);
const { author, parent } = Post;
const [read] = await posts.scanAll().include({ author, parent }).all();
const readAuthor: Author | undefined = read.author;
const readParent: number | undefined = read.parent?.n;
// @ts-expect-error the author may be absent
read.author.id;
const got = await posts.getOrThrow({ tenant: 't', n: 1 }, { include: { author } });
const gotAuthor: Author | undefined = got.author;
await posts.save(got);
// @ts-expect-error no reference was included
(await posts.getOrThrow({ tenant: 't', n: 1 })).author;
const ofTenant = db.scope({ tenant: 't' });
const cache = ofTenant.requestCache();
const inScope = await ofTenant
  .repository(Post)
  .scanAll()
  .select('authorId')
  .include({ author }, { cache })
  .first();
const scopedAuthor: Author | undefined = inScope?.author;
const loaded: Author | undefined = await cache.load(Author, { id: 'a' });
// @ts-expect-error the scope gives the tenant
await cache.load(Author, { tenant: 't', id: 'a' });
void [readAuthor, readParent, gotAuthor, scopedAuthor, loaded];

// Schemas of zod, valibot and arktype: the type of the property is one that the schema takes.
@Entity({
  table: 't',
  families: { m: {}, p: {}, h: {}, b: {} },
  schema: type({ tenant: 'string', 'state?': "'a' | 'b'" }).narrow(({ tenant }) => tenant !== ''),
})
class Judged {
  static readonly key = rowKey('tenant');
  @Segment('string') tenant!: string;
  @Column('m', 'string', { schema: z.string().email() }) email?: string;
  @Column('m', 'string', { schema: v.pipe(v.string(), v.email()), required: true }) mail!: string;
  @Column('m', 'string', { schema: type('string.email') }) post?: string | null;
  @Column('m', 'string', { schema: z.enum(['a', 'b']).optional() }) state?: 'a' | 'b';
  @Column('m', 'double', { schema: z.coerce.number() }) any?: number;
  @Column('m', 'bytes', { schema: z.custom<Uint8Array>() }) bytes?: Uint8Array;
  @Column('m', 'bytes', { schema: z.instanceof(Uint8Array) }) buffer?: Uint8Array;
  @ColumnMap('b', 'bytes', { schema: v.instance(Uint8Array) }) buffers?: Map<string, Uint8Array>;
  @Packed('m', () => Pos, { schema: z.object({ lat: z.number() }) }) pos?: Pos;
  @ColumnMap('p', 'double', { schema: v.number() }) prices?: Map<string, number>;
  @Versions('h', 'double', { schema: type('number') }) history?: Version<number>[];
  // @ts-expect-error the schema takes a number
  @Column('m', 'string', { schema: z.number() }) wrongInput?: string;
  // @ts-expect-error the schema returns a number
  @Column('m', 'string', { schema: z.string().transform(Number) }) wrongOutput?: string;
  // @ts-expect-error the schema takes two texts
  @Column('m', 'string', { schema: v.picklist(['a', 'b']) }) wide?: string;
  // @ts-expect-error the schema takes objects with a longitude
  @Packed('m', () => Pos, { schema: z.object({ lon: z.number() }) }) other?: Pos;
  // @ts-expect-error the schema takes texts
  @ColumnMap('p', 'double', { schema: type('string') }) texts?: Map<string, number>;
  // @ts-expect-error it has no version 1
  @Column('m', 'string', { schema: { '~standard': { version: 2 } } }) version?: string;
}
// @ts-expect-error the schema takes a number as tenant
@Entity({ table: 't', families: { m: {} }, schema: z.object({ tenant: z.number() }) })
class JudgedWrong {
  static readonly key = rowKey('tenant');
  @Segment('string') tenant!: string;
}
// Loose objects name some properties; of a union, each property fits a member.
@Entity({ table: 't', families: { m: {} }, schema: z.looseObject({ tenant: z.string() }) })
class JudgedLoosely {
  static readonly key = rowKey('tenant');
  @Segment('string') tenant!: string;
}
// @ts-expect-error the schema takes a number as tenant
@Entity({ table: 't', families: { m: {} }, schema: v.looseObject({ tenant: v.number() }) })
class JudgedLooselyWrong {
  static readonly key = rowKey('tenant');
  @Segment('string') tenant!: string;
}
const byKind = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('a'), low: z.number() }),
  z.object({ kind: z.literal('b'), text: z.string().optional() }),
]);
@Entity({ table: 't', families: { m: {} }, schema: byKind })
class JudgedByKind {
  static readonly key = rowKey('kind');
  @Segment('enum', { values: ['a', 'b'] }) kind!: 'a' | 'b';
  @Column('m', 'double') low?: number;
  @Column('m', 'string') text?: string;
}
// @ts-expect-error no member takes a text as low
@Entity({ table: 't', families: { m: {} }, schema: byKind })
class JudgedByKindWrong {
  static readonly key = rowKey('kind');
  @Segment('enum', { values: ['a', 'b'] }) kind!: 'a' | 'b';
  @Column('m', 'string') low?: string;
}
void [JudgedLoosely, JudgedLooselyWrong, JudgedByKind, JudgedByKindWrong];
class Bare {
  tenant = '';
  email?: string;
}
const bare = { table: 't', families: { m: {} }, key: rowKey('tenant') } as const;
const email = column('m', 'string', { schema: z.string() });
const taken = z.object({ tenant: z.string(), email: z.string().optional() });
defineEntity(Bare, { ...bare, segments: { tenant: 'string' }, columns: { email }, schema: taken });
class Blob {
  tenant = '';
  bytes?: Uint8Array;
}
defineEntity(Blob, {
  ...bare,
  segments: { tenant: 'string' },
  columns: { bytes: column('m', 'bytes', { schema: v.instance(Uint8Array) }) },
});
const takenLoosely = type({ tenant: 'string', '[string]': 'unknown' });
const loose = { ...bare, segments: { tenant: 'string' }, columns: { email } } as const;
defineEntity(Bare, { ...loose, schema: takenLoosely });
defineEntity(Bare, {
  ...bare,
  segments: { tenant: 'string' },
  // @ts-expect-error the schema takes two texts
  columns: { email: column('m', 'string', { schema: z.enum(['a', 'b']) }) },
});
defineEntity(Bare, {
  ...bare,
  segments: { tenant: 'string' },
  columns: { email },
  // @ts-expect-error the schema takes a number as tenant
  schema: z.object({ tenant: z.number() }),
});
void [Judged, JudgedWrong];
