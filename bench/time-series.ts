/**
 * Time series in two layouts: tall (a row for each reading) and wide (a row for each hour, a column
 * for each reading). The same readings in both, on disk: `npm run bench -- bench/time-series.ts`,
 * with `--devices N --hours N --seconds N` (between readings) for other sizes.
 */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Column,
  ColumnMap,
  type Database,
  DateMap,
  Entity,
  entryCountOf,
  maxVersions,
  open,
  rowKey,
  Segment,
} from '../src/index.js';

const families = { r: { gc: maxVersions(1) } };

@Entity({ table: 'tall', families })
class Tall {
  static readonly key = rowKey('device', 'at');
  @Segment('string', { maxLength: 20 }) device!: string;
  @Segment('timestamp') at!: Date;
  @Column('r', 'double', { qualifier: 'v' }) value?: number;
}

@Entity({ table: 'wide', families })
class Wide {
  static readonly key = rowKey('device', 'hour');
  @Segment('string', { maxLength: 20 }) device!: string;
  @Segment('timestamp', { floor: 'hour' }) hour!: Date;
  @ColumnMap('r', 'double', { qualifiers: 'timestamp' }) values?: DateMap<number>;
}

const options = { devices: 20, hours: 24, seconds: 10 };
for (let i = 2; i < process.argv.length; i += 2) {
  const name = process.argv[i].slice(2) as keyof typeof options;
  const value = Number(process.argv[i + 1]);
  if (!(name in options) || !(value >= 1)) {
    console.error('npm run bench -- bench/time-series.ts [--devices N] [--hours N] [--seconds N]');
    process.exit(1);
  }
  options[name] = value;
}
const { devices, hours, seconds } = options;
const start = Date.UTC(2026, 10, 20);
const hourMs = 3_600_000;
const perHour = Math.floor(3600 / seconds);
const deviceName = (n: number): string => `device-${String(n).padStart(4, '0')}`;
const valueAt = (ms: number): number => 20 + Math.sin(ms / 1e7);

/** The newest first: of rows, and of the entries of a row. */
@Entity({ table: 'wide-desc', families })
class WideDescending {
  static readonly key = rowKey('device', 'hour');
  @Segment('string', { maxLength: 20 }) device!: string;
  @Segment('timestamp', { floor: 'hour', order: 'desc' }) hour!: Date;
  @ColumnMap('r', 'double', { qualifiers: 'timestamp', order: 'desc' }) values?: DateMap<number>;
}

/** What a layout does; a range is from 10:40 to 13:10 of one device. */
interface Layout {
  readonly entity: typeof Tall | typeof Wide | typeof WideDescending;
  /** Writes all readings, and returns the number of rows. */
  readonly load: (db: Database) => Promise<number>;
  readonly append: (db: Database, device: string, at: Date) => Promise<void>;
  readonly range: (db: Database, device: string, from: Date, to: Date) => Promise<number>;
  readonly newest: (db: Database, device: string, limit: number) => Promise<number>;
  readonly point: (db: Database, device: string, at: Date) => Promise<number | undefined>;
  readonly count: (db: Database, device: string) => Promise<number>;
}

const tall: Layout = {
  entity: Tall,
  async load(db) {
    const rows = db.repository(Tall);
    function* all(): Iterable<Tall> {
      for (const { device, at } of readings())
        yield rows.create({ device, at, value: valueAt(at.getTime()) });
    }
    return (await rows.saveMany(all())).written;
  },
  append: (db, device, at) => db.repository(Tall).patch({ device, at }, { value: 1 }),
  async range(db, device, from, to) {
    return (await db.repository(Tall).prefix({ device }).between('at', from, to).all()).length;
  },
  async newest(db, device, limit) {
    return (await db.repository(Tall).prefix({ device }).reverse().limit(limit).all()).length;
  },
  point: async (db, device, at) => (await db.repository(Tall).get({ device, at }))?.value,
  count: (db, device) => db.repository(Tall).prefix({ device }).count(),
};

const wideLayout = (entity: typeof Wide): Layout => ({
  entity,
  async load(db) {
    const rows = db.repository(entity);
    function* all(): Iterable<Wide> {
      for (let n = 0; n < devices; n++) {
        for (let hour = 0; hour < hours; hour++) {
          const values = new DateMap<number>();
          const first = start + hour * hourMs;
          for (let i = 0; i < perHour; i++) {
            const ms = first + i * seconds * 1000;
            values.set(new Date(ms), valueAt(ms));
          }
          yield rows.create({ device: deviceName(n), hour: new Date(first), values });
        }
      }
    }
    return (await rows.saveMany(all())).written;
  },
  append: (db, device, at) =>
    db.repository(entity).patch({ device, hour: at }, { values: new Map([[at, 1]]) }),
  async range(db, device, from, to) {
    const series = db.repository(entity).prefix({ device }).series('values', { from, to });
    return (await series.all()).length;
  },
  async newest(db, device, limit) {
    const newest = { limit, newestFirst: true };
    return (await db.repository(entity).prefix({ device }).series('values', newest).all()).length;
  },
  async point(db, device, at) {
    const to = new Date(at.getTime() + 1);
    const series = db.repository(entity).prefix({ device }).series('values', { from: at, to });
    return (await series.first())?.value;
  },
  async count(db, device) {
    const rows = db.repository(entity).prefix({ device }).select(entryCountOf('values'));
    let count = 0;
    for await (const { values } of rows) count += values;
    return count;
  },
});

