/** Programs that show what types cost the compiler: entities of 3 segments and 10 columns, and calls. */

const entity = (/** @type {number} */ i) => `
@Entity({ table: 't', families: { m: {}, c: {}, p: {} } })
class E${i} {
  static readonly key = rowKey('tenant', 'device', 'at');
  static readonly patterns = accessPatterns({ latest: { prefix: ['tenant', 'device'], limit: 1 } });
  @Segment('string') tenant!: string;
  @Segment('string') device!: string;
  @Segment('timestamp') at!: Date;
  @Column('m', 'double') temperature?: number;
  @Column('m', 'string') status?: 'ok' | 'failed';
  @Column('m', 'int32') level?: number;
  @Column('m', 'string') note?: string;
  @Column('m', 'bool') open?: boolean;
  @Column('m', 'timestamp') seen?: Date;
  @Column('m', 'bytes') raw?: Uint8Array;
  @Counter('c') hits?: bigint;
  @Counter('c') errors?: bigint;
  @ColumnMap('p', 'double', { qualifiers: 'timestamp' }) prices?: Map<Date, number>;
}
const r${i} = db.repository(E${i});
`;

/** Calls that every program has, each with the repository `r` and the class `E` of an entity. */
export const calls = {
  create: 'void r.create({ tenant: "a", device: "d", at, level: 3 });',
  save: 'void r.save(r.create({ tenant: "a", device: "d", at }));',
  get: 'void r.get({ tenant: "a", device: "d", at }).then((row) => row?.level);',
  patch: 'void r.patch({ tenant: "a", device: "d", at }, { level: 3, note: null });',
  delete: 'void r.delete({ tenant: "a", device: "d", at });',
  condition: 'void r.delete({ tenant: "a", device: "d", at }, { if: { equals: { level: 3 } } });',
  history: 'void r.history({ tenant: "a", device: "d", at }, "level");',
  since: 'void r.prefix({ tenant: "a", device: "d" }).since("at", at).limit(10).all();',
  first: 'void r.prefix({ tenant: "a" }).between("device", "a", "b").reverse().first();',
  select: 'void r.prefix({ tenant: "a" }).select("level", "note").all();',
  pattern: 'void r.patterns.latest({ tenant: "a", device: "d" }).first();',
  increment: 'void r.increment({ tenant: "a", device: "d", at }, "hits", 1n);',
  append: 'void r.append({ tenant: "a", device: "d", at }, { note: "x" });',
};

/** Further calls: queries beyond one range, and writes beyond one change. */
export const moreCalls = {
  oneOf: 'void r.prefix({ tenant: "a" }).oneOf("device", ["d"]).since("at", at).all();',
  firstPer: 'void r.prefix({ tenant: "a" }).firstPer("device").all();',
  distinct: 'void r.prefix({ tenant: "a" }).distinct("device").all();',
  prefixes: 'void r.prefixes([{ tenant: "a", device: "d" }]).all();',
  where: 'void r.prefix({ tenant: "a" }).where({ status: "failed" }).all();',
  whereThree:
    'void r.scanAll().where({ level: { above: 3 }, note: { not: null }, seen: { below: at } }).all();',
  split: 'void r.scanAll().split(4).then((parts) => parts[0].all());',
  aggregate:
    'void r.scanAll().aggregate({ n: "count", mean: { avg: "temperature" } }).then((row) => row.mean);',
  groupBy:
    'void r.scanAll().groupBy("device", { time: "at", every: "1h" })' +
    '.aggregate({ top: { max: "level" } }).all().then((rows) => rows[0].top);',
  queryDelete: 'void (await r.prefix({ tenant: "a" }).delete()).deleted;',
  collection: 'void db.collection({ device: Device, rows: E }).prefix({ tenant: "a" }).all();',
  collectionGroups:
    'void db.collection({ device: Device, rows: E }).scanAll().groupBy("device").first()' +
    '.then((group) => group?.members.rows[0].level);',
  scope: 'void db.scope({ tenant: "a" }).repository(E).get({ device: "d", at });',
  entries: 'void r.scanAll().select("note", entriesOf("prices", { from: at })).all();',
  patchMore:
    'void r.patch({ tenant: "a", device: "d", at }, { level: 3 }, { remove: ["note"], add: { hits: 1n } });',
  increments:
    'void r.increment({ tenant: "a", device: "d", at }, { hits: 1n, errors: 2n }).then((row) => row.hits);',
  patchMany:
    'void r.patchMany([{ key: { tenant: "a", device: "d", at }, changes: { level: 3 } }]);',
  patchManyMore:
    'void r.patchMany([{ key: { tenant: "a", device: "d", at }, changes: {}, remove: ["note"] }]);',
  json: 'void r.fromJSON(r.toJSON(r.create({ tenant: "a", device: "d", at }))).level;',
  series: 'void r.prefix({ tenant: "a", device: "d" }).series("prices").all();',
};

const device = `
@Entity({ table: 't', families: { m: {}, c: {}, p: {} } })
class Device {
  static readonly key = rowKey('tenant', 'device');
  @Segment('string') tenant!: string;
  @Segment('string') device!: string;
  @Column('m', 'string') model?: string;
}
`;

/**
 * A module with so many entities, and these calls of each.
 *
 * @param {number} entities @param {readonly string[]} forms
 */
export function source(entities, forms) {
  const all = forms.join('\n');
  const lines = [
    "import { Column, ColumnMap, Counter, Entity, Segment } from 'rowsmith';",
    "import { accessPatterns, rowKey, type Database } from 'rowsmith';",
    all.includes('entriesOf(') ? "import { entriesOf } from 'rowsmith';" : '',
    'declare const db: Database;',
    'declare const at: Date;',
    all.includes('Device') ? device : '',
  ];
  for (let i = 0; i < entities; i++)
    lines.push(entity(i), all.replace(/\br(?=[.])/g, `r${i}`).replace(/\bE\b/g, `E${i}`));
  return `${lines.join('\n')}\n`;
}
