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
    // The values are read: a row counts as one.
    return (await db.repository(entity).prefix({ device }).series('values').all()).length;
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

const columns: Record<string, string[]> = {};
const report = (name: string, layout: string, text: string): void => {
  (columns[name] ??= []).push(text);
  console.error(`${layout.padEnd(16)} ${name.padEnd(34)} ${text}`);
};

/** The median of the rounds, in calls per second. */
async function perSecond(rounds: number, calls: number, call: (i: number) => Promise<unknown>) {
  const rates: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const began = performance.now();
    for (let i = 0; i < calls; i++) await call(round * calls + i);
    rates.push((calls * 1000) / (performance.now() - began));
  }
  return rates.sort((a, b) => a - b)[rounds >> 1];
}

function sizeOf(folder: string): number {
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

const rate = (value: number): string => Math.round(value).toLocaleString('en');
const from = new Date(start + 10 * hourMs + 40 * 60_000);
const to = new Date(start + 13 * hourMs + 10 * 60_000);
const expected = Math.round((to.getTime() - from.getTime()) / 1000 / seconds);

async function measure(name: string, layout: Layout): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'rowsmith-time-series-'));
  const db = await open(`file:${folder}`, { entities: [layout.entity], durability: 'relaxed' });
  const began = performance.now();
  const rows = await layout.load(db);
  const elapsed = (performance.now() - began) / 1000;
  const total = devices * hours * perHour;
  report('rows', name, rate(rows));
  report('readings written in bulk /s', name, rate(total / elapsed));
  await db.close();
  const bytes = sizeOf(folder);
  report('bytes on disk', name, `${(bytes / 1e6).toFixed(1)} MB`);
  report('bytes per reading', name, (bytes / total).toFixed(1));
  const again = await open(`file:${folder}`, { entities: [layout.entity], durability: 'relaxed' });
  const device = (i: number): string => deviceName(i % devices);
  if ((await layout.range(again, device(0), from, to)) !== expected)
    throw new Error(`${name}: the range does not have ${expected} readings`);
  report(
    `ranges of ${expected} readings /s`,
    name,
    rate(await perSecond(5, 40, (i) => layout.range(again, device(i), from, to))),
  );
  report(
    'newest 10 readings /s',
    name,
    rate(await perSecond(5, 200, (i) => layout.newest(again, device(i), 10))),
  );
  const at = (i: number): Date =>
    new Date(start + (i % hours) * hourMs + (i % perHour) * seconds * 1000);
  report(
    'single readings /s',
    name,
    rate(await perSecond(5, 400, (i) => layout.point(again, device(i), at(i)))),
  );
  report(
    `counts of ${rate(hours * perHour)} readings /s`,
    name,
    rate(await perSecond(3, 5, (i) => layout.count(again, device(i)))),
  );
  const end = start + hours * hourMs;
  report(
    'single readings written /s',
    name,
    rate(
      await perSecond(5, 400, (i) =>
        layout.append(again, device(i), new Date(end + Math.floor(i / devices) * seconds * 1000)),
      ),
    ),
  );
  await again.close();
  rmSync(folder, { recursive: true });
}

await measure('tall', tall);
await measure('wide', wideLayout(Wide));
await measure('wide, descending', wideLayout(WideDescending));
console.log('| | tall | wide | wide, descending |\n|---|---|---|---|');
for (const [name, texts] of Object.entries(columns))
  console.log(`| ${name} | ${texts.join(' | ')} |`);
console.log(
  `\n${devices} devices, ${hours} hours, a reading every ${seconds} s; Node ${process.versions.node}`,
);