function* readings(): Iterable<{ readonly device: string; readonly at: Date }> {
  for (let n = 0; n < devices; n++)
    for (let hour = 0; hour < hours; hour++)
      for (let i = 0; i < perHour; i++)
        yield {
          device: deviceName(n),
          at: new Date(start + hour * hourMs + i * seconds * 1000),
        };
}

/** A layout with its open database. */
interface Opened {
  readonly layout: Layout;
  readonly folder: string;
  readonly db: Database;
}

const layouts: readonly (readonly [name: string, layout: Layout])[] = [
  ['tall', tall],
  ['wide', wideLayout(Wide)],
  ['wide, descending', wideLayout(WideDescending)],
];
const rate = (value: number): string => Math.round(value).toLocaleString('en');
const line = (...cells: readonly string[]): void => console.log(`| ${cells.join(' | ')} |`);

function sizeOf(folder: string): number {
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

const openLayout = ({ entity }: Layout, folder: string): Promise<Database> =>
  open(`file:${folder}`, { entities: [entity], durability: 'relaxed' });

const total = devices * hours * perHour;
const facts: string[][] = [[], [], [], []];
const opened: Opened[] = [];
for (const [, layout] of layouts) {
  const folder = mkdtempSync(join(tmpdir(), 'rowsmith-time-series-'));
  const db = await openLayout(layout, folder);
  const began = performance.now();
  const rows = await layout.load(db);
  const elapsed = (performance.now() - began) / 1000;
  await db.close();
  const bytes = sizeOf(folder);
  facts[0].push(rate(rows));
  facts[1].push(`${(bytes / 1e6).toFixed(1)} MB`);
  facts[2].push((bytes / total).toFixed(1));
  facts[3].push(rate(total / elapsed));
  opened.push({ layout, folder, db: await openLayout(layout, folder) });
}
line('', ...layouts.map(([name]) => name));
line('---', ...layouts.map(() => '---'));
line('rows', ...facts[0]);
line('on disk', ...facts[1]);
line('bytes for each reading', ...facts[2]);
line('readings loaded in bulk /s', ...facts[3]);

/** Calls in turns for each layout; prints the medians of the rounds in calls per second. */
async function compare(
  name: string,
  calls: number,
  call: (opened: Opened, i: number) => Promise<unknown>,
): Promise<void> {
  const rates = opened.map((): number[] => []);
  for (let round = 0; round < 9; round++) {
    for (const [at, each] of opened.entries()) {
      const began = performance.now();
      for (let i = 0; i < calls; i++) await call(each, round * calls + i);
      rates[at].push((calls * 1000) / (performance.now() - began));
    }
  }
  line(name, ...rates.map((list) => rate(list.sort((a, b) => a - b)[list.length >> 1])));
}

const from = new Date(start + 10 * hourMs + 40 * 60_000);
const to = new Date(start + 13 * hourMs + 10 * 60_000);
const expected = Math.round((to.getTime() - from.getTime()) / 1000 / seconds);
const device = (i: number): string => deviceName(i % devices);
const timeOf = (i: number): Date =>
  new Date(start + (i % hours) * hourMs + (i % perHour) * seconds * 1000);
for (const { layout, db } of opened) {
  if ((await layout.range(db, device(0), from, to)) !== expected)
    throw new Error(`the range does not have ${expected} readings`);
}
await compare(`ranges of ${expected} readings /s`, 20, ({ layout, db }, i) =>
  layout.range(db, device(i), from, to),
);
await compare('newest 10 readings /s', 100, ({ layout, db }, i) =>
  layout.newest(db, device(i), 10),
);
await compare('single readings /s', 200, ({ layout, db }, i) =>
  layout.point(db, device(i), timeOf(i)),
);
await compare(`counts of ${rate(hours * perHour)} readings /s`, 2, ({ layout, db }, i) =>
  layout.count(db, device(i)),
);
const end = start + hours * hourMs;
await compare('single readings written /s', 200, ({ layout, db }, i) =>
  layout.append(db, device(i), new Date(end + Math.floor(i / devices) * seconds * 1000)),
);
for (const { db, folder } of opened) {
  await db.close();
  rmSync(folder, { recursive: true });
}
console.log(
  `\n${devices} devices, ${hours} hours, a reading every ${seconds} s; Node ${process.versions.node}`,
);
